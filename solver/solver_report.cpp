// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/solver_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/json.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/case/pre_run_checks.hpp"
#include "solver/run/memory_needs.hpp"
#include "tiler/analysis/text_line.hpp"

namespace tessera::solver {

using run::Setup;
using stage::Dimension;
using stage::formatQuantity;
using tiler::analysis::textLine;

namespace {

std::string numbersText(const cases::RunNumbers& numbers) {
  std::string text =
      textLine("spacing      %s", formatQuantity(numbers.spacing, Dimension::Length).c_str());
  if (numbers.nodesAcross > 0.0)
    text += textLine("resolution   %.1f nodes across the smallest opening, %s", numbers.nodesAcross,
                     numbers.smallestOpening.c_str());
  if (numbers.velocity > 0.0) {
    text += textLine("expected     Reynolds %.4g at the inlet, largest velocity %s, Mach %.3f",
                     numbers.reynolds,
                     formatQuantity(numbers.velocity, Dimension::Velocity).c_str(), numbers.mach);
    text += textLine("             grid Reynolds %.3g (spacing and largest velocity)",
                     numbers.gridReynolds);
  }
  return text;
}

// Viscosities and relaxation times at both ends of the shear rates.
std::string fluidText(const Setup& setup) {
  const auto viscosity = [&](double kinematic) {
    return formatQuantity(kinematic * setup.run.density, Dimension::DynamicViscosity);
  };
  const model::ViscosityLaw& law = setup.run.law;
  if (law.model != model::FluidModel::Newtonian)
    return textLine("fluid        %s, %s (tau %.5f) to %s (tau %.5f)", model::nameOf(law.model),
                    viscosity(law.lowest).c_str(), setup.lattice.tau,
                    viscosity(law.highest).c_str(), setup.lattice.tauHighest);
  const std::string own = viscosity(setup.run.kinematicViscosity);
  if (law.smagorinsky > 0.0)
    return textLine("fluid        newtonian, %s, and Smagorinsky's share with C = %.3g",
                    own.c_str(), law.smagorinsky);
  return textLine("fluid        newtonian, %s", own.c_str());
}

}  // namespace

std::string planText(const Setup& setup, const tiler::TiledGeometry& geometry) {
  const bool cuda = setup.backend == run::BackendKind::Cuda;
  const auto device = cuda ? backend::findDevice() : std::nullopt;
  std::string text;
  text += textLine("variant      %s, %s, on %s", setup.variant->name().c_str(),
                   setup.copies == 1 ? "one copy" : "two copies",
                   device ? device->name.c_str() : "the CPU");
  const bool whole = setup.part.isWhole();
  const std::uint64_t tiles = whole ? geometry.tiles() : setup.part.tilesOfAll;
  text += textLine("nodes        %llu fluid in %llu tiles (utilisation %.4f), %u ghost tiles",
                   static_cast<unsigned long long>(geometry.fluidNodes),
                   static_cast<unsigned long long>(tiles),
                   static_cast<double>(geometry.fluidNodes) / (64.0 * static_cast<double>(tiles)),
                   setup.order.ghosts);
  if (!whole)
    text += textLine("ranks        %d, the first steps %u tiles and holds %u of others",
                     setup.ranks->size(), setup.order.tiles, setup.order.remote);
  text += textLine("memory       %.3f GB, and %.3f GB for checkpoints",
                   static_cast<double>(run::stateBytes(setup)) / 1e9,
                   static_cast<double>(run::checkpointBytes(setup)) / 1e9);
  text += fluidText(setup);
  text += numbersText(cases::runNumbers(setup.run, setup.lattice, geometry));
  text += textLine("time step    %s, tau %.5f, magic parameter %.4f",
                   formatQuantity(setup.lattice.scales.timeStep, Dimension::Time).c_str(),
                   setup.lattice.tau, setup.lattice.magic);
  if (setup.cycles.steps > 0)
    text += textLine(
        "cycles       at most %llu of %s, %llu steps each; of the last %llu phases and "
        "means over %llu samples",
        static_cast<unsigned long long>(setup.cycles.cycles),
        formatQuantity(setup.run.pulse.period, Dimension::Time).c_str(),
        static_cast<unsigned long long>(setup.cycles.steps),
        static_cast<unsigned long long>(setup.cycles.phases),
        static_cast<unsigned long long>(setup.cycles.samples));
  text +=
      textLine("steps        at most %llu, %s of flow, inflow ramped over the first %llu",
               static_cast<unsigned long long>(setup.run.steps),
               formatQuantity(static_cast<double>(setup.run.steps) * setup.lattice.scales.timeStep,
                              Dimension::Time)
                   .c_str(),
               static_cast<unsigned long long>(setup.rampSteps));
  return text;
}

namespace {

std::string convergenceText(const Setup& setup, const run::RunResult& result) {
  if (!setup.run.converged && !result.errorEstimate) return "convergence was not asked for";
  std::string text = setup.run.converged ? result.converged ? "converged" : "not converged"
                                         : "convergence was not asked for";
  char number[32];
  if (result.errorEstimate) {
    std::snprintf(number, sizeof(number), "%.1e", *result.errorEstimate);
    return text + "; flow rates and pressures are an estimated " + number + " from their limit";
  }
  std::snprintf(number, sizeof(number), "%.1e", result.change);
  return text + "; no estimate of the distance from the limit, changes (" + number +
         " between samples) do not fall steadily";
}

}  // namespace

std::string resultText(const Setup& setup, const run::RunResult& result,
                       const tiler::TiledGeometry& geometry) {
  std::string text;
  text += textLine("steps        %llu (%s)", static_cast<unsigned long long>(result.step),
                   formatQuantity(static_cast<double>(result.step) * setup.lattice.scales.timeStep,
                                  Dimension::Time)
                       .c_str());
  if (setup.cycles.steps == 0)
    text += textLine("steadiness   %s", convergenceText(setup, result).c_str());
  else
    text += textLine("cycles       %llu, the last recorded; %s, the last two differ by %.1e",
                     static_cast<unsigned long long>(result.cycles),
                     result.converged ? "converged" : "not converged", result.cycleChange);
  text += textLine("speed        %.1f MFLUPS, %.0f %% of the copy bandwidth, %.1f s", result.mflups,
                   100.0 * result.bandwidthFraction, result.seconds);
  if (geometry.openings.empty()) return text;
  text += textLine("%-12s %-14s %-12s %14s %14s", "opening", "name", "kind", "flow [m3/s]",
                   "pressure [Pa]");
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    text += textLine("%-12d %-14s %-12s %14.6e %14.6e", geometry.openings[k].id,
                     geometry.openings[k].name.c_str(), boundary::nameOf(setup.run.openings[k]),
                     result.last.flowRate[k], result.last.pressure[k]);
  text += textLine("residual     %.2e of the largest flow rate",
                   run::massResidual(result.last.flowRate));
  return text;
}

void writeSolverReport(const std::filesystem::path& path, const Setup& setup,
                       const run::RunResult& result, const tiler::TiledGeometry& geometry) {
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
                        {"time_s", static_cast<double>(result.step) * numbers.timeStep},
                        {"spacing_m", numbers.spacing},
                        {"time_step_s", numbers.timeStep},
                        {"variant", setup.variant->name()},
                        {"backend", setup.backend == run::BackendKind::Cuda ? "cuda" : "cpu"},
                        {"build", stage::buildDescription()},
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
                        {"mass_residual", run::massResidual(result.last.flowRate)}};
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
                        {"mean_samples", setup.cycles.samples}};
  if (numbers.nodesAcross > 0.0) report["nodes_across_smallest_opening"] = numbers.nodesAcross;
  if (result.stopped) report["stopped_by"] = result.stoppedBy;
  stage::writeTextAtomically(path, stage::jsonText(report, 2) + "\n");
}

}  // namespace tessera::solver
