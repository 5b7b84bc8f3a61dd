// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/case/pre_run_checks.hpp"

namespace tessera::solver::cases {

namespace {

// Limits of tau: below, TRT and LBGK diverge on any flow; above, the Knudsen number is no longer
// small.
constexpr double tauLowest = 0.5005;
constexpr double tauLimit = 20.0;
// With an eddy viscosity the odd relaxation of a node is magic / (tau - 1/2) of the local tau, so a
// value that suits the molecular viscosity would hardly damp odd moments: the adult aorta of
// pipelines/cases/coarctation, tau = 0.5009, diverged with 1.5e-5 and with 0.01 and ran with this.
constexpr double magicLowestWithEddies = 1e-3;
// Mach 0.43: the equilibrium's error, O(Ma^2), is then a fifth.
constexpr double velocityHighest = 0.25;

// Refuses the case at the key that sets its time step.
[[noreturn]] void refuse(const SolverCase& run, const std::string& sentence) {
  stage::fail(stage::ExitCode::Usage, (run.place.empty() ? "" : run.place + ": ") + sentence);
}

double chooseTimeStep(const SolverCase& run, double spacing, double velocity) {
  if (run.timeStep) return *run.timeStep;
  if (run.tau) return (*run.tau - 0.5) / 3.0 * spacing * spacing / run.kinematicViscosity;
  if (velocity <= 0.0)
    refuse(run,
           "no opening and no wall prescribes a velocity, so velocity_scale cannot choose the time "
           "step; give tau or time_step in [solver] (tau = 0.8 is a good start)");
  return run.velocityScale.value_or(usualVelocity) * spacing / velocity;
}

void checkTau(double tau, const SolverCase& run, double velocity, double spacing) {
  if (tau >= tauLowest && tau <= tauLimit) return;
  refuse(run, "relaxation time tau = " + stage::number(tau, 4) + " cannot work (expected " +
                  stage::number(tauLowest, 4) + " to " + stage::number(tauLimit, 4) + "); " +
                  adviceThatWorks(run, velocity, spacing));
}

// Checks tau at the largest viscosity.
void checkHighestTau(double tau, const SolverCase& run) {
  if (tau > tauLimit)
    refuse(run, "relaxation time tau = " + stage::number(tau, 4) +
                    " at the fluid's largest viscosity cannot work (expected at most " +
                    stage::number(tauLimit, 4) +
                    "); use a smaller velocity_scale, time_step or tau, a coarser "
                    "spacing, or a smaller largest viscosity");
}

model::ViscosityLaw latticeLaw(const SolverCase& run, const model::Scales& scales) {
  model::ViscosityLaw law = run.law;
  if (law.model == model::FluidModel::Newtonian) law.lowest = law.highest = run.kinematicViscosity;
  return model::inLatticeUnits(law, scales.spacing, scales.timeStep);
}

void checkMach(double latticeVelocity, const SolverCase& run, double velocity, double spacing) {
  if (latticeVelocity <= velocityHighest) return;
  refuse(run, "the largest expected velocity is " + stage::number(latticeVelocity, 4) +
                  " in lattice units, Mach " + stage::number(latticeVelocity * std::sqrt(3.0), 4) +
                  ", which cannot work (expected at most " + stage::number(velocityHighest, 4) +
                  "); " + adviceThatWorks(run, velocity, spacing));
}

double defaultMagic(const SolverCase& run, double tau) {
  const double sound = std::min(3.0 / 16.0, 18.75 * (tau - 0.5) * (tau - 0.5));
  return run.law.smagorinsky > 0.0 ? std::max(sound, magicLowestWithEddies) : sound;
}

// Flow rate into the fluid at each opening, m3/s: prescribed, or a share by area of what the
// others let in.
std::vector<double> expectedFlows(const SolverCase& run, const tiler::TiledGeometry& geometry) {
  std::vector<double> flows(run.openings.size());
  double inflow = 0.0;
  double freeArea = 0.0;
  const auto isPrescribed = [&](std::size_t k) {  // also nothing, at an opening that is wall
    const boundary::Prescribed what = boundary::prescriptionOf(run.openings[k]).prescribed;
    return what == boundary::Prescribed::Velocity || what == boundary::Prescribed::Nothing;
  };
  for (std::size_t k = 0; k < flows.size(); ++k) {
    const double area = geometry.openings[k].area;
    if (isPrescribed(k)) flows[k] = boundary::prescriptionOf(run.openings[k]).mean * area;
    inflow += flows[k];
    if (!isPrescribed(k)) freeArea += area;
  }
  for (std::size_t k = 0; k < flows.size(); ++k)
    if (!isPrescribed(k)) flows[k] = -inflow * geometry.openings[k].area / freeArea;
  return flows;
}

}  // namespace

double throatVelocity(const SolverCase& run, const tiler::TiledGeometry& geometry) {
  const std::vector<double> flows = expectedFlows(run, geometry);
  double largest = 0.0;
  for (const preprocess::geometry::Throat& throat : geometry.throats) {
    double flow = 0.0;
    for (const int id : throat.openings) flow += flows[static_cast<std::size_t>(id) - 1];
    largest = std::max(largest, std::abs(flow) / throat.area);
  }
  return boundary::parabolicPeak(geometry.dimensions) * largest;
}

double expectedVelocity(const SolverCase& run, const tiler::TiledGeometry& geometry,
                        comm::Ranks& ranks) {
  double peak = 0.0;
  double inflow = 0.0;
  double outArea = 0.0;
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    const boundary::Prescription condition = boundary::prescriptionOf(run.openings[k]);
    if (condition.prescribed == boundary::Prescribed::Nothing) continue;
    const double area = geometry.openings[k].area;
    const bool givesVelocity = condition.prescribed == boundary::Prescribed::Velocity;
    if (!givesVelocity || condition.mean < 0.0) {
      outArea += area;
      if (!givesVelocity) continue;
    }
    const double factor = condition.profile == boundary::Profile::Plug
                              ? 1.0
                              : boundary::parabolicPeak(geometry.dimensions);
    peak = std::max(peak, factor * std::abs(condition.mean));
    inflow += condition.mean * area;
  }
  if (outArea > 0.0) peak = std::max(peak, 2.0 * std::abs(inflow) / outArea);
  peak = std::max(peak, throatVelocity(run, geometry));
  return std::max(peak,
                  comm::largestOf(ranks, boundary::fastestWall(run.wallConditions, geometry)));
}

