// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/solver_report.hpp"
#include "pipelines/stage/io/provenance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/system/machine.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/case/pre_run_checks.hpp"
#include "solver/case/scheme.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/recovery.hpp"
#include "solver/run/steady_march.hpp"

namespace tessera::solver {

using run::Setup;
using stage::Dimension;
using stage::formatQuantity;

namespace {

std::string numbersText(const cases::RunNumbers& numbers) {
  std::string text =
      fmt::format("spacing      {}\n", formatQuantity(numbers.spacing, Dimension::Length));
  if (numbers.nodesAcross > 0.0)
    text += fmt::format("resolution   {:.1f} nodes across the smallest opening, {}\n",
                        numbers.nodesAcross, numbers.smallestOpening);
  if (numbers.throatAcross > 0.0)
    text += fmt::format("             {:.1f} nodes across the narrowest throat\n",
                        numbers.throatAcross);
  if (numbers.velocity > 0.0) {
    text += fmt::format(
        "expected     Reynolds {:.4g} at the inlet, largest velocity {}, Mach {:.3f}\n",
        numbers.reynolds, formatQuantity(numbers.velocity, Dimension::Velocity), numbers.mach);
    if (numbers.throatVelocity > 0.0)
      text += fmt::format("             {} at the peak of the fastest throat\n",
                          formatQuantity(numbers.throatVelocity, Dimension::Velocity));
    text += fmt::format("             grid Reynolds {:.3g} (spacing and largest velocity)\n",
                        numbers.gridReynolds);
  }
  return text;
}

// Stokes layer and sound of a pulsatile flow.
std::string pulseText(const cases::RunNumbers& numbers) {
  std::string text;
  if (numbers.stokesLayer > 0.0)
    text += fmt::format("Stokes layer {}, {:.3g} nodes\n",
                        formatQuantity(numbers.stokesLayer * numbers.spacing, Dimension::Length),
                        numbers.stokesLayer);
  const cases::RunNumbers::Sound& sound = numbers.sound;
  if (sound.from.empty()) return text;
  text += fmt::format(
      "sound        changes the amplitude of the flow between openings {} and {} by {:.2g} %\n",
      sound.from, sound.to, 100.0 * sound.error);
  if (sound.taken > 1.0)
    text += fmt::format("             with {:.2f} times the steps, taken to {}\n", sound.taken,
                        sound.error <= cases::acousticHighest ? "keep it below 1 %" : "lower it");
  return text;
}

// Viscosities and relaxation times at both ends of the shear rates.
std::string fluidText(const Setup& setup) {
  const auto viscosity = [&](double kinematic) {
    return formatQuantity(kinematic * setup.run.density, Dimension::DynamicViscosity);
  };
  const model::ViscosityLaw& law = setup.run.law;
  if (law.model != model::FluidModel::Newtonian)
    return fmt::format("fluid        {}, {} (tau {:.5f}) to {} (tau {:.5f})\n",
                       model::nameOf(law.model), viscosity(law.lowest), setup.lattice.tau,
                       viscosity(law.highest), setup.lattice.tauHighest);
  const std::string own = viscosity(setup.run.kinematicViscosity);
  if (law.smagorinsky > 0.0)
    return fmt::format("fluid        newtonian, {}, and Smagorinsky's share with C = {:.3g}\n", own,
                       law.smagorinsky);
  return fmt::format("fluid        newtonian, {}\n", own);
}

// Why the time step is what it is, where the case leaves it to the program.
std::string timeStepReason(const cases::LatticeRun& lattice) {
  const auto speed = [&](double inLattice) {
    return formatQuantity(inLattice * lattice.scales.velocity(), Dimension::Velocity);
  };
  switch (lattice.choice) {
    case cases::StepChoice::Given:
      return "";
    case cases::StepChoice::Velocity:
      return fmt::format(": {:.2g} nodes a step at {}, the largest expected velocity",
                         lattice.velocityMax, speed(lattice.velocityMax));
    case cases::StepChoice::Driven:
      return fmt::format(": pressures or forces drive an estimated velocity of up to {}",
                         speed(lattice.velocityDriven));
    case cases::StepChoice::Viscosity:
      return ": of larger ones slow flow is less accurate";
  }
  return "";
}

const char* reasonText(const Setup& setup) {
  const bool in2D = setup.variant->lattice.dimensions == 2;
  switch (setup.collisionReason) {
    case run::CollisionReason::Given:
      return "";
    case run::CollisionReason::Moments:
      return "moments determine its state";
    case run::CollisionReason::LocalViscosity:
      return "the one for a local viscosity on D3Q27";
    case run::CollisionReason::Advection:
      return "on D3Q27, exact for advection oblique to the axes, which counts at this grid "
             "Reynolds number";
    case run::CollisionReason::Stability:
      return in2D ? "stable at this grid Reynolds number, where trt is not"
                  : "on D3Q27, stable at this grid Reynolds number, where mrt amplifies "
                    "disturbances";
    case run::CollisionReason::ThinStokesLayer:
      return "its wall shear follows a thin Stokes layer better than that of mrt on D3Q27";
    case run::CollisionReason::Walls:
      return setup.lattice.magic < 0.05 ? "its walls move less with the viscosity than those of bgk"
                                        : "its walls do not move with the viscosity";
  }
  return "";
}

// Choices that the case leaves to the program, with their reasons.
std::string choicesText(const Setup& setup) {
  std::string text;
  if (setup.collisionReason != run::CollisionReason::Given)
    text += fmt::format("collision    {}: {}\n", model::nameOf(setup.variant->axes.collision),
                        reasonText(setup));
  if (setup.run.automaticEquilibrium)
    text +=
        setup.variant->axes.equilibrium == model::EquilibriumId::Incompressible
            ? "equilibrium  incompressible: the density of a liquid does not fall with pressure\n"
            : "equilibrium  quasi-compressible: the other one is not built for this variant\n";
  if (setup.stateReason == run::StateReason::Holds)
    text +=
        "state        moments: they hold all that this collision keeps, in half of the memory\n";
  if (setup.stateReason == run::StateReason::Precision)
    text += fmt::format("state        moments: precision {} is theirs alone\n",
                        model::nameOf(setup.run.precision));
  if (setup.stateReason == run::StateReason::Checkpoint)
    text += fmt::format("state        {}: that of the checkpoint\n",
                        model::nameOf(setup.variant->axes.state));
  if (setup.automaticWalls)
    text += setup.run.walls == boundary::WallScheme::Multireflection
                ? "walls        multireflection: the geometry says where they lie between nodes\n"
                : "walls        halfway: voxels do not say where they lie between nodes\n";
  return text;
}

// The march of a steady case.
std::string marchText(const Setup& setup) {
  if (!run::steadyCase(setup)) return "";
  if (!setup.accelerated) return fmt::format("march        plain: {}\n", run::whyPlain(setup));
  return "march        accelerated: modes that decay are extrapolated to the steady state\n";
}

}  // namespace

std::string planText(const Setup& setup, const tiler::TiledGeometry& geometry) {
  const bool cuda = setup.backend == run::BackendKind::Cuda;
  const auto device = cuda ? backend::findDevice() : std::nullopt;
  std::string text;
  text +=
      fmt::format("variant      {}, {}, on {}\n", setup.variant->name(),
                  setup.copies == 1 ? "one copy" : "two copies", device ? device->name : "the CPU");
  text += fmt::format("scheme       {}\n",
                      cases::schemeOf(setup.variant->axes.state, setup.copies).name);
  const bool whole = setup.part.isWhole();
  const std::uint64_t tiles = whole ? geometry.tiles() : setup.part.tilesOfAll;
  text +=
      fmt::format("nodes        {} fluid in {} tiles (utilisation {:.4f}), {} ghost tiles\n",
                  geometry.fluidNodes, tiles,
                  static_cast<double>(geometry.fluidNodes) / (64.0 * static_cast<double>(tiles)),
                  setup.order.ghosts);
  if (!whole)
    text += fmt::format("ranks        {}, the first steps {} tiles and holds {} of others\n",
                        setup.ranks->size(), setup.order.tiles, setup.order.remote);
  text += fmt::format(
      "memory       {:.3f} GB, and {:.3f} GB for checkpoints{}{}\n",
      static_cast<double>(run::stateBytes(setup)) / 1e9,
      static_cast<double>(run::checkpointBytes(setup)) / 1e9,
      setup.run.keepEvery > 0 ? fmt::format(", {:.3f} GB for states to go back to",
                                            static_cast<double>(run::keptBytes(setup)) / 1e9)
                              : "",
      setup.accelerated ? fmt::format(", {:.3f} GB for the accelerated march",
                                      static_cast<double>(run::marchBytes(setup)) / 1e9)
                        : "");
  text += choicesText(setup);
  text += marchText(setup);
  text += fluidText(setup);
  const cases::RunNumbers numbers = cases::runNumbers(setup.run, setup.lattice, geometry);
  text += numbersText(numbers);
  text += fmt::format("time step    {}, tau {:.5f}, magic parameter {:.4f}{}\n",
                      formatQuantity(setup.lattice.scales.timeStep, Dimension::Time),
                      setup.lattice.tau, setup.lattice.magic, timeStepReason(setup.lattice));
  if (setup.cycles.steps > 0)
    text += fmt::format(
        "cycles       at most {} of {}, {} steps each; of the last {} phases and means over {} "
        "samples\n",
        setup.cycles.cycles, formatQuantity(setup.run.pulse.period, Dimension::Time),
        setup.cycles.steps, setup.cycles.phases, setup.cycles.samples);
  text += pulseText(numbers);
  text += fmt::format(
      "steps        at most {}, {} of flow, inflow ramped over the first {}\n", setup.run.steps,
      formatQuantity(static_cast<double>(setup.run.steps) * setup.lattice.scales.timeStep,
                     Dimension::Time),
      setup.rampSteps);
  return text;
}

namespace {

std::string convergenceText(const Setup& setup, const run::RunResult& result) {
  if (!setup.run.converged && !result.errorEstimate) return "no convergence criterion is set";
  std::string text = setup.run.converged ? result.converged ? "converged" : "not converged"
                                         : "no convergence criterion is set";
  if (result.errorEstimate)
    return fmt::format("{}; flow rates and pressures are an estimated {:.1e} from their limit",
                       text, *result.errorEstimate);
  return fmt::format(
      "{}; no estimate of the distance from the limit, changes ({:.1e} between "
      "samples) do not fall steadily",
      text, result.change);
}

// Forces on walls, where they fit on a page.
std::string forcesText(const run::RunResult& result, const tiler::TiledGeometry& geometry) {
  constexpr std::size_t most = 12;
  const auto& walls = result.last.walls;
  if (walls.empty() || walls.size() > most) return "";
  std::string text = fmt::format("{:<12} {:<14} {:<12} {:>14} {:>14} {:>14}\n", "wall", "name", "",
                                 "force x [N]", "y [N]", "z [N]");
  for (std::size_t k = 0; k < walls.size(); ++k)
    text +=
        fmt::format("{:<12} {:<14} {:<12} {:14.6e} {:14.6e} {:14.6e}\n", k, geometry.wallNames[k],
                    "", walls[k].force[0], walls[k].force[1], walls[k].force[2]);
  return text;
}

stage::Json forcesJson(const Setup& setup, const run::RunResult& result,
                       const tiler::TiledGeometry& geometry) {
  stage::Json walls = stage::Json::array();
  for (std::size_t k = 0; k < result.last.walls.size(); ++k)
    walls.push_back({{"label", k},
                     {"name", geometry.wallNames[k]},
                     {"force_n", result.last.walls[k].force},
                     {"torque_n_m", result.last.walls[k].torque}});
  stage::Json openings = stage::Json::array();
  for (std::size_t k = 0; k < result.last.openings.size(); ++k)
    openings.push_back({{"id", geometry.openings[k].id},
                        {"name", geometry.openings[k].name},
                        {"force_n", result.last.openings[k].force},
                        {"torque_n_m", result.last.openings[k].torque}});
  return {
      {"torque_about_m", setup.run.forces.torqueAbout}, {"walls", walls}, {"openings", openings}};
}

// Device, or processor, and the number of processes.
std::string machineOf(const Setup& setup) {
  const auto device =
      setup.backend == run::BackendKind::Cuda ? backend::findDevice() : std::nullopt;
  const std::string name = device ? device->name : stage::processorName();
  return setup.ranks->size() == 1 ? name
                                  : fmt::format("{} processes of {}", setup.ranks->size(), name);
}

// Compressibility errors grow with the square of the Mach number, which is in proportion to the
// step.
std::string machText(const Setup& setup, const run::RunResult& result) {
  constexpr double highest = 0.3, good = 0.1;
  const double mach = result.last.nodes.speedMax * std::sqrt(3.0);
  if (!(mach > highest)) return "";
  return fmt::format(
      "Mach         {:.2f} at the largest velocity, above {}: its compressibility errors are not "
      "small; time_step = \"{}\" gives {}\n",
      mach, highest, formatQuantity(setup.lattice.scales.timeStep * good / mach, Dimension::Time),
      good);
}

std::string recoveriesText(const Setup& setup) {
  const std::string text = run::recoveredText(setup);
  return text.empty() ? "" : fmt::format("recovered    diverged; continued with {}\n", text);
}

stage::Json recoveriesJson(const Setup& setup) {
  stage::Json list = stage::Json::array();
  for (const file::Recovery& recovery : setup.recoveries)
    list.push_back({{"diverged_at_step", recovery.divergedAt},
                    {"time_s", recovery.time},
                    {"step", recovery.step},
                    {"time_step_s", recovery.timeStep},
                    {"variant", recovery.variant},
                    {"reason", recovery.reason}});
  return list;
}

}  // namespace

std::string resultText(const Setup& setup, const run::RunResult& result,
                       const tiler::TiledGeometry& geometry) {
  std::string text;
  text +=
      fmt::format("steps        {} ({})\n", result.step,
                  formatQuantity(static_cast<double>(result.step) * setup.lattice.scales.timeStep,
                                 Dimension::Time));
  text += recoveriesText(setup);
  if (!result.jumps.empty())
    text += fmt::format("march        extrapolated {} times, last at step {}{}\n",
                        result.jumps.size(), result.jumps.back(),
                        result.marchGivenUp ? "; then plain, since that no longer helped" : "");
  if (setup.cycles.steps == 0)
    text += fmt::format("steadiness   {}\n", convergenceText(setup, result));
  else
    text += fmt::format(
        "cycles       {}, the last recorded; {}, the last two differ by {:.1e}\n"
        "             the last is an estimated {:.1e} from the periodic flow\n",
        result.cycles, result.converged ? "converged" : "not converged", result.cycleChange,
        result.cycleDistance);
  text += fmt::format("speed        {:.1f} MFLUPS, {:.0f} % of the copy bandwidth, {:.1f} s\n",
                      result.mflups, 100.0 * result.bandwidthFraction, result.seconds);
  text += machText(setup, result);
  text += forcesText(result, geometry);
  if (geometry.openings.empty()) return text;
  text += fmt::format("{:<12} {:<14} {:<12} {:>14} {:>14}\n", "opening", "name", "kind",
                      "flow [m3/s]", "pressure [Pa]");
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    text += fmt::format("{:<12} {:<14} {:<12} {:14.6e} {:14.6e}\n", geometry.openings[k].id,
                        geometry.openings[k].name, boundary::nameOf(setup.run.openings[k]),
                        result.last.flowRate[k], result.last.pressure[k]);
  text += fmt::format(
      "residual     {:.2e} of the largest flow rate; flow rates are positive out of the fluid\n",
      run::massResidual(result.last.flowRate));
  return text;
}

void writeSolverReport(const std::filesystem::path& path, const Setup& setup,
                       const run::RunResult& result, const tiler::TiledGeometry& geometry,
                       const RunPlan& plan, const std::string& fieldsHash) {
  stage::Json openings = stage::Json::array();
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    openings.push_back({{"id", geometry.openings[k].id},
                        {"name", geometry.openings[k].name},
                        {"kind", boundary::nameOf(setup.run.openings[k])},
                        {"flow_rate_m3_s", result.last.flowRate[k]},
                        {"mean_pressure_pa", result.last.pressure[k]}});
  const backend::GlobalSample& nodes = result.last.nodes;
  const cases::RunNumbers numbers = cases::runNumbers(setup.run, setup.lattice, geometry);
  stage::Json report = {{"steps", result.step},
                        {"steps_made", result.stepsMade},
                        {"recoveries", recoveriesJson(setup)},
                        {"accelerated", setup.accelerated},
                        {"jumps", result.jumps},
                        {"time_s", static_cast<double>(result.step) * numbers.timeStep},
                        {"spacing_m", numbers.spacing},
                        {"time_step_s", numbers.timeStep},
                        {"variant", setup.variant->name()},
                        {"scheme", cases::schemeOf(setup.variant->axes.state, setup.copies).name},
                        {"backend", setup.backend == run::BackendKind::Cuda ? "cuda" : "cpu"},
                        {"build", stage::buildDescription()},
                        {"machine", machineOf(setup)},
                        {"finished", stage::utcMinute()},
                        {"fluid_nodes", geometry.fluidNodes},
                        {"ranks", setup.ranks->size()},
                        {"seconds", result.seconds},
                        {"mflups", result.mflups},
                        {"bandwidth_fraction", result.bandwidthFraction},
                        {"watch_fraction", result.watchFraction},
                        {"checkpoint_blocked_s", result.checkpointBlocked},
                        {"mach_max", nodes.speedMax * std::sqrt(3.0)},
                        {"density_range", {nodes.densityMin, nodes.densityMax}},
                        {"tau", numbers.tau},
                        {"tau_highest", setup.lattice.tauHighest},
                        {"fluid_model", model::nameOf(setup.run.law.model)},
                        {"smagorinsky", setup.run.law.smagorinsky},
                        {"converged", result.converged},
                        {"change", result.change},
                        {"error_estimate", nullptr},
                        {"openings", openings},
                        {"forces", forcesJson(setup, result, geometry)},
                        {"mass_residual", run::massResidual(result.last.flowRate)}};
  if (!fieldsHash.empty()) report["fields_hash"] = fieldsHash;
  report["plan"] = runPlanJson(plan);
  report["expected_error"] = expectedErrorJson(plan);
  if (result.errorEstimate) report["error_estimate"] = *result.errorEstimate;
  if (numbers.velocity > 0.0)
    report["expected"] = {{"velocity_max_m_s", numbers.velocity},
                          {"mach", numbers.mach},
                          {"reynolds", numbers.reynolds},
                          {"grid_reynolds", numbers.gridReynolds}};
  if (setup.cycles.steps > 0)
    report["cycles"] = {{"period_s", setup.run.pulse.period},
                        {"steps", setup.cycles.steps},
                        {"completed", result.cycles},
                        {"change", result.cycleChange},
                        {"distance", result.cycleDistance},
                        {"mean_samples", setup.cycles.samples},
                        {"stokes_layer_nodes", numbers.stokesLayer}};
  if (!numbers.sound.from.empty())
    report["sound"] = {{"from", setup.lattice.sound->from},
                       {"to", setup.lattice.sound->to},
                       {"length_m", numbers.sound.length},
                       {"amplitude_error", numbers.sound.error},
                       {"steps_factor", numbers.sound.taken}};
  if (numbers.nodesAcross > 0.0) report["nodes_across_smallest_opening"] = numbers.nodesAcross;
  if (numbers.throatAcross > 0.0) report["nodes_across_narrowest_throat"] = numbers.throatAcross;
  if (result.stopped) report["stopped_by"] = result.stoppedBy;
  stage::writeTextAtomically(path, stage::jsonText(report, 2) + "\n");
}

}  // namespace tessera::solver
