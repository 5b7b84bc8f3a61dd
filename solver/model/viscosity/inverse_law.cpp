// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/model/viscosity/inverse_law.hpp"

namespace tessera::solver::model {

double viscosityAtStress(const ViscosityLaw& law, double stress) {
  const double share = law.smagorinsky * law.smagorinsky;
  const auto viscosity = [&](double shearRate) {
    return viscosityAt(law, shearRate) + share * shearRate;
  };
  // The stress rises with the shear rate: by halving.
  double low = 0.0;
  double high = stress / law.lowest;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (viscosity(middle) * middle < stress ? low : high) = middle;
  }
  return viscosity(0.5 * (low + high));
}

}  // namespace tessera::solver::model
