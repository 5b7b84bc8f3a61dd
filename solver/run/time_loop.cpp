// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/time_loop.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/run/divergence.hpp"

namespace tessera::solver::run {

using stage::ExitCode;
using stage::fail;

namespace {

// Steps between samples for divergence and stop requests; fewer near divergence, and at the start,
// where it would come from the initial state.
constexpr std::uint64_t sampleEvery = 100;
constexpr std::uint64_t sampleCloselyEvery = 10;

std::string formatNumber(double value) {
  return fmt::format("{:.1e}", value);
}

// Rank 0 writes the monitor.
std::shared_ptr<const OpenMonitor> openMonitor(const RunFiles& files, const comm::Ranks& ranks) {
  if (!ranks.isRoot() || files.openMonitor) return files.openMonitor;
  return std::make_shared<const OpenMonitor>(files.monitor);
}

}  // namespace

TimeLoop::TimeLoop(Simulation& simulation, const RunFiles& files, bool resume,
                   const StopRequests& stop, const stage::Provenance& provenance,
                   std::optional<Continuation> recovered)
    : simulation_(simulation),
      setup_(simulation.setup()),
      ranks_(*setup_.ranks),
      files_(files),
      requests_(stop),
      provenance_(provenance),
      means_(simulation),
      resumed_(recovered ? std::optional(std::move(recovered->from))
               : resume  ? restoreNewest(files.checkpoint, simulation, means_)
                         : std::nullopt),
      kept_(simulation, resumed_ ? std::move(resumed_->kept) : std::vector<file::KeptState>{}),
      march_(simulation, resumed_ ? std::move(resumed_->march) : file::MarchState{}),
      checkpoints_(simulation, means_, files.checkpoint, provenance, kept_.on(),
                   resumed_ && !recovered ? std::optional(resumed_->step) : std::nullopt),
      monitor_(openMonitor(files, ranks_), simulation.tiles().geometry.openings,
               resumed_ ? monitoredWalls(*resumed_, simulation.tiles().geometry.wallNames.size())
                        : simulation.tiles().geometry.wallNames.size(),
               setup_.lattice.scales,
               resumed_ ? std::move(resumed_->monitorRows) : std::vector<double>{},
               setup_.recoveries.size(), setup_.run.probes, setup_.run.stations),
      rule_(setup_.run.converged.value_or(0.0), setup_.rampSteps),
      cycles_(setup_.cycles, simulation.tiles().geometry.openings.size()),
      progress_("step", setup_.run.steps, simulation.step()),
      first_(simulation.step()),
      last_(setup_.run.steps - 1),
      sampledAt_(first_),
      recovered_(recovered.has_value()) {
  restoreRules(resumed_ ? resumed_->cycles.cycles : std::vector<double>{});
  resumed_.reset();
  if (recovered) checkpoints_.follow(recovered->checkpoint);
  if (pulsatile() && cycles_.recording() && !means_.recording()) startMeans();
}

double TimeLoop::rate() const {
  return static_cast<double>(simulation_.tiles().geometry.fluidNodes) *
         static_cast<double>(step() - first_) / (1e6 * std::max(1e-9, secondsSince(start_)));
}

std::string TimeLoop::progressText() const {
  return fmt::format("{:.4g} MFLUPS, change {:.1e}", rate(), rule_.change());
}

// Stop state restored from a checkpoint: a run resumed at its end stops there again.
void TimeLoop::restoreRules(const std::vector<double>& cycles) {
  auto jump = march_.state().jumps.begin();
  const auto restartBefore = [&](std::uint64_t step) {
    for (; jump != march_.state().jumps.end() && *jump < step; ++jump) rule_.restart();
  };
  for (const MonitorSample& sample : samplesOf(
           monitor_.table(), simulation_.tiles().geometry.openings.size(), setup_.lattice.scales)) {
    restartBefore(sample.step);
    const bool met = rule_.met(sample);
    if (!pulsatile() && sample.step == first_)
      result_.converged = met && setup_.run.converged.has_value();
  }
  restartBefore(step() + 1);
  if (cycles.empty()) return;
  if (!cycles_.restore(cycles))
    fail(ExitCode::BadInput, files_.checkpoint.string() +
                                 ": section cycles does not fit the case; run without --resume");
  result_.converged = cycles_.done() && cycles_.converged();
}

std::uint64_t TimeLoop::stepsToNextSample() const {
  const bool closely = closely_ || step() < first_ + sampleEvery;
  const std::uint64_t interval = closely ? sampleCloselyEvery : sampleEvery;
  const std::uint64_t since = step() % interval;  // the same steps for a run that was resumed
  return since == 0 && step() != sampledAt_ ? 0 : interval - since;
}

bool TimeLoop::sampleIsDue() const {
  const std::uint64_t fieldsEvery = setup_.fieldsEvery;
  return stepsToNextSample() == 0 || step() == last_ || phase() > 0 ||
         step() % setup_.run.monitorEvery == 0 ||
         (fieldsEvery > 0 && (step() + 1) % fieldsEvery == 0);
}

// At least one; as measured so far, before the first as slow as one thread. Bounds the time between
// two polls of stop requests, however slow the run is.
std::uint64_t TimeLoop::stepsInASecond() const {
  constexpr double leastMflups = 1.0;
  const double mflups = step() > first_ ? rate() : leastMflups;
  const double steps = 1e6 * mflups / static_cast<double>(simulation_.tiles().geometry.fluidNodes);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(1e9, steps)));
}

