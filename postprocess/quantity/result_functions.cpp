// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/result_functions.hpp"

#include <cmath>

namespace tessera::postprocess::quantity {
namespace {

double nodeVolume(const tiler::TiledGeometry& geometry) {
  return std::pow(geometry.frame.spacing, 3);
}

}  // namespace

// 1/2 rho u^2 over the nodes' volume.
std::optional<double> kineticEnergy(const ResultInputs& of) {
  return 0.5 * of.fields.density * of.sums.speedSquared * nodeVolume(of.lookup.geometry);
}

// sigma:sigma / (2 mu) over the nodes' volume, which for a fluid of constant viscosity is
// sigma : grad u. In steady flow it is the power supplied by the openings' pressures and the body
// force.
std::optional<double> viscousDissipation(const ResultInputs& of) {
  const solver::file::Fields& fields = of.fields;
  if (!fields.constantViscosity()) return std::nullopt;
  return of.sums.stressSquared / (2.0 * fields.density * fields.kinematicViscosity) *
         nodeVolume(of.lookup.geometry);
}

void addComputedResults(results::Results& results, const fields::NodeLookup& lookup,
                        const solver::file::Fields& fields, const fields::NodeSums& sums) {
  const ResultInputs inputs{lookup, fields, sums, results};
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) results.computed[name] = *value;
  };
#define RESULT_GROUP(...)
#define RESULT(...)
#define RESULT_FUNCTION(group, name, unit, moment, function, ...) add(name, function(inputs));
#define WALL_STATISTICS(...)
#define WALL_QUANTITY(...)
#include "postprocess/results/descriptors.def"
}

}  // namespace tessera::postprocess::quantity
