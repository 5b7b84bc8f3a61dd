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

// Units of the lattice in SI: spacing, time step and density are 1 in lattice units.

struct Scales {
  double spacing = 1.0;   // m
  double timeStep = 1.0;  // s
  double density = 1.0;   // kg/m3

  [[nodiscard]] double velocity() const { return spacing / timeStep; }                 // m/s
  [[nodiscard]] double pressure() const { return density * velocity() * velocity(); }  // Pa
  [[nodiscard]] double flowRate() const { return spacing * spacing * velocity(); }     // m3/s
  [[nodiscard]] double acceleration() const { return velocity() / timeStep; }          // m/s2
  [[nodiscard]] double energy() const {                                                // J
    return pressure() * spacing * spacing * spacing;
  }
};

}  // namespace tessera::solver::model
