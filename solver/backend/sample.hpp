// SPDX-License-Identifier: GPL-3.0-or-later
// Adding up GlobalSample, the same on every backend. speedMax holds the square until the end.
#pragma once

#include <cmath>

#include "solver/backend/backend.hpp"
#include "solver/collision/moments.hpp"

namespace tessera {

// The larger of two; a NaN on either side stays.
TESSERA_ANY double largerOf(double a, double b) {
  return a >= b || a != a ? a : b;
}

TESSERA_ANY void addSample(const GlobalSample& from, GlobalSample& to) {
  to.speedMax = largerOf(from.speedMax, to.speedMax);
  to.densityMin = -largerOf(-from.densityMin, -to.densityMin);
  to.densityMax = largerOf(from.densityMax, to.densityMax);
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
