// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/driven_flow.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "solver/boundary/prescription.hpp"
#include "solver/case/opening_paths.hpp"

namespace tessera::solver::cases {

namespace {

using boundary::Prescription;

constexpr int momentsOfPeriod = 64;

bool givesPressure(const SolverCase& run, std::size_t k) {
  return boundary::prescriptionOf(run.openings[k]).prescribed == boundary::Prescribed::Pressure;
}

// Largest difference of the pressures at two openings, Pa.
double pressureDifference(const SolverCase& run, std::size_t from, std::size_t to) {
  const Prescription a = boundary::prescriptionOf(run.openings[from]);
  const Prescription b = boundary::prescriptionOf(run.openings[to]);
  double largest = 0.0;
  const int moments = run.pulse.period > 0.0 ? momentsOfPeriod : 1;
  for (int m = 0; m < moments; ++m) {
    const double t = run.pulse.period * m / moments;
    largest = std::max(largest, std::abs(a.pressureAt(t) - b.pressureAt(t)));
  }
  return largest;
}

// Peak of Poiseuille's flow in a tube of this area, or between planes in 2D, per pressure gradient
// over the dynamic viscosity, m2.
double peakPerGradient(int dimensions, double area, double spacing) {
  if (dimensions == 3) return area / (4.0 * std::numbers::pi);
  const double width = area / spacing;
  return width * width / 8.0;
}

}  // namespace

DrivenFlow flowByPressures(const SolverCase& run, const tiler::TiledGeometry& geometry,
                           comm::Ranks& ranks) {
  const double viscosity = run.density * run.kinematicViscosity;
  const double volume =
      static_cast<double>(geometry.fluidNodes) * std::pow(geometry.frame.spacing, 3.0);
  std::optional<OpeningPaths> paths;
  DrivenFlow largest;
  for (std::size_t from = 0; from < run.openings.size(); ++from) {
    if (!givesPressure(run, from)) continue;
    std::vector<double> lengths;
    for (std::size_t to = from + 1; to < run.openings.size(); ++to) {
      if (!givesPressure(run, to)) continue;
      const auto& a = geometry.openings[from];
      const auto& b = geometry.openings[to];
      const double difference = pressureDifference(run, from, to);
      if (a.part != b.part || difference <= 0.0) continue;
      if (!paths) paths.emplace(geometry, ranks);
      if (lengths.empty()) lengths = paths->lengthsFrom(from);
      if (lengths[to] <= 0.0) continue;
      const double area = std::min({a.area, b.area, volume / lengths[to]});
      const double viscous = peakPerGradient(geometry.dimensions, area, geometry.frame.spacing) *
                             difference / (lengths[to] * viscosity);
      largest.velocity =
          std::max(largest.velocity, std::min(viscous, std::sqrt(2.0 * difference / run.density)));
      largest.difference = std::max(largest.difference, difference);
    }
  }
  return largest;
}

DrivenFlow flowByForce(const SolverCase& run, const tiler::TiledGeometry& geometry,
                       comm::Ranks& ranks) {
  const auto& f = run.bodyForce;
  const double acceleration = std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) / run.density;
  const auto wallNodes = static_cast<double>(stage::sumOf(ranks, geometry.boundaryLocal.size()));
  if (acceleration <= 0.0 || wallNodes <= 0.0) return {};
  const double spacing = geometry.frame.spacing;
  const double longest =
      spacing * std::max({geometry.nodes[0], geometry.nodes[1], geometry.nodes[2]});
  const double diameter =
      std::min(4.0 * spacing * static_cast<double>(geometry.fluidNodes) / wallNodes, longest);
  return {std::min(acceleration * diameter * diameter / (16.0 * run.kinematicViscosity),
                   std::sqrt(2.0 * acceleration * longest)),
          0.0};
}

DrivenFlow drivenFlow(const SolverCase& run, const tiler::TiledGeometry& geometry,
                      comm::Ranks& ranks) {
  const DrivenFlow byPressures = flowByPressures(run, geometry, ranks);
  const DrivenFlow byForce = flowByForce(run, geometry, ranks);
  return byForce.velocity > byPressures.velocity
             ? DrivenFlow{byForce.velocity, byPressures.difference}
             : byPressures;
}

}  // namespace tessera::solver::cases
