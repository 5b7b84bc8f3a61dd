// SPDX-License-Identifier: GPL-3.0-or-later
// Density and velocity of a node's populations, and products with lattice velocities, for the
// reference.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "solver/model/variant_types.hpp"

namespace tessera::testing {

using namespace tessera::solver::model;

struct Moments {
  double rho = 0.0;
  double u[3]{};
};

// sign +1: before the collision, half the force is still to come; -1: after it, half too much.
inline Moments momentsOf(const std::vector<double>& f, const LatticeInfo& lattice,
                         bool incompressible, const std::array<double, 3>& force, double sign) {
  Moments m;
  double j[3]{};
  for (std::size_t i = 0; i < f.size(); ++i) {
    m.rho += f[i];
    for (std::size_t a = 0; a < 3; ++a) j[a] += lattice.velocities[i][a] * f[i];
  }
  for (std::size_t a = 0; a < 3; ++a)
    m.u[a] = (j[a] + sign * 0.5 * force[a]) / (incompressible ? 1.0 : m.rho);
  return m;
}

inline double dot(const std::array<int, 3>& c, const double (&u)[3]) {
  return c[0] * u[0] + c[1] * u[1] + c[2] * u[2];
}

}  // namespace tessera::testing
