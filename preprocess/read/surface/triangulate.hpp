// SPDX-License-Identifier: GPL-3.0-or-later
// Triangulation of a polygon in space: a fan if convex, else ear clipping (Meisters 1975, "Polygons
// have ears") in the plane along its normal.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::read {

// Appends ring.size() - 2 triangles of indices into the ring, with its orientation; none below
// three corners. Where no ear is left (a self-intersecting polygon) or the search exceeds 1000
// tests per corner, the rest becomes a fan, which bounds the same solid.
void triangulate(std::span<const Double3> ring,
                 std::vector<std::array<std::uint32_t, 3>>& triangle);

}  // namespace tessera::preprocess::read
