// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of a value of each triangle, weighted by area.
#pragma once

#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::results {

// p50 is exceeded on half of the area. Values that are not a number are left out; all zero without
// values.
ShearStatistics areaStatistics(const std::vector<double>& values, const std::vector<double>& area);

}  // namespace tessera::postprocess::results
