// SPDX-License-Identifier: GPL-3.0-or-later
// Wall shear stress: tangential part of the stress of the fluid on the wall,
//   t = -(sigma.n - (n.sigma.n) n),  n the wall's normal out of the fluid
#pragma once

#include <vector>

#include "postprocess/quantity/wall_stress.hpp"
#include "postprocess/quantity/wall_surface.hpp"
#include "postprocess/results/results.hpp"
#include "postprocess/results/statistics.hpp"

namespace tessera::postprocess::quantity {

// World axes, SI; without triangles that have no fluid near them.
results::WallShear wallShear(const WallSurface& wall, const std::vector<StressAtWall>& stress,
                             const preprocess::geometry::Frame& frame);

// Values per triangle averaged to the vertices: area-weighted mean of the adjacent triangles,
// `missing` where none of them has a number.
std::vector<double> vertexMeans(const results::WallShear& wall, const std::vector<double>& values,
                                double missing);

// Area-weighted statistics: p50 is exceeded on half of the wall. All zero for an empty wall.
results::ShearStatistics shearStatistics(const results::WallShear& shear);

// Statistics of wallQuantities() by label, for labels with a wall.
std::vector<results::LabelStatistics> statisticsByLabel(
    const results::WallShear& shear, const std::optional<results::CycleShear>& cycle,
    const std::vector<std::string>& names);

// Statistics of a value per triangle (SI) away from openings; nullopt without openings or such a
// wall.
std::optional<results::ShearStatistics> statisticsAwayFromOpenings(
    const results::WallShear& wall, const std::vector<double>& values,
    const std::vector<results::OpeningSummary>& openings);

}  // namespace tessera::postprocess::quantity
