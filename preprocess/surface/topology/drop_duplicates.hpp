// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated triangles, and walls without thickness.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Keeps one of several triangles with the same vertices, in their majority orientation. Without a
// majority they form sheets without thickness: one side of a sheet is kept if it closes a gap in
// the surface, or if there is nothing else; other sheets are removed, and one side of those with
// one label is returned: two labels are bodies that abut, which are united.
struct DroppedDuplicates {
  std::uint64_t triangles = 0;
  std::vector<stage::Triangle> sheet;  // vertices of the mesh
  std::vector<geometry::Patch> label;  // of these; empty if the mesh has none
};
DroppedDuplicates dropDuplicates(geometry::TriangleMesh& mesh, const EdgeTable& edges);

}  // namespace tessera::preprocess::surface
