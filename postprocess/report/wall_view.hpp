// SPDX-License-Identifier: GPL-3.0-or-later
// The wall in three dimensions on the page, offline: a decimated surface as base64 arrays and the
// script wall_view.js, which draws it by WebGL.
#pragma once

#include <string>
#include <vector>

#include "postprocess/picture/wall_values.hpp"
#include "postprocess/results.hpp"

namespace tessera {

// Markup of the view; nothing without a wall. Little-endian arrays: positions 16 bits a coordinate
// within their box, corners 16 bits, values 32-bit floats in the units shown.
std::string wallView(const Results& results, const std::vector<WallValues>& wall);

}  // namespace tessera