LatticeRun latticeRun(const SolverCase& run, const tiler::TiledGeometry& geometry,
                      comm::Ranks& ranks) {
  LatticeRun out;
  const double velocity = expectedVelocity(run, geometry, ranks);
  const double spacing = geometry.frame.spacing;
  if (run.tau) checkTau(*run.tau, run, velocity, spacing);
  out.scales = {spacing, chooseTimeStep(run, spacing, velocity), run.density};
  // Shortened to a whole number of steps per period.
  if (run.pulse.period > 0.0)
    out.scales.timeStep =
        run.pulse.period / std::ceil(run.pulse.period / out.scales.timeStep * (1.0 - 1e-9));
  out.tau = 0.5 + 3.0 * run.kinematicViscosity * out.scales.timeStep / (spacing * spacing);
  out.magic = run.magic.value_or(defaultMagic(run, out.tau));
  out.law = latticeLaw(run, out.scales);
  out.tauHighest = 0.5 + 3.0 * out.law.highest;
  out.velocityMax = velocity / out.scales.velocity();
  checkMach(out.velocityMax, run, velocity, spacing);
  checkTau(out.tau, run, velocity, spacing);
  checkHighestTau(out.tauHighest, run);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t c = 0; c < 3; ++c)
      out.force[a] +=
          geometry.frame.axis[a][c] * run.bodyForce[c] / (run.density * out.scales.acceleration());
  return out;
}

}  // namespace tessera::solver::cases
