// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/finer_spacing.hpp"
#include "solver/case/driven_flow.hpp"
#include "solver/case/pre_run_checks.hpp"

namespace tessera::solver::cases {

namespace {

// Above, the Knudsen number is no longer small.
constexpr double tauLimit = 20.0;
// With an eddy viscosity the odd relaxation of a node is magic / (tau - 1/2) of the local tau, so a
// value that suits the molecular viscosity would hardly damp odd moments: the adult aorta of
// pipelines/cases/coarctation, tau = 0.5009, diverged with 1.5e-5 and with 0.01 and ran with this.
constexpr double magicLowestWithEddies = 1e-3;
// Mach 0.43: the equilibrium's error, O(Ma^2), is then a fifth.
constexpr double velocityHighest = 0.25;

constexpr double accurateTauHighest = 2.0;  // above, openings were not compared with exact flows
// Below, a velocity that is only estimated is no reason for still smaller steps: usualVelocity is
// grid Reynolds number 75 here.
constexpr double drivenTauLowest = 0.502;
constexpr double uncertaintyOfDriven = 2.0;  // factor within which drivenFlow() is known
// Largest change of the lattice's density by pressures, of which the flow's error is a part.
constexpr double drivenDensity = 0.1;

// Refuses the case at the key that sets its time step; likely slips of units come first.
[[noreturn]] void refuse(const SolverCase& run, const std::string& sentence) {
  const std::string asItStands = (run.place.empty() ? "" : run.place + ": ") + sentence;
  stage::fail(stage::ExitCode::Usage,
              run.unitQuestions.empty()
                  ? asItStands
                  : stage::joined(run.unitQuestions, "; ") + "; as it stands, " + asItStands);
}

double timeStepOf(double tau, const SolverCase& run, double spacing) {
  return (tau - 0.5) / 3.0 * spacing * spacing / run.kinematicViscosity;
}

// Longest that the program chooses, s; the largest of a local viscosity stays well below tauLimit.
double longestTimeStep(const SolverCase& run, double spacing) {
  const double longest = timeStepOf(accurateTauHighest, run, spacing);
  if (!run.law.local() || run.law.highest <= 0.0) return longest;
  return std::min(longest, (0.5 * tauLimit - 0.5) / 3.0 * spacing * spacing / run.law.highest);
}

struct ChosenStep {
  double timeStep = 0.0;  // s
  StepChoice choice = StepChoice::Given;
};

// velocity: largest expected, m/s; 0: driven is what there is.
ChosenStep chooseTimeStep(const SolverCase& run, double spacing, double velocity,
                          const DrivenFlow& driven) {
  if (run.timeStep) return {*run.timeStep};
  if (run.tau) return {timeStepOf(*run.tau, run, spacing)};
  const double fastest = velocity > 0.0 ? velocity : driven.velocity;
  if (fastest <= 0.0)
    refuse(run,
           "no opening, wall, initial field, pressure or body force drives a flow, by which the "
           "time step could be chosen; give tau or time_step in [solver] (tau = 0.8 is a good "
           "start)");
  if (run.latticeVelocity) return {*run.latticeVelocity * spacing / fastest};
  const double longest = longestTimeStep(run, spacing);
  double timeStep = usualVelocity * spacing / fastest;
  if (velocity <= 0.0) {
    if (driven.difference > 0.0)
      timeStep = std::min(
          timeStep, spacing * std::sqrt(drivenDensity * run.density / (3.0 * driven.difference)));
    timeStep = std::max(timeStep, timeStepOf(drivenTauLowest, run, spacing));
  }
  if (timeStep >= longest) return {longest, StepChoice::Viscosity};
  return {timeStep, velocity > 0.0 ? StepChoice::Velocity : StepChoice::Driven};
}

void checkTau(double tau, const SolverCase& run, double velocity, const LatticeSpacing& spacing) {
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
                    "); use a smaller lattice_velocity, time_step or tau, a coarser "
                    "spacing, or a smaller largest viscosity");
}

model::ViscosityLaw latticeLaw(const SolverCase& run, const model::Scales& scales) {
  model::ViscosityLaw law = run.law;
  if (law.model == model::FluidModel::Newtonian) law.lowest = law.highest = run.kinematicViscosity;
  return model::inLatticeUnits(law, scales.spacing, scales.timeStep);
}

void checkMach(double latticeVelocity, const SolverCase& run, double velocity,
               const LatticeSpacing& spacing) {
  if (latticeVelocity <= velocityHighest) return;
  refuse(run, "the largest expected velocity is " + stage::number(latticeVelocity, 4) +
                  " in lattice units, Mach " + stage::number(latticeVelocity * std::sqrt(3.0), 4) +
                  ", which cannot work (expected at most " + stage::number(velocityHighest, 4) +
                  "); " + adviceThatWorks(run, velocity, spacing));
}

// Multireflection puts walls where they are but for an error in proportion to the magic parameter,
// which 1/20 makes about as large as that of mixing in Bouzidi's walls, with the opposite sign, and
// the limit of stability below tau = 0.55 changes by less than 0.1 % at 20 nodes across.
constexpr double magicHalfway = 3.0 / 16.0;
constexpr double magicMultireflection = 1.0 / 20.0;

// Odd moments at low viscosity: relaxation times of 3/2, and of TRT a magic parameter of 0.008 at
// least, which a driven cavity on 64^2 nodes needs at tau = 0.504 to 0.515 (it diverged at 0.0046,
// ran at 0.005 and above); tubes and vessels with velocity inlets run with it wherever they did
// with smaller ones, and halfway walls move less (tests/bench/RESULTS.md).
constexpr double magicLowestOfTrt = 0.008;

// With a local viscosity odd moments follow the local relaxation time.
double lowestMagic(const SolverCase& run, double tau) {
  if (run.law.smagorinsky > 0.0) return magicLowestWithEddies;
  if (run.law.local()) return 0.0;
  return run.collision == model::CollisionId::Trt ? std::max(tau - 0.5, magicLowestOfTrt)
                                                  : tau - 0.5;
}

// Third moments of mrt on D3Q27 go to equilibrium where the magic parameter allows: walls do not
// feel it, and the correction of the advection is then best damped.
double defaultMagic(const SolverCase& run, double tau) {
  if (run.collision == model::CollisionId::Mrt && run.lattice == model::LatticeId::D3Q27)
    return std::min(magicMultireflection, 0.5 * (tau - 0.5));
  const double best =
      run.walls == boundary::WallScheme::Multireflection ? magicMultireflection : magicHalfway;
  const double sound = std::max(18.75 * (tau - 0.5) * (tau - 0.5), lowestMagic(run, tau));
  return std::min(best, sound);
}

bool givesVelocity(const SolverCase& run, std::size_t k) {
  return boundary::prescriptionOf(run.openings[k]).prescribed == boundary::Prescribed::Velocity;
}

// Prescribed flow through the openings of a connected part of the fluid.
struct PartFlow {
  double inflow = 0.0;    // m3/s, sum
  double freeArea = 0.0;  // m2, of openings without a prescribed velocity
  double outArea = 0.0;   // m2, of these and of those that let fluid out
};

// By the number of the part.
std::map<int, PartFlow> partFlows(const SolverCase& run, const tiler::TiledGeometry& geometry) {
  std::map<int, PartFlow> parts;
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    const boundary::Prescription condition = boundary::prescriptionOf(run.openings[k]);
    if (condition.prescribed == boundary::Prescribed::Nothing) continue;  // wall
    const double area = geometry.openings[k].area;
    PartFlow& part = parts[geometry.openings[k].part];
    const bool isFree = !givesVelocity(run, k);
    if (isFree) part.freeArea += area;
    if (isFree || condition.mean < 0.0) part.outArea += area;
    if (!isFree) part.inflow += condition.mean * area;
  }
  return parts;
}

