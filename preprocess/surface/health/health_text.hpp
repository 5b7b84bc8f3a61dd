// SPDX-License-Identifier: GPL-3.0-or-later
// The health of a surface for a person.
#pragma once

#include <string>
#include <vector>

#include "preprocess/surface/health/surface_health.hpp"

namespace tessera::preprocess::surface {

// A table, as read beside repaired. spacing: m, of the nodes.
std::string healthText(const HealthReport& health, double spacing);

// What there is to say about a surface that was refused, one a line.
std::vector<std::string> refusedLines(const SurfaceHealth& asRead);

std::string windingName(Winding winding);  // "consistent", "inside-out", "mixed"

}  // namespace tessera::preprocess::surface
