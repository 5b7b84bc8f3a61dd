// SPDX-License-Identifier: GPL-3.0-or-later
// A round tube in any direction between two planes across its axis, with exact link distances.
#pragma once

#include "tiler/file/tiles_file.hpp"

namespace tessera::testing {

using namespace tessera::tiler::file;

// radius and length in spacings; opening 1 at the low end of the axis, 2 at the high end.
TilesFile tiltedTube(const Double3& axis, double radius, double length, double spacing = 1e-4);

}  // namespace tessera::testing
