// SPDX-License-Identifier: GPL-3.0-or-later
// Caps that are meshed a second time over those of a closed surface.
#pragma once

#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Part without volume, such as a separately meshed cap.
struct FlatPart {
  Double3 centre{};   // m
  double area = 0.0;  // m2, of both sides
  geometry::Patch face = 0;
};

// Removes flat patches of one face whose rim runs along edges that two other triangles close
// already, one of which the patch covers: a cap in a file of its own with the rim of the closed
// surface's cap, but other triangles. A membrane across a vessel covers none and stays. Returns the
// patches, which name the openings there. mesh: its labels are the file's faces.
std::vector<FlatPart> dropOverlays(geometry::TriangleMesh& mesh, const EdgeTable& edges);

// Ascending vertices in the boxes of the faces, except the one of most triangles, that meet others
// on edges of more than two triangles: a cap in a file of its own may have been written with other
// digits than the closed surface, so that welding joins some of its corners only. Empty where no
// edge has more than two triangles. margin: m, about the boxes.
std::vector<std::uint32_t> verticesAtOverlays(const geometry::TriangleMesh& mesh,
                                              const EdgeTable& edges, double margin);

}  // namespace tessera::preprocess::surface
