// SPDX-License-Identifier: GPL-3.0-or-later
// A polygon in space as triangles: a fan where it is convex, else by clipping ears (Meisters 1975,
// "Polygons have ears") in the plane along its normal.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::read {

// Appends ring.size() - 2 triangles of places in the ring, wound like it; none below three corners.
// Where no ear is left (the polygon crosses itself) or the search exceeds a thousand looks a
// corner, the rest becomes a fan, which bounds the same solid.
void triangulate(std::span<const Double3> ring,
                 std::vector<std::array<std::uint32_t, 3>>& triangle);

}  // namespace tessera::preprocess::read
