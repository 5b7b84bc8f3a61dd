// SPDX-License-Identifier: GPL-3.0-or-later
// Wall shear stress: the tangential part of the stress the fluid exerts on the wall.
//   t = -(sigma.n - (n.sigma.n) n),  n the wall's normal out of the fluid
#pragma once

#include <vector>

#include "postprocess/quantity/wall_stress.hpp"
#include "postprocess/quantity/wall_surface.hpp"
#include "postprocess/results/area_statistics.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

// Triangles without fluid near them are left out. World axes, SI.
results::WallShear wallShear(const WallSurface& wall, const std::vector<StressAtWall>& stress,
                             const preprocess::geometry::Frame& frame);

// A value of each triangle at the vertices: the area-weighted mean of the triangles around,
// `missing` where none of them has a number.
std::vector<double> vertexMeans(const results::WallShear& wall, const std::vector<double>& values,
                                double missing);

// Weighted by area: p50 is exceeded on half of the wall. All zero for an empty wall.
results::ShearStatistics shearStatistics(const results::WallShear& shear);

// Statistics of wallQuantities() by label, of the labels that have a wall.
std::vector<results::LabelStatistics> statisticsByLabel(
    const results::WallShear& shear, const std::optional<results::CycleShear>& cycle,
    const std::vector<std::string>& names);

}  // namespace tessera::postprocess::quantity
