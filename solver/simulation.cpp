// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <new>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t lookEvery = 100;  // steps between looks at divergence and at stop requests
constexpr int steadyInARow = 3;           // monitor samples that must agree before a run is steady
constexpr double speedLimit = 0.4;        // lattice units; nothing physical is left beyond

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string progressText(double mflups, double change) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.4g MFLUPS, change %.1e", mflups, change);
  return text;
}

// The stop rule: a number of monitor samples in a row that hardly differ, once the ramp is over.
struct StopRule {
  double threshold = 0.0;
  std::uint64_t notBefore = 0;
  int inARow = 0;
  double change = 1.0;
  std::optional<MonitorSample> before;

  bool met(const MonitorSample& now) {
    if (before) change = relativeChange(*before, now);
    before = now;
    inARow = change < threshold && now.step > notBefore ? inARow + 1 : 0;
    return inARow >= steadyInARow;
  }
};

}  // namespace

Simulation::Simulation(const TilesFile& tiles, Setup setup)
    : tiles_(tiles), setup_(std::move(setup)) {
  const LatticeInfo& info = setup_.variant->lattice;
  areas_ = linkAreas(setup_.order, tiles_.geometry, info);
  Domain domain = buildDomain(setup_.order, tiles_.geometry, setup_.run, setup_.lattice, info);
  links_ = domain.links;
  const Relaxation relaxation{setup_.lattice.tau, setup_.lattice.magic, setup_.lattice.force};
  const auto make =
      setup_.backend == BackendKind::Cuda ? setup_.variant->makeCuda : setup_.variant->makeCpu;
  backend_ = make(std::move(domain), relaxation);
}

double Simulation::rampAt(std::uint64_t step) const {
  const double middle = static_cast<double>(step) + 0.5;
  const auto length = static_cast<double>(setup_.rampSteps);
  return middle >= length ? 1.0 : 0.5 - 0.5 * std::cos(std::numbers::pi * middle / length);
}

void Simulation::advance(std::uint64_t steps) {
  std::vector<double> ramp(steps);
  for (std::uint64_t k = 0; k < steps; ++k) ramp[k] = rampAt(step_ + k);
  backend_->advance(ramp);
  step_ += steps;
}

MonitorSample Simulation::sample() {
  std::vector<LinkSample> samples;
  backend_->sampleLinks(rampAt(step_), samples);
  return reduceSamples(step_, links_, areas_, samples, backend_->sampleNodes(),
                       tiles_.geometry.openings.size(), setup_.lattice.scales,
                       referencePressure(setup_.run));
}

void Simulation::checkDivergence(const MonitorSample& sample) const {
  const GlobalSample& nodes = sample.nodes;
  if (std::isnan(nodes.speedMax))
    fail(ExitCode::RunFailed,
         "the run diverged before step " + std::to_string(sample.step) +
             ", to values that are not numbers; use a finer spacing, a smaller "
             "velocity or a longer ramp");
  if (nodes.speedMax < speedLimit && nodes.densityMin > 0.5 && nodes.densityMax < 2.0) return;
  char text[256];
  std::snprintf(text, sizeof(text),
                "the run diverged before step %llu (largest velocity %.3g, density %.3g to %.3g, "
                "lattice units; tau %.4f); use a finer spacing, a smaller velocity_scale or a "
                "longer ramp",
                static_cast<unsigned long long>(sample.step), nodes.speedMax, nodes.densityMin,
                nodes.densityMax, setup_.lattice.tau);
  fail(ExitCode::RunFailed, text);
}