// Fields and phases of step p are those of the state after p - 1 steps.
std::uint64_t TimeLoop::stepsToNextEvent() const {
  const std::uint64_t every = setup_.run.monitorEvery;
  std::uint64_t steps = std::min({stepsToNextSample(), every - step() % every, last_ - step()});
  const std::uint64_t fieldsEvery = setup_.fieldsEvery;
  if (fieldsEvery > 0) steps = std::min(steps, fieldsEvery - (step() + 1) % fieldsEvery);
  const std::uint64_t saveEvery = setup_.run.checkpointEverySteps;
  if (saveEvery > 0) steps = std::min(steps, saveEvery - step() % saveEvery);
  steps = std::min(steps, stepsInASecond());
  if (march_.on()) steps = std::min(steps, march_.stepsToNext());
  if (!pulsatile()) return steps;
  const CyclePlan& plan = setup_.cycles;
  const std::uint64_t now = step() + 1;
  steps = std::min(steps, nextPoint(now, plan.phases, plan) - now);
  if (cycles_.recording()) steps = std::min(steps, nextPoint(now, plan.samples, plan) - now);
  return steps;
}

std::uint64_t TimeLoop::phase() const {
  if (!pulsatile()) return 0;
  return pointAt(step() + 1, setup_.cycles.phases, setup_.cycles);
}

bool TimeLoop::done() const {
  return result_.stopped || (pulsatile() ? cycles_.done() : result_.converged);
}

// On a device, where the sample overlaps with steps, unless it may end the run or divergence is
// near.
bool TimeLoop::maySampleWhileStepping() const {
  return setup_.backend == BackendKind::Cuda && !pulsatile() && !closely_ &&
         step() >= first_ + sampleEvery && !rule_.mayBeMet() && !kept_.due(step()) && !march_.due();
}

void TimeLoop::beginSample() {
  endSample();
  simulation_.beginSample();
  sampledAt_ = step();
  sampling_ = true;
}

// Takes the sample that was begun, if any.
void TimeLoop::endSample() {
  if (!sampling_) return;
  sampling_ = false;
  result_.last = simulation_.endSample();
  sampleSeconds_ += simulation_.sampleSeconds();
  broken_ = hasDiverged(result_.last.nodes);
  closely_ = mayDiverge(result_.last.nodes);
  if (broken_) return followDivergence();
  if (result_.last.step % sampleEvery == 0) kept_.follow(result_.last.step, !closely_);
  good_ = result_.last;
  if (result_.last.step % setup_.run.monitorEvery != 0) return;
  monitor_.add(result_.last);
  const bool met = rule_.met(result_.last);
  if (!pulsatile()) result_.converged = met && setup_.run.converged.has_value();
}

// Steps wait for all of it, which counts as time of samples.
void TimeLoop::sampleAndWait() {
  endSample();
  simulation_.finish();
  const Clock::time_point start = Clock::now();
  beginSample();
  endSample();
  sampleSeconds_ += secondsSince(start) - simulation_.sampleSeconds();
}

