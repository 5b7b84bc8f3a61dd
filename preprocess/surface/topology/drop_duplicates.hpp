// SPDX-License-Identifier: GPL-3.0-or-later
// Triangles that are there more than once, and walls without thickness.
#pragma once

#include <cstdint>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Of triangles with the same three vertices one stays, wound as most of them. Where as many are
// wound one way as the other they form sheets without thickness: one side of a sheet stays where it
// fills a gap in the surface, or where there is nothing else; other sheets go. Returns how many
// triangles went.
std::uint64_t dropDuplicates(geometry::TriangleMesh& mesh, const EdgeTable& edges);

}  // namespace tessera::preprocess::surface
