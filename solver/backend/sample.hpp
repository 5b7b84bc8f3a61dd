// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions over all nodes, the same on every backend and for any number of ranks.
#pragma once

#include <cmath>

#include "solver/backend/backend.hpp"
#include "solver/model/collision/macroscopic.hpp"

namespace tessera::solver::backend {

// Maximum that keeps a NaN on either side.
TESSERA_HOST_DEVICE double largerOf(double a, double b) {
  return a >= b || a != a ? a : b;
}

TESSERA_HOST_DEVICE void addSample(const PartialSample& from, PartialSample& to) {
  to.speedSquared = largerOf(from.speedSquared, to.speedSquared);
  to.densityMin = -largerOf(-from.densityMin, -to.densityMin);
  to.densityMax = largerOf(from.densityMax, to.densityMax);
  for (int k = 0; k < 3; ++k) to.energy[k] += from.energy[k];
}

// Adds the energy of at most a tile, rounded down. Values out of range occur only after divergence.
TESSERA_HOST_DEVICE void addEnergy(double energy, PartialSample& to) {
  double rest = (energy > 0.0 ? (energy < 1024.0 ? energy : 1024.0) : 0.0) * 0x1p20;
  for (int k = 0; k < 3; ++k) {
    const double whole = std::floor(rest);
    to.energy[k] += static_cast<std::int64_t>(whole);
    rest = (rest - whole) * 0x1p30;
  }
}

// Adds all but the energy, which is returned.
template <class Real>
TESSERA_HOST_DEVICE double addNode(const model::Macroscopic<Real>& n, PartialSample& sample) {
  const double uu = double(n.u[0]) * double(n.u[0]) + double(n.u[1]) * double(n.u[1]) +
                    double(n.u[2]) * double(n.u[2]);
  const double rho = 1.0 + double(n.r);
  addSample({uu, rho, rho, {0, 0, 0}}, sample);
  return 0.5 * rho * uu;
}

// Reduction over all tiles.
inline GlobalSample reduced(const PartialSample& all) {
  return {std::sqrt(all.speedSquared), all.densityMin, all.densityMax,
          double(all.energy[0]) * 0x1p-20 + double(all.energy[1]) * 0x1p-50 +
              double(all.energy[2]) * 0x1p-80};
}

}  // namespace tessera::solver::backend
