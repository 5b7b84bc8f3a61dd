// SPDX-License-Identifier: GPL-3.0-or-later
// Velocity set of a lattice as run-time values.
#pragma once

#include <array>
#include <vector>

namespace tessera::solver::model {

struct LatticeInfo {
  int dimensions;
  std::vector<std::array<int, 3>> velocities;
  std::vector<double> weights;
};

}  // namespace tessera::solver::model
