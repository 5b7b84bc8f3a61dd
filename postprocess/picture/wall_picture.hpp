// SPDX-License-Identifier: GPL-3.0-or-later
// The wall coloured by its shear stress.
#pragma once

#include <optional>

#include "pipelines/picture/image.hpp"
#include "postprocess/results.hpp"

namespace tessera {

// Seen from where most shows, from p01 to p99 of the stress; rims of the openings drawn, caps left
// open. Nothing when the results have no wall.
std::optional<Image> drawWallShear(const Results& results);

}  // namespace tessera