// Steps at which a divergence decides the run: the same for a run that was killed and resumed.
bool TimeLoop::decidesDivergence(std::uint64_t step) const {
  return step % sampleEvery == 0 || step == last_ || step % setup_.run.monitorEvery == 0 ||
         phase() > 0;
}

void TimeLoop::followDivergence() {
  const file::KeptState* const kept = kept_.last();
  if (kept == nullptr) failDiverged();
  if (!decidesDivergence(result_.last.step)) return;
  const double now = static_cast<double>(setup_.refinement());
  const double fastest =
      std::max(setup_.lattice.velocityMax,
               fastestOf(*kept, ranks_) * static_cast<double>(kept->refinement) / now);
  recovery_ =
      setup_.accelerated && !march_.state().jumps.empty()
          ? withoutAcceleration(setup_, *kept, result_.last.step)
          : planRecovery(setup_, *kept, fastest, result_.last.step, hasRoomForCumulants(setup_));
  if (!recovery_) failDiverged();
  stage::logWarning(fmt::format(
      "{}; recovery {} of at most {}: the run goes back to {} and continues with {}, for {}",
      divergenceFound(divergedRun(), divergenceLocation(simulation_).found()),
      setup_.recoveries.size() + 1, mostRecoveries,
      stage::formatQuantity(recovery_->time, stage::Dimension::Time),
      continuationText(setup_, *recovery_), recovery_->reason));
}

DivergedRun TimeLoop::divergedRun() const {
  return {setup_.run,   setup_.lattice,   simulation_.tiles().geometry,
          setup_.order, setup_.rampSteps, result_.last,
          good_,        ranks_,           setup_.recoveries};
}

void TimeLoop::failDiverged() {
  const auto location = divergenceLocation(simulation_).found();
  checkpoints_.wait();
  const auto kept = checkpoints_.stillKept();
  const std::string text =
      kept ? fmt::format("; the checkpoint of step {}, the last good one, is kept", *kept)
           : "; no checkpoint had been written";
  fail(ExitCode::RunFailed, divergenceText(divergedRun(), location) + text);
}

// Memory that the copy takes for a moment may be missing; the run then goes on without it.
void TimeLoop::keep() {
  checkpoints_.wait();  // it may be writing what is kept
  const std::uint64_t rows = monitor_.table().rows.size() / monitor_.table().columns.size();
  const auto missing =
      missingResource(ranks_, [&] { kept_.keep(rows, outletValues(simulation_), cyclesState()); });
  if (missing)
    stage::logWarning(fmt::format(
        "the state of step {} is not kept: {}; the run continues, and goes back further should it "
        "diverge",
        step(), stage::withoutStop(missing->what())));
}

// After the cycle was followed, so that a phase is not counted twice.
void TimeLoop::keepWhenDue() {
  if (kept_.due(step()) && step() == sampledAt_ && !broken_ && !closely_ && !means_.recording())
    keep();
}

// Before a checkpoint of this step. The change that ends a run is not followed by an extrapolation.
void TimeLoop::followMarch() {
  if (!march_.due() || done() || broken_ || closely_) return;
  checkpoints_.wait();  // it may be writing the samples
  if (march_.follow(rule_.mayBeLeft())) rule_.restart();
}

// The state that a run starts from is the first that it can go back to, unless it is not a state of
// a flow at all.
void TimeLoop::keepFirst() {
  if (!kept_.on() || kept_.last() != nullptr) return;
  if (first_ > 0 && means_.recording()) return;  // their sums are not kept
  if (!hasDiverged(simulation_.sample().nodes)) keep();
}

// Continues from a kept state: with its sample, and a checkpoint if the run writes any.
void TimeLoop::beginRecovered() {
  sampleAndWait();
  const bool saves = setup_.run.checkpointEvery > 0.0 || setup_.run.checkpointEverySteps > 0;
  if (saves && !broken_) checkpoints_.save(monitor_.table(), progressState());
}

// Means, fields of phases and the end of a cycle, when they are due.
void TimeLoop::followCycle() {
  if (!pulsatile()) return;
  const CyclePlan& plan = setup_.cycles;
  if (cycles_.recording() && pointAt(step() + 1, plan.samples, plan) > 0) means_.add();
  const std::uint64_t k = phase();
  if (k == 0) return;
  const bool recorded = cycles_.recording();
  cycles_.addPhase(result_.last);
  if (k == plan.phases) {
    cycles_.close();
    result_.converged = cycles_.done() && cycles_.converged();
  }
  if (recorded) writeIntermediate(k);
  if (k < plan.phases) return;
  if (cycles_.recording()) startMeans();
  stage::logDetail(fmt::format("cycle {} done, change {}, distance from the periodic flow {}",
                               cycles_.completed(), formatNumber(cycles_.change()),
                               formatNumber(cycles_.distance())));
}

