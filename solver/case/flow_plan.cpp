// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/flow_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::solver::cases {

namespace {

using boundary::Prescribed;
using boundary::Prescription;
using stage::Dimension;
using stage::formatQuantity;
using tiler::TiledGeometry;

// "velocity 0.1 m/s", "pressure 0 Pa", "windkessel"; of a waveform its largest value.
std::string conditionText(const boundary::Condition& condition, double area) {
  const Prescription given = boundary::prescriptionOf(condition);
  const std::string kind = boundary::nameOf(condition);
  const std::string peak = given.series ? " to " : " ";
  if (kind == "flow-rate")
    return kind + peak + formatQuantity(std::abs(given.mean) * area, Dimension::FlowRate);
  if (given.prescribed == Prescribed::Velocity && kind == "velocity")
    return kind + peak + formatQuantity(std::abs(given.mean), Dimension::Velocity);
  if (given.prescribed == Prescribed::Pressure && kind == "pressure")
    return kind + peak + formatQuantity(given.pressure, Dimension::Pressure);
  return kind;
}

// Diameter of the circle of that area, in 2D the width, m.
double acrossOf(double area, const TiledGeometry& geometry) {
  return geometry.dimensions == 2 ? area / geometry.frame.spacing
                                  : 2.0 * std::sqrt(area / std::numbers::pi);
}

// passages: sections in parallel that share the flow.
void addNumbers(const SolverCase& run, const LatticeRun& lattice, const TiledGeometry& geometry,
                double peakOverMean, int passages, ExpectedFlow& flow) {
  const double across = acrossOf(flow.area / passages, geometry);
  flow.nodesAcross = across / geometry.frame.spacing;
  flow.mean = std::abs(flow.outflow) / flow.area;
  flow.peak = peakOverMean * flow.mean;
  flow.reynolds = flow.mean * across / run.kinematicViscosity;
  if (run.pulse.period > 0.0)
    flow.womersley =
        across * std::sqrt(0.5 * std::numbers::pi / (run.pulse.period * run.kinematicViscosity));
  flow.mach = flow.peak / lattice.soundSpeed();
}

}  // namespace

FlowPlan flowPlan(const SolverCase& run, const LatticeRun& lattice, const TiledGeometry& geometry,
                  const NetworkFlow& network) {
  FlowPlan plan;
  std::vector<double> outflow(run.openings.size(), 0.0);
  std::vector<bool> known(run.openings.size(), false);
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    const Prescription given = boundary::prescriptionOf(run.openings[k]);
    if (given.prescribed == Prescribed::Nothing) continue;
    const preprocess::geometry::Opening& opening = geometry.openings[k];
    const bool prescribed = given.prescribed == Prescribed::Velocity;
    known[k] = prescribed || network.known;
    outflow[k] = prescribed ? -given.mean * opening.area : network.known ? network.outflow[k] : 0.0;
    plan.estimated |= !prescribed && network.known;
    ExpectedFlow flow{{opening.id}, opening.name, conditionText(run.openings[k], opening.area)};
    flow.area = opening.area;
    flow.outflow = outflow[k];
    flow.known = known[k];
    addNumbers(run, lattice, geometry,
               prescribed ? given.peakOverMean(geometry.dimensions)
                          : boundary::parabolicPeak(geometry.dimensions),
               1, flow);
    plan.openings.push_back(std::move(flow));
  }
  for (const preprocess::geometry::Throat& throat : geometry.throats) {
    ExpectedFlow flow{throat.openings, {}, {}};
    flow.area = throat.area;
    flow.known = true;
    for (const int id : throat.openings) {
      flow.outflow += outflow[static_cast<std::size_t>(id) - 1];
      flow.known = flow.known && known[static_cast<std::size_t>(id) - 1];
    }
    addNumbers(run, lattice, geometry, boundary::parabolicPeak(geometry.dimensions),
               throat.passages, flow);
    plan.throats.push_back(std::move(flow));
  }
  return plan;
}

}  // namespace tessera::solver::cases