// Flow rate into the fluid at each opening, m3/s: prescribed, or a share by area of what the
// others of the same connected part let in.
std::vector<double> expectedFlows(const SolverCase& run, const tiler::TiledGeometry& geometry) {
  const std::map<int, PartFlow> parts = partFlows(run, geometry);
  std::vector<double> flows(run.openings.size());
  for (std::size_t k = 0; k < flows.size(); ++k) {
    const boundary::Prescription condition = boundary::prescriptionOf(run.openings[k]);
    if (condition.prescribed == boundary::Prescribed::Nothing) continue;
    const preprocess::geometry::Opening& opening = geometry.openings[k];
    const PartFlow& part = parts.at(opening.part);
    flows[k] = givesVelocity(run, k) ? condition.mean * opening.area
                                     : -part.inflow * opening.area / part.freeArea;
  }
  return flows;
}

double tauOf(const SolverCase& run, const model::Scales& scales) {
  return 0.5 + 3.0 * run.kinematicViscosity * scales.timeStep / (scales.spacing * scales.spacing);
}

// Finds the path of sound of a pulsatile case, and shortens the time step where the case leaves it
// to the program: until the sound's error is acousticTarget, or as far as steps and tau allow.
void shortenForSound(const SolverCase& run, const tiler::TiledGeometry& geometry,
                     comm::Ranks& ranks, LatticeRun& out) {
  if (run.pulse.period <= 0.0) return;
  out.sound = worstSoundPath(run, geometry, out.soundSpeed(), ranks);
  if (!out.sound || run.tau || run.timeStep) return;
  const double error = acousticError(*out.sound, out.soundSpeed());
  if (error <= acousticHighest) return;
  constexpr double wholeSteps = 0.99;  // a period of whole steps shortens them once more
  const double factor =
      std::min({stepsForSound(*out.sound, out.soundSpeed()), acousticMostSteps,
                wholeSteps * (tauOf(run, out.scales) - 0.5) / (tauLowestForPulse(run) - 0.5)});
  // Behind a resonance, and closer to it, a shorter step may gain less than it costs.
  if (factor <= 1.0 || factor * acousticError(*out.sound, factor * out.soundSpeed()) >= error)
    return;
  out.scales.timeStep /= factor;
  out.soundSteps = factor;
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
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    const boundary::Prescription condition = boundary::prescriptionOf(run.openings[k]);
    if (!givesVelocity(run, k)) continue;
    peak = std::max(peak, condition.peakOverMean(geometry.dimensions) * std::abs(condition.mean));
  }
  for (const auto& [number, part] : partFlows(run, geometry))
    if (part.outArea > 0.0) peak = std::max(peak, 2.0 * std::abs(part.inflow) / part.outArea);
  peak = std::max(peak, throatVelocity(run, geometry));
  const double start = run.initialField ? run.initialField->fastest : 0.0;
  return std::max(
      peak,
      comm::largestOf(ranks, std::max(start, boundary::fastestWall(run.wallConditions, geometry))));
}