// Without memory for the means the run ends between two steps, with a checkpoint.
void TimeLoop::startMeans() {
  const auto missing = missingResource(ranks_, [&] { means_.start(); });
  if (!missing) return;
  means_.discard();
  saveAndFail(*missing);
}

std::vector<double> TimeLoop::cyclesState() const {
  return pulsatile() ? cycles_.state() : std::vector<double>{};
}

// Time to the end of the program: the current step, the checkpoint, clean-up. At most half of the
// available time, so that the shortest job makes some steps.
double TimeLoop::secondsToStop() const {
  const double needed = 2.0 + 2.0 * checkpoints_.expectedSeconds();
  if (!requests_.end) return needed;
  return std::min(needed, 0.5 * std::chrono::duration<double>(*requests_.end - start_).count());
}

// A signal may come to any of the ranks; what depends on clocks and files the first one decides.
void TimeLoop::pollStopRequests() {
  constexpr double every = 0.2;  // s, between looks for a file; a signal costs nothing to poll
  const bool signal = comm::largestOf(ranks_, requests_.asked() ? 1.0 : 0.0) > 0.0;
  if (signal) {
    result_.stoppedBy = "a signal";
  } else if (!polledAt_ || secondsSince(*polledAt_) >= every) {
    polledAt_ = Clock::now();
    if (ranks_.isRoot()) result_.stoppedBy = requests_.reason(secondsToStop());
  }
  result_.stopped = comm::ofRoot(ranks_, !result_.stoppedBy.empty());
}

// A state that was not sampled may have diverged, and must not replace a good one.
void TimeLoop::sampleBeforeSaving() {
  endSample();
  if (sampledAt_ != step()) sampleAndWait();
}

void TimeLoop::saveAndWait() {
  sampleBeforeSaving();
  checkpoints_.saveAndWait(monitor_.table(), progressState());
}

// A state that has diverged waits for the step that decides, at most sampleEvery later.
void TimeLoop::saveWhenDue() {
  if (!result_.stopped && !checkpoints_.due()) return;
  sampleBeforeSaving();
  if (broken_) {
    result_.stopped = false;
    return;
  }
  if (!result_.stopped) return checkpoints_.save(monitor_.table(), progressState());
  saveAndWait();
  if (checkpoints_.failure().empty()) return;
  fail(ExitCode::OutputFailed,
       "the run was asked to stop, but its checkpoint could not be written: " +
           checkpoints_.failure() + "; " + checkpoints_.keptText());
}

// Between two steps, or after the last: --resume continues there.
void TimeLoop::saveAndFail(const stage::StageError& missing) {
  if (!checkpoints_.kept(step())) saveAndWait();
  const std::string what = stage::withoutStop(missing.what());
  if (!checkpoints_.kept(step()))
    fail(missing.code(), what + "; nor could a checkpoint be written: " + checkpoints_.failure() +
                             "; " + checkpoints_.keptText());
  fail(missing.code(),
       fmt::format("{}; the state of step {} is kept in {}: run the same command with --resume",
                   what, step(), files_.checkpoint.string()));
}

void TimeLoop::writeIntermediateWhenDue() {
  const std::uint64_t every = setup_.fieldsEvery;
  if (every > 0 && (step() + 1) % every == 0) writeIntermediate((step() + 1) / every);
}

void TimeLoop::writeIntermediate(std::uint64_t number) {
  endSample();
  result_.step = step() + 1;
  const auto missing =
      missingResource(ranks_, [&] { writeFields(files_.intermediate(number), fields(), setup_); });
  if (missing)
    stage::logWarning(fmt::format("the fields of step {} are left out: {}; the run continues",
                                  result_.step, stage::withoutStop(missing->what())));
}

