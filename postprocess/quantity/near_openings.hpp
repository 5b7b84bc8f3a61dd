// SPDX-License-Identifier: GPL-3.0-or-later
// The wall away from openings: within a radius of one the shear is partly that of its condition,
// most so within a node or two of its rim.
#pragma once

#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

// The triangles whose centroid is farther from the disc of each opening (centre, normal and radius
// of equal area) than that opening's radius; ascending.
std::vector<std::size_t> awayFromOpenings(const results::WallShear& wall,
                                          const std::vector<results::OpeningSummary>& openings);

// Of a value of each triangle, SI; nothing where there are no openings or no wall is away from
// them.
std::optional<results::ShearStatistics> statisticsAwayFromOpenings(
    const results::WallShear& wall, const std::vector<double>& values,
    const std::vector<results::OpeningSummary>& openings);

}  // namespace tessera::postprocess::quantity