LatticeRun latticeRun(const SolverCase& run, const tiler::TiledGeometry& geometry,
                      comm::Ranks& ranks) {
  LatticeRun out;
  const double velocity = expectedVelocity(run, geometry, ranks);
  const double spacing = geometry.frame.spacing;
  const LatticeSpacing lattice{
      spacing, preprocess::geometry::axesToDivide(geometry.periodic, geometry.dimensions)};
  if (run.tau) checkTau(*run.tau, run, velocity, lattice);
  const DrivenFlow driven =
      velocity > 0.0 ? flowByPressures(run, geometry, ranks) : drivenFlow(run, geometry, ranks);
  // Besides a prescribed flow, pressures count where they surely drive a faster one.
  const bool drivesMost = driven.velocity > uncertaintyOfDriven * velocity;
  const ChosenStep chosen = chooseTimeStep(run, spacing, drivesMost ? 0.0 : velocity, driven);
  out.scales = {spacing, chosen.timeStep, run.density};
  out.choice = chosen.choice;
  shortenForSound(run, geometry, ranks, out);
  // Shortened to a whole number of steps per period.
  if (run.pulse.period > 0.0)
    out.scales.timeStep =
        run.pulse.period / std::ceil(run.pulse.period / out.scales.timeStep * (1.0 - 1e-9));
  out.tau = tauOf(run, out.scales);
  out.magic = run.magic.value_or(defaultMagic(run, out.tau));
  out.law = latticeLaw(run, out.scales);
  out.tauHighest = 0.5 + 3.0 * out.law.highest;
  out.velocityMax = velocity / out.scales.velocity();
  out.velocityDriven = drivesMost ? driven.velocity / out.scales.velocity() : 0.0;
  checkMach(out.velocityMax, run, velocity, lattice);
  checkTau(out.tau, run, velocity, lattice);
  checkHighestTau(out.tauHighest, run);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t c = 0; c < 3; ++c)
      out.force[a] +=
          geometry.frame.axis[a][c] * run.bodyForce[c] / (run.density * out.scales.acceleration());
  return out;
}

}  // namespace tessera::solver::cases
