// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/driven_flow.hpp"

#include <algorithm>
#include <cmath>

#include "solver/boundary/prescription.hpp"
#include "solver/case/flow_network.hpp"

namespace tessera::solver::cases {

namespace {

using boundary::Prescription;

constexpr int samplesOfPeriod = 64;

bool givesPressure(const SolverCase& run, std::size_t k) {
  return boundary::prescriptionOf(run.openings[k]).prescribed == boundary::Prescribed::Pressure;
}

// Largest difference of the pressures at two openings, Pa.
double pressureDifference(const SolverCase& run, std::size_t from, std::size_t to) {
  const Prescription a = boundary::prescriptionOf(run.openings[from]);
  const Prescription b = boundary::prescriptionOf(run.openings[to]);
  double largest = 0.0;
  const int moments = run.pulse.period > 0.0 ? samplesOfPeriod : 1;
  for (int m = 0; m < moments; ++m) {
    const double t = run.pulse.period * m / moments;
    largest = std::max(largest, std::abs(a.pressureAt(t) - b.pressureAt(t)));
  }
  return largest;
}

// Difference of two openings of one connected part, Pa.
double largestDifference(const SolverCase& run, const tiler::TiledGeometry& geometry) {
  double largest = 0.0;
  for (std::size_t from = 0; from < run.openings.size(); ++from)
    for (std::size_t to = from + 1; to < run.openings.size(); ++to)
      if (givesPressure(run, from) && givesPressure(run, to) &&
          geometry.openings[from].part == geometry.openings[to].part)
        largest = std::max(largest, pressureDifference(run, from, to));
  return largest;
}

}  // namespace

DrivenFlow flowByPressures(const SolverCase& run, const tiler::TiledGeometry& geometry,
                           comm::Ranks& ranks) {
  const double difference = largestDifference(run, geometry);
  if (difference <= 0.0) return {};
  const NetworkFlow flow = networkFlow(run, geometry, cellsOfTimeStep, ranks);
  if (!flow.known) return {};
  return {std::min(flow.velocity, std::sqrt(2.0 * difference / run.density)), difference};
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
