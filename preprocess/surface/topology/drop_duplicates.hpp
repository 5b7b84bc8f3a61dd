// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated triangles, and walls without thickness.
#pragma once

#include <cstdint>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Keeps one of several triangles with the same vertices, in their majority orientation. Without a
// majority they form sheets without thickness: one side of a sheet is kept if it closes a gap in
// the surface, or if there is nothing else; other sheets are removed. Returns the number of
// triangles removed.
std::uint64_t dropDuplicates(geometry::TriangleMesh& mesh, const EdgeTable& edges);

}  // namespace tessera::preprocess::surface
