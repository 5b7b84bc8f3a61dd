// SPDX-License-Identifier: GPL-3.0-or-later
// Adding up GlobalSample, the same on every backend. speedMax holds the square until the end.
#pragma once

#include <cmath>

#include "solver/backend/backend.hpp"
#include "solver/collision/moments.hpp"

namespace tessera {

TESSERA_ANY void addSample(const GlobalSample& from, GlobalSample& to) {
  // Written so that a NaN is kept.
  if (!(from.speedMax <= to.speedMax)) to.speedMax = from.speedMax;
  if (!(from.densityMin >= to.densityMin)) to.densityMin = from.densityMin;
  if (!(from.densityMax <= to.densityMax)) to.densityMax = from.densityMax;
  to.kineticEnergy += from.kineticEnergy;
}

template <class Real>
TESSERA_ANY void addNode(const Macroscopic<Real>& n, GlobalSample& sample) {
  const double uu = double(n.u[0]) * double(n.u[0]) + double(n.u[1]) * double(n.u[1]) +
                    double(n.u[2]) * double(n.u[2]);
  const double rho = 1.0 + double(n.r);
  addSample({uu, rho, rho, 0.5 * rho * uu}, sample);
}

}  // namespace tessera
