// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <initializer_list>
#include <new>
#include <string_view>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/bench/stored_speeds.hpp"
#include "solver/case/pre_run_checks.hpp"
#include "solver/run/memory_needs.hpp"
#include "tiler/analysis/resolution_error.hpp"

namespace tessera::solver {

using cases::ExpectedFlow;
using run::Setup;
using stage::Dimension;
using stage::formatQuantity;

namespace {

// Speed of one rank, MFLUPS.
std::optional<bench::PredictedSpeed> speedOf(const Setup& setup, double utilisation) {
  const bool cuda = setup.backend == run::BackendKind::Cuda;
  const auto stored =
      bench::speedFrom(bench::readSpeeds(bench::speedsFile()), bench::deviceOf(cuda),
                       *setup.variant, setup.copies, setup.mayStepTwice() ? 2 : 1, utilisation);
  if (stored) return stored;
  if (cuda) {
    const auto device = backend::findDevice();
    if (!device || device->peakBandwidth <= 0.0) return std::nullopt;
    return bench::speedFromPeak(device->peakBandwidth, *setup.variant, utilisation);
  }
  const double bandwidth = bench::copyBandwidthOfCpu();
  if (bandwidth <= 0.0) return std::nullopt;
  return bench::speedFromBandwidth(bandwidth, cuda, *setup.variant, utilisation);
}

// "35 s", "4 min", "2.5 h", "3 days": no more digits than an estimate has.
std::string timeText(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.2g} s", std::max(seconds, 0.1));
  if (seconds < 100.0 * 60.0) return fmt::format("{:.0f} min", seconds / 60.0);
  if (seconds < 48.0 * 3600.0) return fmt::format("{:.0f} h", seconds / 3600.0);
  return fmt::format("{:.0f} days", seconds / 86400.0);
}

std::string timeLine(const RunPlan& plan, const Setup& setup) {
  if (plan.seconds <= 0.0)
    return "time         unknown: tessera-solver --bench step measures the speed of this device\n";
  const bool mayEndEarlier = setup.run.converged || setup.cycles.steps > 0;
  return fmt::format("time         {}{} for {} steps at {:.3g} MFLUPS,\n             {}\n",
                     mayEndEarlier ? "at most " : "about ", timeText(plan.seconds), setup.run.steps,
                     plan.mflups, plan.speedSource);
}

// Exactly that many characters of UTF-8: followed by spaces, or cut, with "~" as the last.
std::string fitted(const std::string& text, std::size_t width) {
  const std::size_t own = stage::widthOf(text);
  if (own <= width) return text + std::string(width - own, ' ');
  return std::string(stage::beginningOf(text, width - 1)) + "~";
}

// Values with three digits in the unit that suits the largest of their column: "33.3/66.6 mm/s".
std::string threeDigits(std::initializer_list<double> values, double largest, Dimension dimension) {
  const std::string suited = formatQuantity(largest, dimension);
  const std::string unit = suited.substr(suited.find(' ') + 1);
  const double one = stage::parseQuantity("1 " + unit, dimension);
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(stage::number(value / one, 3));
  return stage::joined(texts, "/") + " " + unit;
}

// In the 80 columns of a terminal.
constexpr std::size_t titleWidth = 10, conditionWidth = 18;
constexpr char rowFormat[] = "{} {:>13} {:>14} {:>5} {:>3} {:>5} {:>5}\n";

// Largest of the rows, m3/s and m/s.
struct LargestFlow {
  double rate = 0.0, velocity = 0.0;

