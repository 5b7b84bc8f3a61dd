// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/model/viscosity/law.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::solver::model {

const char* nameOf(FluidModel model) {
  switch (model) {
    case FluidModel::Newtonian:
      return "newtonian";
    case FluidModel::CarreauYasuda:
      return "carreau-yasuda";
    case FluidModel::Casson:
      return "casson";
    case FluidModel::PowerLaw:
      return "power-law";
  }
  return "";
}

double viscosityAt(const ViscosityLaw& law, double shearRate) {
  switch (law.model) {
    case FluidModel::Newtonian:
      return law.lowest;
    case FluidModel::CarreauYasuda:
      return law.lowest + (law.highest - law.lowest) *
                              std::pow(1.0 + std::pow(law.timeConstant * shearRate, law.a),
                                       (law.n - 1.0) / law.a);
    case FluidModel::Casson: {
      const double root = std::sqrt(law.yield / shearRate) + std::sqrt(law.lowest);
      return std::min(root * root, law.highest);
    }
    case FluidModel::PowerLaw:
      return std::clamp(law.consistency * std::pow(shearRate, law.n - 1.0), law.lowest,
                        law.highest);
  }
  return law.lowest;
}

ViscosityLaw inLatticeUnits(ViscosityLaw law, double spacing, double timeStep) {
  const double viscosity = timeStep / (spacing * spacing);
  law.lowest *= viscosity;
  law.highest *= viscosity;
  law.timeConstant /= timeStep;
  law.yield *= viscosity * timeStep;
  law.consistency *= viscosity * std::pow(timeStep, 1.0 - law.n);
  return law;
}

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
