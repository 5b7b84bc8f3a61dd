// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/reference_viscosity.hpp"

namespace tessera::testing {

using namespace tessera::solver::model;

double relaxationTimeOf(const ViscosityLaw& law, double product) {
  const auto tau = [&](double shearRate) {
    return 0.5 +
           3.0 * (viscosityAt(law, shearRate) + law.smagorinsky * law.smagorinsky * shearRate);
  };
  double low = 0.0;
  double high = 2.0 * product;  // tau is more than 1/2
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (middle * tau(middle) < product ? low : high) = middle;
  }
  return tau(0.5 * (low + high));
}

}  // namespace tessera::testing
