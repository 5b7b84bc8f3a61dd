// SPDX-License-Identifier: GPL-3.0-or-later
// A space-filling curve through a box of any sides: Hilbert's on cubes of 2^n, generalised as by
// Cerveny (gilbert, github.com/jakubcerveny/gilbert, 2018): a box is cut into two, three or five
// boxes of which each begins beside the end of the one before, and which are as cubic as they can
// be.
#pragma once

#include <cstdint>

#include "preprocess/geometry/frame.hpp"

namespace tessera::solver::tiles {

// Of a cell of a box, 0 .. size - 1 on each axis: its place on a curve that visits each cell once.
// Sides of odd length are counted as one longer (but 1), so places may be left out; cells that
// follow each other in the longer box share a face. In 2D one side is 1.
std::uint64_t placeOnCurve(const Int3& size, const Int3& cell);

}  // namespace tessera::solver::tiles