  void include(const std::vector<ExpectedFlow>& flows) {
    for (const ExpectedFlow& flow : flows) {
      if (!flow.known) continue;
      rate = std::max(rate, std::abs(flow.outflow));
      velocity = std::max(velocity, flow.peak);
    }
  }
};

std::string rowOf(const std::string& title, const ExpectedFlow& flow, const LargestFlow& largest) {
  const std::string front =
      flow.condition.empty()  // a throat
          ? fitted(title, titleWidth + 1 + conditionWidth)
          : fitted(title, titleWidth) + " " + fitted(flow.condition, conditionWidth);
  if (!flow.known) return front + " unknown\n";
  const char* const way = flow.outflow > 0.0 ? "out " : flow.outflow < 0.0 ? "in " : "";
  return fmt::format(rowFormat, front,
                     way + threeDigits({std::abs(flow.outflow)}, largest.rate, Dimension::FlowRate),
                     threeDigits({flow.mean, flow.peak}, largest.velocity, Dimension::Velocity),
                     stage::number(flow.reynolds, 3),
                     flow.womersley > 0.0 ? stage::number(flow.womersley, 2) : std::string("-"),
                     fmt::format("{:.3f}", flow.mach), stage::number(flow.nodesAcross, 3));
}

std::string idsOf(const ExpectedFlow& flow) {
  std::vector<std::string> ids;
  for (const int id : flow.openings) ids.push_back(std::to_string(id));
  return stage::joined(ids, "+");
}

std::string flowLines(const RunPlan& plan, bool pulsatile) {
  constexpr std::size_t most = 40;
  const auto& openings = plan.flow.openings;
  if (openings.empty()) return "";
  std::string text = fmt::format(
      rowFormat, fmt::format("{:<{}} {:<{}}", "opening", titleWidth, "condition", conditionWidth),
      "flow rate", "mean/peak", "Re", "Wo", "Mach", "nodes");
  LargestFlow largest;
  largest.include(openings);
  largest.include(plan.flow.throats);
  for (std::size_t k = 0; k < openings.size() && k < most; ++k)
    text += rowOf(idsOf(openings[k]) + " " + openings[k].name, openings[k], largest);
  if (openings.size() > most) text += fmt::format("{} more\n", openings.size() - most);
  for (std::size_t k = 0; k < plan.flow.throats.size() && k < most; ++k)
    text += rowOf("throat to " + idsOf(plan.flow.throats[k]), plan.flow.throats[k], largest);
  text += "             ";
  text += pulsatile ? "at the largest flow; " : "";
  text += plan.flow.estimated
              ? "flow that no condition prescribes is estimated, within a factor of 2\n"
              : "as prescribed\n";
  return text;
}

std::optional<PlannedErrors> errorsOf(const Setup& setup, const tiler::TiledGeometry& geometry,
                                      bool smoothed) {
  namespace analysis = tiler::analysis;
  const cases::RunNumbers numbers = cases::runNumbers(setup.run, setup.lattice, geometry);
  const double velocity = setup.lattice.velocityExpected();
  if (!setup.part.isWhole() || velocity <= 0.0) return std::nullopt;
  analysis::Resolution resolution = analysis::resolutionOf(
      geometry, boundary::wallSchemeNames[static_cast<std::size_t>(setup.run.walls)],
      analysis::wallAreaOf(geometry), smoothed);
  resolution.gridReynolds = numbers.gridReynolds;
  if (numbers.stokesLayer > 0.0)
    resolution.stokes = 1.0 / (numbers.stokesLayer * numbers.stokesLayer);
  PlannedErrors errors;
  errors.kept = analysis::machError(velocity * std::sqrt(3.0)) + numbers.sound.error +
                analysis::roundingError(model::nameOf(setup.variant->axes.precision));
  const auto of = [&](analysis::ErrorOf number) {
    return errors.kept + analysis::resolutionError(number, resolution);
  };
  errors.flow = of(analysis::ErrorOf::Flow);
  errors.shear = of(analysis::ErrorOf::Shear);
  errors.highShear = of(analysis::ErrorOf::HighShear);
  return errors;
}

std::string errorLine(const RunPlan& plan) {
  if (!plan.errors) return "";
  const PlannedErrors& errors = *plan.errors;
  return fmt::format(
      "errors       expected at most: flow rates and pressures {},\n"
      "             mean wall shear {}, its peaks {}; {} of it by Mach number,\n"
      "             sound and precision\n",
      stage::percent(errors.flow, 2), stage::percent(errors.shear, 2),
      stage::percent(errors.highShear, 2), stage::percent(errors.kept, 2));
}

stage::Json flowJson(const ExpectedFlow& flow) {
  stage::Json json = {{"area_m2", flow.area},
                      {"flow_rate_m3_s", flow.outflow},
                      {"mean_velocity_m_s", flow.mean},
                      {"peak_velocity_m_s", flow.peak},
                      {"reynolds", flow.reynolds},
                      {"womersley", flow.womersley},
                      {"mach", flow.mach},
                      {"nodes_across", flow.nodesAcross}};
  if (!flow.known)
    for (const char* key :
         {"flow_rate_m3_s", "mean_velocity_m_s", "peak_velocity_m_s", "reynolds", "mach"})
      json[key] = nullptr;
  return json;
}

// Nodes whose step takes as long as all moving and interpolated wall links do, on a CPU. A link
// reads populations in up to six places of the state, which takes as long as the step of tiles
// takes to move 500 bytes (390 to 650 with D3Q19 and D3Q27, f32 and f64, multireflection).
double nodesOfLinks(const Setup& setup) {
  constexpr double bytesOfLink = 500.0;
  if (setup.backend == run::BackendKind::Cuda) return 0.0;
  const double bytesOfNode = setup.variant->bytesPerNode();
  return bytesOfLink / bytesOfNode * static_cast<double>(boundary::ownLinks(setup.walls)) *
         setup.ranks->size();
}

RunPlan planWithoutFlow(const Setup& setup, const tiler::TiledGeometry& geometry, bool smoothed) {
  RunPlan plan;
  const double tiles = setup.part.isWhole() ? static_cast<double>(geometry.tiles())
                                            : static_cast<double>(setup.part.tilesOfAll);
  const auto nodes = static_cast<double>(geometry.fluidNodes);
  if (const auto speed = speedOf(setup, nodes / (64.0 * tiles))) {
    plan.mflups = speed->mflups * setup.ranks->size();
    plan.speedSource = speed->source;
    if (const double ofLinks = nodesOfLinks(setup); ofLinks > 0.0) {
      plan.mflups *= nodes / (nodes + ofLinks);
      plan.speedSource += ", less the time of wall links";
    }
    plan.seconds = nodes * static_cast<double>(setup.run.steps) / (1e6 * plan.mflups);
  }
  plan.errors = errorsOf(setup, geometry, smoothed);
  plan.memory = run::stateBytes(setup) + run::checkpointBytes(setup);
  return plan;
}

}  // namespace

