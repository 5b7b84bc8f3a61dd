// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of forces and momentum of a simulation.
#pragma once

#include <cmath>

#include "solver/run/simulation.hpp"

namespace tessera::testing {

// Momentum of the stored populations, N.s.
inline Double3 momentumOf(solver::run::Simulation& simulation,
                          const tiler::file::TilesFile& tiles) {
  const solver::run::Setup& setup = simulation.setup();
  const auto& velocities = setup.variant->lattice.velocities;
  const std::vector<double> f = simulation.populations();
  Double3 sum{};
  for (std::size_t k = 0; k < f.size(); ++k) {
    const std::size_t i = k / 64 % velocities.size();
    if (tiles.geometry.nodeType[k / 64 / velocities.size() * 64 + k % 64] == 0) continue;
    for (std::size_t a = 0; a < 3; ++a) sum[a] += velocities[i][a] * f[k];
  }
  const solver::model::Scales& scales = setup.lattice.scales;
  return scales.density * std::pow(scales.spacing, 3) * scales.velocity() * sum;
}

// Body force on all nodes, N.
inline Double3 drivenBy(const solver::cases::SolverCase& run, const tiler::file::TilesFile& tiles) {
  return std::pow(tiles.geometry.frame.spacing, 3) *
         static_cast<double>(tiles.geometry.fluidNodes) * run.bodyForce;
}

inline Double3 sumOf(const std::vector<solver::boundary::ForceOnWall>& forces) {
  Double3 sum{};
  for (const auto& each : forces) sum = sum + each.force;
  return sum;
}

inline double largestOf(const std::vector<solver::boundary::ForceOnWall>& forces) {
  double largest = 0.0;
  for (const auto& each : forces) largest = std::max(largest, length(each.force));
  return largest;
}

}  // namespace tessera::testing