file::Fields TimeLoop::fields() {
  file::Fields out = fieldsOf(simulation_, result_);
  if (means_.complete()) {
    stage::together(ranks_, [&] { out.means = means_.fields(result_.step); });
    out.means->distance = cycles_.distance();
  }
  out.tilesName = files_.tilesName;
  out.caseText = files_.caseText;
  out.monitorColumns = monitor_.table().columns;
  out.monitorRows = monitor_.table().rows;
  out.provenance = provenance_;
  return out;
}

RunResult TimeLoop::run() {
  recovered_ ? beginRecovered() : keepFirst();
  while (step() < last_ && !done() && !recovery_) {
    simulation_.advance(comm::ofRoot(ranks_, stepsToNextEvent()));
    endSample();
    if (sampleIsDue() && !recovery_) maySampleWhileStepping() ? beginSample() : sampleAndWait();
    if (recovery_) break;
    followCycle();
    keepWhenDue();
    followMarch();
    writeIntermediateWhenDue();
    pollStopRequests();
    saveWhenDue();
    progress_.update(step(), progressText());
  }
  if (!recovery_) finish();
  checkpoints_.wait();
  result_.monitor = monitor_.table();
  if (recovery_) result_.seconds = secondsSince(start_);
  result_.stepsMade = step() - first_;
  result_.jumps = march_.state().jumps;
  result_.marchGivenUp = march_.state().givenUp;
  return std::move(result_);
}

void TimeLoop::finish() {
  endSample();
  if (recovery_) return;
  simulation_.finish();
  sumUp();
  const cases::SolverCase& run = setup_.run;
  const bool unsettled = (run.converged || pulsatile()) && !result_.converged && !result_.stopped;
  if (unsettled) saveAndWait();  // more steps may be asked for
  checkpoints_.wait();
  result_.checkpointBlocked = checkpoints_.blockedSeconds();
  if (result_.stopped) return;
  if (unsettled && run.requireConvergence) failUnsettled();
  if (!files_.fields.empty()) {
    checkpoints_.releaseMemory();  // fields that fail leave as much free
    const auto missing =
        missingResource(ranks_, [&] { writeFields(files_.fields, fields(), setup_); });
    if (missing) saveAndFail(*missing);
  }
  measureBandwidth(simulation_, result_);
}

void TimeLoop::sumUp() {
  result_.step = step() + 1;
  result_.seconds = secondsSince(start_);
  result_.mflups = rate();
  result_.watchFraction = sampleSeconds_ / std::max(1e-9, result_.seconds);
  result_.change = rule_.change();
  result_.errorEstimate = rule_.errorEstimate();
  if (!good_) result_.last = simulation_.sample();
  progress_.finish(progressText());
  if (!pulsatile()) return;
  result_.cycles = cycles_.completed();
  result_.cycleChange = cycles_.change();
  result_.cycleDistance = cycles_.distance();
}

void TimeLoop::failUnsettled() const {
  const std::string more =
      pulsatile() ? "are further from the periodic flow than cycle_converged allows; raise cycles"
                  : "still change more than converged allows; raise steps";
  fail(ExitCode::RunFailed,
       fmt::format("after {} steps the monitored quantities {}{}", result_.step, more,
                   checkpoints_.kept(step())
                       ? " and run again with --resume"
                       : "; its checkpoint could not be written: " + checkpoints_.failure() + "; " +
                             checkpoints_.keptText()));
}

RunResult runToEnd(Simulation& simulation, const RunFiles& files, bool resume,
                   const StopRequests& stop, const stage::Provenance& provenance) {
  std::optional<Continuation> recovered;
  std::uint64_t steps = 0;
  double seconds = 0.0;
  for (;;) {
    std::optional<TimeLoop> loop(std::in_place, simulation, files, resume, stop, provenance,
                                 std::move(recovered));
    RunResult result = loop->run();
    result.stepsMade = steps += result.stepsMade;
    result.seconds = seconds += result.seconds;
    const std::optional<file::Recovery> recovery = loop->recovery();
    if (!recovery) {
      if (result.stopped && simulation.setup().ranks->isRoot()) stop.obeyed();
      return result;
    }
    const file::KeptState kept = loop->keptState();
    const std::optional<std::uint64_t> checkpoint = loop->checkpoint();
    loop.reset();  // gives up its memory and the monitor
    recovered = {goBack(kept, *recovery, result.monitor, simulation), checkpoint};
    recovered->from.march.jumps = jumpsUntil(kept, *recovery, result.jumps);
  }
}

}  // namespace tessera::solver::run