RunPlan planOf(const Setup& setup, const tiler::TiledGeometry& geometry, bool smoothed,
               const cases::NetworkFlow& network) {
  RunPlan plan = planWithoutFlow(setup, geometry, smoothed);
  plan.flow = cases::flowPlan(setup.run, setup.lattice, geometry, network);
  return plan;
}

namespace {

// The run needs no flow: without it there is a warning, if memory is left for one.
void lackFlow(std::string_view why, RunPlan& plan) {
  plan.flow = {};
  try {
    stage::logWarning(fmt::format("the plan lacks the flow: {}", why));
  } catch (const std::bad_alloc&) {
  }
}

std::string withoutLastBreak(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

// The thread has copies of all that it reads of the set-up, which a recovery replaces.
std::future<RunPlan> planDuringRun(const Setup& setup, const tiler::TiledGeometry& geometry,
                                   bool smoothed, std::future<cases::NetworkFlow> network) {
  const RunPlan known = planWithoutFlow(setup, geometry, smoothed);
  const bool alone = setup.ranks->alone();
  stage::logInfo(withoutLastBreak(errorLine(known) + timeLine(known, setup)));
  const auto complete = [known, run = setup.run, lattice = setup.lattice, network = network.share(),
                         alone, &geometry] {
    RunPlan plan = known;
    try {
      plan.flow = cases::flowPlan(run, lattice, geometry, network.get());
      const std::string flow = flowLines(plan, run.pulse.period > 0.0);
      if (!flow.empty()) stage::logInfo(withoutLastBreak(flow));
    } catch (const std::bad_alloc&) {
      if (!alone) throw;
      lackFlow("too little memory is left to estimate it", plan);
    } catch (const std::exception& error) {
      if (!alone) throw;
      lackFlow(error.what(), plan);
    }
    return plan;
  };
  std::future<RunPlan> plan = inThread(alone, complete);
  if (plan.wait_for(std::chrono::seconds(0)) != std::future_status::deferred) return plan;
  std::promise<RunPlan> found;
  found.set_value(plan.get());
  return found.get_future();
}

std::string runPlanText(const RunPlan& plan, const Setup& setup) {
  return flowLines(plan, setup.run.pulse.period > 0.0) + errorLine(plan) + timeLine(plan, setup);
}

stage::Json runPlanJson(const RunPlan& plan) {
  stage::Json openings = stage::Json::array(), throats = stage::Json::array();
  for (const ExpectedFlow& flow : plan.flow.openings) {
    stage::Json json = {{"id", flow.openings.front()}, {"name", flow.name}};
    json.update(flowJson(flow));
    openings.push_back(std::move(json));
  }
  for (const ExpectedFlow& flow : plan.flow.throats) {
    stage::Json json = {{"openings", flow.openings}};
    json.update(flowJson(flow));
    throats.push_back(std::move(json));
  }
  stage::Json json = {
      {"seconds", nullptr},          {"mflups", nullptr},    {"speed_from", plan.speedSource},
      {"memory_bytes", plan.memory}, {"openings", openings}, {"throats", throats}};
  if (plan.seconds > 0.0) json["seconds"] = plan.seconds, json["mflups"] = plan.mflups;
  return json;
}

stage::Json expectedErrorJson(const RunPlan& plan) {
  if (!plan.errors) return nullptr;
  return {{"flow_rate", plan.errors->flow},
          {"pressure_drop", plan.errors->flow},
          {"wss_mean", plan.errors->shear},
          {"wss_p95", plan.errors->highShear}};
}

}  // namespace tessera::solver
