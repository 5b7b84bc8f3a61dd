// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/pre_run_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/finer_spacing.hpp"
#include "preprocess/geometry/resolving_spacing.hpp"

namespace tessera::solver::cases {

using preprocess::geometry::diameterOf;
using preprocess::geometry::fewestNodesAcross;
using preprocess::geometry::finerSpacing;
using preprocess::geometry::spacingOption;
using preprocess::geometry::thinnestStokesLayer;

namespace {

// With usualVelocity the grid Reynolds number, 3 u / (tau - 1/2), is then at most 15, where TRT ran
// in two vessels; at 29 it diverged in one of them, with velocities of 0.05 and of 0.1.
constexpr double stableTauLowest = 0.51;
// The same of mrt on D3Q27 and of cumulants: a grid Reynolds number of 25; in slanted tubes mrt ran
// at 30 (tests/bench/RESULTS.md).
constexpr double stableTauCorrected = 0.5065;
// With Smagorinsky's eddy viscosity: 214; the newborn's aorta of pipelines/cases/coarctation runs
// at 267.
constexpr double stableTauEddies = 0.5007;
constexpr double stableTauHighest = 2.0;
// Mach 0.2: compressibility errors, Ma^2, reach 4 %.
constexpr double machHighest = 0.2;
// Velocities of 0.25, above which a prescribed flow is refused.
constexpr double machOfDivergence = 0.43;
constexpr double tauNearHalf = 0.506;

// Relaxation times to four digits: their distance from 1/2 counts.
std::string tauText(double tau) {
  return fmt::format("{:.4f}", tau);
}

std::string titleOf(const preprocess::geometry::Opening& opening) {
  return fmt::format("{} ({})", opening.id, opening.name);
}

RunNumbers::Sound soundOf(const LatticeRun& lattice, const tiler::TiledGeometry& geometry) {
  RunNumbers::Sound out;
  if (!lattice.sound) return out;
  const auto opening = [&](int id) {
    return titleOf(geometry.openings[static_cast<std::size_t>(id) - 1]);
  };
  out.from = opening(lattice.sound->from);
  out.to = opening(lattice.sound->to);
  out.length = lattice.sound->length;
  out.error = acousticError(*lattice.sound, lattice.soundSpeed());
  out.factor = stepsForSound(*lattice.sound, lattice.soundSpeed());
  out.taken = lattice.soundSteps;
  return out;
}

// Settings with `factor` times the steps, with another collision if it must be, or where these are
// too close to the inviscid limit, a spacing as much finer at the same relaxation time.
std::string adviceOnSound(const RunNumbers& numbers, const SolverCase& run) {
  const double factor = numbers.sound.factor;
  const double tau = 0.5 + (numbers.tau - 0.5) / factor;
  const std::string makes = fmt::format(" makes it {:.1f} %", 100.0 * acousticTarget);
  SolverCase other = run;
  if (tau < tauLowestForPulse(run)) other.collision = model::CollisionId::Regularised;
  if (tau < tauLowestForPulse(other))
    return fmt::format(
        "a finer spacing, tessera-preprocess {}, with tau = {:.4f}{}, at {:.2g} times the cost",
        spacingOption(finerSpacing(numbers.spacing, numbers.spacing / factor, numbers.periodic)),
        numbers.tau, makes, std::pow(factor, 5.0));
  const std::string collision =
      other.collision != run.collision ? "collision = \"regularised\" and " : "";
  const std::string key =
      run.timeStep ? "time_step = \"" + stage::number(numbers.timeStep / factor, 4) + " s\""
      : run.tau || numbers.velocity <= 0.0
          ? fmt::format("tau = {:.5f}", tau)
          : "lattice_velocity = " + stage::number(numbers.mach / std::sqrt(3.0) / factor, 3);
  return fmt::format("{}{}, {:.2g} times the steps,{}", collision, key, factor, makes);
}

preprocess::geometry::LengthsToResolve lengthsOf(const RunNumbers& numbers) {
  return {numbers.nodesAcross * numbers.spacing, numbers.throatAcross * numbers.spacing, 0.0,
          numbers.stokesLayer * numbers.spacing};
}

// Spacing that all warnings propose, or the present one.
double resolvingSpacing(const RunNumbers& numbers) {
  return preprocess::geometry::resolvingSpacing(lengthsOf(numbers), numbers.spacing,
                                                numbers.periodic);
}

// As an option, and the nodes of a length that has so many now.
std::string resolvingOption(const RunNumbers& numbers) {
  return "tessera-preprocess " + spacingOption(resolvingSpacing(numbers));
}
double resolvedNodes(const RunNumbers& numbers, double nodes) {
  return nodes * numbers.spacing / resolvingSpacing(numbers);
}
std::string resolvedText(const RunNumbers& numbers, double nodes) {
  constexpr double rounding = 1e-9;
  return preprocess::geometry::nodesText(
      static_cast<int>(resolvedNodes(numbers, nodes) * (1.0 + rounding)), numbers.periodic);
}

void warnOfPulse(const RunNumbers& numbers, const SolverCase& run,
                 std::vector<std::string>& warnings) {
  const RunNumbers::Sound& sound = numbers.sound;
  if (sound.error > acousticHighest)
    warnings.push_back(fmt::format(
        "sound, to which the lattice's fluid yields, changes the amplitude of the flow between "
        "openings {} and {}, {} apart, by an expected {:.3g} %; {}",
        sound.from, sound.to, stage::formatQuantity(sound.length, stage::Dimension::Length),
        100.0 * sound.error, adviceOnSound(numbers, run)));
  if (numbers.stokesLayer > 0.0 && numbers.stokesLayer < 0.98 * thinnestStokesLayer)
    warnings.push_back(fmt::format(
        "the Stokes layer, (2 nu / omega)^(1/2) = {}, is {:.2g} nodes thick, and the wall shear "
        "stress that swings with the flow is off by more than 5 %; {} gives it {:.2g} nodes",
        stage::formatQuantity(numbers.stokesLayer * numbers.spacing, stage::Dimension::Length),
        numbers.stokesLayer, resolvingOption(numbers),
        resolvedNodes(numbers, numbers.stokesLayer)));
}

// Cumulants with an eddy viscosity: stable in an adult aorta at a grid Reynolds number of 330 with
// backflow at outlets, where TRT, regularised collisions and cumulants alone diverged
// (pipelines/cases/coarctation).
bool hasEddyCumulants(const SolverCase& run) {
  return run.collision == model::CollisionId::Cumulant && run.law.smagorinsky > 0.0;
}

// Settings of a case that cumulants do not support, as keys that replace them.
std::string keysForCumulants(const SolverCase& run) {
  std::string keys;
  if (run.equilibrium == model::EquilibriumId::Incompressible)
    keys += ", equilibrium = \"quasi-compressible\"";
  if (run.precision != model::PrecisionId::F32 && run.precision != model::PrecisionId::F64)
    keys += ", precision = \"f32\"";
  if (run.state == model::StateId::Moments && !run.automaticState)
    keys += ", state = \"populations\"";
  return keys;
}

// Lowest with usualVelocity; mrt on D3Q27 is what collision = "auto" takes between
// multireflection walls.
double lowestStableTau(const SolverCase& run) {
  if (run.law.smagorinsky > 0.0) return stableTauEddies;
  const bool d3q27 = run.lattice == model::LatticeId::D3Q27;
  const bool chosen = run.automaticCollision && run.lattice != model::LatticeId::D2Q9 &&
                      (run.automaticLattice || d3q27) &&
                      run.walls == boundary::WallScheme::Multireflection &&
                      run.state == model::StateId::Populations;
  const bool given = d3q27 && (run.collision == model::CollisionId::Mrt ||
                               run.collision == model::CollisionId::Cumulant);
  return chosen || given ? stableTauCorrected : stableTauLowest;
}

// How the run then goes on by itself (run/recovery.hpp), or the user may.
std::string ifItDiverges(const SolverCase& run) {
  const std::string eddies = eddyAdvice(run);
  if (run.keepEvery == 0) return eddies.empty() ? "" : eddies + "; or ";
  const bool cumulants =
      run.lattice != model::LatticeId::D2Q9 && run.collision != model::CollisionId::Cumulant &&
      (run.precision == model::PrecisionId::F32 || run.precision == model::PrecisionId::F64);
  return cumulants ? "it continues with cumulants on D3Q27, which lattice = \"D3Q27\", collision = "
                     "\"cumulant\"" +
                         keysForCumulants(run) + " choose from the start; or "
                   : "it continues with half the time step where tau allows that; or ";
}

// steadierSpacing() and its grid Reynolds number.
std::string steadierText(const RunNumbers& numbers) {
  const double finer = steadierSpacing(numbers);
  const std::string option = "a finer spacing, tessera-preprocess " + spacingOption(finer);
  if (numbers.gridReynolds <= 0.0) return option + ", at the same velocity in lattice units";
  return option + ", has a grid Reynolds number of " +
         stage::number(numbers.gridReynolds * finer / numbers.spacing, 3);
}

}  // namespace

double steadierSpacing(const RunNumbers& numbers) {
  const double finer = resolvingSpacing(numbers);
  return finer < numbers.spacing
             ? finer
             : finerSpacing(numbers.spacing, 0.5 * numbers.spacing, numbers.periodic);
}

std::string eddyAdvice(const SolverCase& run) {
  const bool may =
      run.law.model == model::FluidModel::Newtonian && run.lattice != model::LatticeId::D2Q9;
  if (!may || hasEddyCumulants(run)) return "";
  return "lattice = \"D3Q27\", collision = \"cumulant\"" + keysForCumulants(run) +
         " and smagorinsky = 0.1 are stable at far higher Reynolds numbers";
}

RunNumbers runNumbers(const SolverCase& run, const LatticeRun& lattice,
                      const tiler::TiledGeometry& geometry) {
  RunNumbers out;
  out.spacing = lattice.scales.spacing;
  out.periodic = preprocess::geometry::axesToDivide(geometry.periodic, geometry.dimensions);
  out.timeStep = lattice.scales.timeStep;
  out.tau = lattice.tau;
  const double expected = lattice.velocityMax > 0.0 ? lattice.velocityExpected() : 0.0;
  out.velocity = expected * lattice.scales.velocity();
  out.driven = lattice.velocityDriven * lattice.scales.velocity();
  out.throatVelocity = throatVelocity(run, geometry);
  if (geometry.openings.size() > 1) out.throatsNotSearched = geometry.throatsNotSearched;
  out.mach = expected * std::sqrt(3.0);
  out.machDriven = lattice.velocityDriven * std::sqrt(3.0);
  out.gridReynolds = lattice.gridReynolds();
  for (std::size_t k = 0; k < geometry.openings.size(); ++k) {
    if (boundary::isWall(run.openings[k])) continue;
    const preprocess::geometry::Opening& opening = geometry.openings[k];
    const double across = diameterOf(opening, geometry.dimensions, out.spacing);
    out.reynolds = std::max(out.reynolds, std::abs(boundary::prescriptionOf(run.openings[k]).mean) *
                                              across / run.kinematicViscosity);
    const double nodes = across / out.spacing;
    if (out.nodesAcross > 0.0 && nodes >= out.nodesAcross) continue;
    out.nodesAcross = nodes;
    out.smallestOpening = titleOf(opening);
  }
  for (const preprocess::geometry::Throat& throat : geometry.throats) {
    const double nodes = diameterOf(throat, geometry.dimensions, out.spacing) / out.spacing;
    if (out.throatAcross == 0.0 || nodes < out.throatAcross) out.throatAcross = nodes;
  }
  out.stokesLayer = stokesLayer(run) / out.spacing;
  if (run.pulse.period > 0.0) out.sound = soundOf(lattice, geometry);
  return out;
}

std::vector<std::string> warningsAbout(const RunNumbers& numbers, const SolverCase& run) {
  std::vector<std::string> warnings = run.unitQuestions;
  if (numbers.tau < tauNearHalf && !hasEddyCumulants(run)) {
    warnings.push_back("relaxation time " + tauText(numbers.tau) +
                       " is close to 1/2 (grid Reynolds number " +
                       stage::number(numbers.gridReynolds, 3) + "); should the run diverge, " +
                       ifItDiverges(run) + steadierText(numbers));
  }
  if (numbers.machDriven > machOfDivergence)
    warnings.push_back("pressures or forces drive an estimated velocity of " +
                       stage::formatQuantity(numbers.driven, stage::Dimension::Velocity) +
                       ", Mach " + stage::number(numbers.machDriven, 3) +
                       " at this time step, where runs diverge; are their units right? If so, " +
                       adviceThatWorks(run, numbers.driven, {numbers.spacing, numbers.periodic}));
  else if (numbers.mach > machHighest)
    warnings.push_back("the largest expected velocity is Mach " + stage::number(numbers.mach, 3) +
                       "; compressibility errors grow with its square");
  if (numbers.velocity > 0.0 && !numbers.throatsNotSearched.empty())
    warnings.push_back("the largest expected velocity lacks throats of the geometry (" +
                       numbers.throatsNotSearched +
                       "); where a vessel narrows the flow is faster: watch the Mach number of the "
                       "run, and choose a smaller time_step where it exceeds " +
                       stage::number(machHighest, 2));
  if (numbers.nodesAcross > 0.0 && numbers.nodesAcross < fewestNodesAcross)
    warnings.push_back("opening " + numbers.smallestOpening + " is only " +
                       stage::number(numbers.nodesAcross, 3) + " nodes across; " +
                       resolvingOption(numbers) + " gives " +
                       resolvedText(numbers, numbers.nodesAcross));
  if (lengthsOf(numbers).hasNarrowThroat() && numbers.throatAcross < fewestNodesAcross)
    warnings.push_back(fmt::format(
        "the narrowest throat of the geometry is only {} nodes across{}, too few for the pressure "
        "drop and the wall shear stress there; {} gives it {}",
        stage::number(numbers.throatAcross, 2),
        numbers.throatVelocity > 0.0
            ? fmt::format(" (grid Reynolds number {})",
                          stage::number(
                              numbers.throatVelocity * numbers.spacing / run.kinematicViscosity, 3))
            : "",
        resolvingOption(numbers), resolvedText(numbers, numbers.throatAcross)));
  warnOfPulse(numbers, run, warnings);
  return warnings;
}

WorkingValues workingValues(double velocity, const LatticeSpacing& lattice,
                            double kinematicViscosity, double lowestTau) {
  const double spacing = lattice.spacing;
  // tau - 1/2 per velocity scale.
  const double slope = 3.0 * kinematicViscosity / (velocity * spacing);
  WorkingValues out{spacing, usualVelocity, 0.0, 0.0};
  if (usualVelocity * slope > stableTauHighest - 0.5) out.latticeVelocity = 0.5 / slope;
  if (usualVelocity * slope < lowestTau - 0.5)
    out.spacing = finerSpacing(
        spacing, 3.0 * kinematicViscosity * usualVelocity / (velocity * (lowestTau - 0.5)),
        lattice.periodic);
  out.timeStep = out.latticeVelocity * out.spacing / velocity;
  out.tau = 0.5 + 3.0 * kinematicViscosity * out.timeStep / (out.spacing * out.spacing);
  return out;
}

std::string adviceThatWorks(const SolverCase& run, double velocity, const LatticeSpacing& lattice) {
  const double spacing = lattice.spacing;
  if (velocity <= 0.0) {
    if (!run.timeStep) return "tau = 0.8 works";
    return "time_step = \"" + stage::number(0.1 * spacing * spacing / run.kinematicViscosity, 3) +
           " s\" works (tau = 0.8)";
  }
  const WorkingValues works =
      workingValues(velocity, lattice, run.kinematicViscosity, lowestStableTau(run));
  const std::string scale = stage::number(works.latticeVelocity, 3);
  if (works.spacing < spacing)
    return "this spacing is too coarse: a finer spacing, tessera-preprocess " +
           spacingOption(works.spacing) + ", and lattice_velocity = " + scale +
           " work (tau = " + tauText(works.tau) + ")";
  if (run.tau)
    return "tau = " + tauText(works.tau) + " works (largest velocity " + scale + " lattice units)";
  if (run.timeStep)
    return "time_step = \"" + stage::number(works.timeStep, 3) +
           " s\" works (tau = " + tauText(works.tau) + ", largest velocity " + scale +
           " lattice units)";
  return "lattice_velocity = " + scale + " works (tau = " + tauText(works.tau) + ")";
}

}  // namespace tessera::solver::cases
