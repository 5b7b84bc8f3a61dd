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

}  // namespace tessera::solver::model
