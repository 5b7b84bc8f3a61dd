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

}  // namespace tessera::preprocess::surface