RunResult Simulation::run(const RunFiles& files, bool resume, const std::atomic<bool>& stop,
                          const Provenance& provenance) {
  std::vector<double> earlier = resume ? resumeFrom(files.checkpoint) : std::vector<double>{};
  MonitorFile monitor(files.monitor, tiles_.geometry.openings, setup_.lattice.scales,
                      std::move(earlier));
  StopRule rule{setup_.run.converged.value_or(0.0), setup_.rampSteps, 0, 1.0, std::nullopt};
  RunResult result;
  // The fields are the moments of the step after the last collision, so one step less is made.
  const std::uint64_t last = setup_.run.steps - 1;
  const std::uint64_t first = step_;
  Progress progress("step", setup_.run.steps);
  const Clock::time_point start = Clock::now();
  Clock::time_point saved = start;
  const auto rate = [&] {
    return static_cast<double>(tiles_.geometry.fluidNodes) * static_cast<double>(step_ - first) /
           (1e6 * std::max(1e-9, secondsSince(start)));
  };
  while (step_ < last && !result.converged && !result.stopped) {
    const std::uint64_t every = setup_.run.monitorEvery;
    const std::uint64_t toMonitor = every - step_ % every;
    advance(std::min({lookEvery, toMonitor, last - step_}));
    result.last = sample();
    checkDivergence(result.last);
    if (step_ % every == 0) {
      monitor.add(result.last);
      result.converged = rule.met(result.last) && setup_.run.converged.has_value();
    }
    result.stopped = stop.load();
    const bool due =
        setup_.run.checkpointEvery > 0.0 && secondsSince(saved) > setup_.run.checkpointEvery;
    if (due || result.stopped) {
      saveCheckpoint(files, monitor, provenance);
      saved = Clock::now();
    }
    progress.update(step_, progressText(rate(), rule.change));
  }
  backend_->finish();
  result.step = step_ + 1;
  result.seconds = secondsSince(start);
  result.mflups = rate();
  if (result.last.step != step_ || result.last.flowRate.size() != tiles_.geometry.openings.size())
    result.last = sample();
  result.monitor = monitor.table();
  progress.finish(progressText(result.mflups, rule.change));
  const bool unsettled = setup_.run.converged && !result.converged && !result.stopped;
  if (unsettled) saveCheckpoint(files, monitor, provenance);  // more steps may be asked for
  if (unsettled && setup_.run.requireConvergence) {
    fail(ExitCode::RunFailed,
         "after " + std::to_string(result.step) +
             " steps the monitored quantities still change more than converged "
             "allows; raise steps and run again with --resume");
  }
  try {
    result.bandwidthFraction =
        1e6 * result.mflups * setup_.variant->bytesPerNode() / copyBandwidth();
  } catch (const std::bad_alloc&) {
    // No room to measure the copy in: a run that is done is not lost for it.
  }
  return result;
}

void Simulation::setPopulations(std::span<const double> inFileOrder) {
  const std::size_t tile = setup_.variant->lattice.velocities.size() * 64;
  const std::size_t slots = std::size_t{setup_.order.tiles} + setup_.order.ghosts;
  std::vector<double> bySlot(slots * tile, 0.0);
  for (std::size_t t = 0; t < setup_.order.tiles; ++t)
    std::copy_n(inFileOrder.begin() + static_cast<std::ptrdiff_t>(t * tile), tile,
                bySlot.begin() + static_cast<std::ptrdiff_t>(setup_.order.slotOfTile[t] * tile));
  backend_->setPopulations(bySlot);
}

std::vector<double> Simulation::populations() {
  const std::size_t tile = setup_.variant->lattice.velocities.size() * 64;
  const std::vector<double> bySlot = backend_->populations();
  std::vector<double> inFileOrder(setup_.order.tiles * tile);
  for (std::size_t t = 0; t < setup_.order.tiles; ++t)
    std::copy_n(bySlot.begin() + static_cast<std::ptrdiff_t>(setup_.order.slotOfTile[t] * tile),
                tile, inFileOrder.begin() + static_cast<std::ptrdiff_t>(t * tile));
  return inFileOrder;
}

void Simulation::saveCheckpoint(const RunFiles& files, const MonitorFile& monitor,
                                const Provenance& provenance) {
  Checkpoint checkpoint{tiles_.contentHash,
                        setup_.variant->name(),
                        physicsHash(setup_),
                        setup_.lattice.tau,
                        setup_.lattice.scales.timeStep,
                        step_,
                        monitor.table().rows,
                        populations()};
  writeCheckpoint(files.checkpoint, checkpoint, setup_.variant->storageBytes, provenance);
}

std::vector<double> Simulation::resumeFrom(const std::filesystem::path& path) {
  const Checkpoint expected{tiles_.contentHash,
                            setup_.variant->name(),
                            physicsHash(setup_),
                            setup_.lattice.tau,
                            setup_.lattice.scales.timeStep,
                            0,
                            {},
                            {}};
  std::optional<Checkpoint> found = readCheckpoint(path, expected);
  if (!found) return {};
  if (found->populations.size() !=
      setup_.order.tiles * setup_.variant->lattice.velocities.size() * 64)
    fail(ExitCode::BadInput, path.string() +
                                 ": section populations does not fit the geometry; run "
                                 "without --resume");
  setPopulations(found->populations);
  step_ = found->step;
  return std::move(found->monitorRows);
}

}  // namespace tessera
