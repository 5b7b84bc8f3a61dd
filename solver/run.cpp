// SPDX-License-Identifier: GPL-3.0-or-later
// The loop of a run: steps between looks at the state, what is recorded, saved and decided at each.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <new>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"
#include "solver/simulation.hpp"
#include "solver/steady.hpp"

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

// Steps between looks at divergence and at stop requests; when something is about to break, and at
// the start, where it would come from the initial state, closer.
constexpr std::uint64_t lookEvery = 100;
constexpr std::uint64_t lookCloselyEvery = 10;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string formatNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1e", value);
  return text;
}

std::string progressText(double mflups, double change) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.4g MFLUPS, change %.1e", mflups, change);
  return text;
}

}  // namespace

class Simulation::Loop {
 public:
  // earlier: the checkpoint the state was taken from, if any.
  Loop(Simulation& simulation, const RunFiles& files, std::optional<Checkpoint> earlier,
       const StopRequests& requests, const Provenance& provenance)
      : s_(simulation),
        files_(files),
        requests_(requests),
        provenance_(provenance),
        ranks_(simulation.ranks_),
        writer_(s_.checkpointWriter(files.checkpoint, provenance)),
        monitor_(openMonitor(), s_.tiles_.geometry.openings, s_.setup_.lattice.scales,
                 earlier ? std::move(earlier->monitorRows) : std::vector<double>{}),
        rule_(s_.setup_.run.converged.value_or(0.0), s_.setup_.rampSteps),
        cycles_(s_.setup_.cycles, s_.tiles_.geometry.openings.size()),
        progress_("step", s_.setup_.run.steps),
        first_(s_.step_) {
    if (earlier) writer_.resumed(first_);
    for (const MonitorSample& sample :
         samplesOf(monitor_.table(), s_.tiles_.geometry.openings.size(), s_.setup_.lattice.scales))
      rule_.met(sample);
    if (earlier && !earlier->cycles.cycles.empty() && !cycles_.restore(earlier->cycles.cycles))
      fail(ExitCode::BadInput, files.checkpoint.string() +
                                   ": section cycles does not fit the case; run without --resume");
    if (pulsatile() && cycles_.recording() && !s_.accumulator_) s_.startMeans();
  }

  RunResult go();

 private:
  [[nodiscard]] std::shared_ptr<const OpenMonitor> openMonitor() const {
    if (!ranks_.isRoot() || files_.openMonitor) return files_.openMonitor;
    return std::make_shared<const OpenMonitor>(files_.monitor);
  }
  [[nodiscard]] bool pulsatile() const { return s_.setup_.cycles.steps > 0; }
  [[nodiscard]] std::uint64_t stepsToNextEvent() const;
  [[nodiscard]] std::uint64_t stepsToNextLook() const;
  [[nodiscard]] std::uint64_t stepsInASecond() const;
  [[nodiscard]] bool lookIsDue() const;
  [[nodiscard]] std::uint64_t phase() const;
  [[nodiscard]] bool mayGoOn() const;
  void beginLook();
  void endLook();
  void look();
  void followCycle();
  void askWhetherToStop();
  [[nodiscard]] double secondsToStop() const;
  void saveWhenDue();
  void save();
  void saveAndWait();
  void saveFieldsWhenDue();
  void saveFields(std::uint64_t number);
  void finish();
  [[nodiscard]] double rate() const {
    return static_cast<double>(s_.tiles_.geometry.fluidNodes) *
           static_cast<double>(s_.step_ - first_) / (1e6 * std::max(1e-9, secondsSince(start_)));
  }
  [[noreturn]] void failDiverged();

  Simulation& s_;
  const RunFiles& files_;
  const StopRequests& requests_;
  const Provenance& provenance_;
  Ranks& ranks_;
  CheckpointWriter writer_;
  MonitorFile monitor_;  // rank 0 alone has a file of it
  SteadyRule rule_;
  Cycles cycles_;
  Progress progress_;
  RunResult result_;
  const std::uint64_t first_;
  // The fields are the moments of the step after the last collision, so one step less is made.
  const std::uint64_t last_ = s_.setup_.run.steps - 1;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point savedAt_ = start_;
  std::optional<Clock::time_point> askedAt_;
  std::optional<MonitorSample> good_;  // the last look that found nothing
  std::uint64_t lookedAt_ = s_.step_;
  bool looking_ = false;  // a look was begun, and steps may have followed
  bool closely_ = false;
  double watching_ = 0.0;  // s
};

std::uint64_t Simulation::Loop::stepsToNextLook() const {
  const bool closely = closely_ || s_.step_ < first_ + lookEvery;
  const std::uint64_t since = s_.step_ - lookedAt_;
  const std::uint64_t interval = closely ? lookCloselyEvery : lookEvery;
  return since < interval ? interval - since : 0;
}

// Whether the state is to be looked at, not only added to means.
bool Simulation::Loop::lookIsDue() const {
  const std::uint64_t fieldsEvery = s_.setup_.fieldsEvery;
  return stepsToNextLook() == 0 || s_.step_ == last_ || phase() > 0 ||
         s_.step_ % s_.setup_.run.monitorEvery == 0 ||
         (fieldsEvery > 0 && (s_.step_ + 1) % fieldsEvery == 0);
}

// At least one; as measured so far, before the first as slow as one thread. So that a run is asked
// often enough whether to stop, however slow it is.
std::uint64_t Simulation::Loop::stepsInASecond() const {
  constexpr double leastMflups = 1.0;
  const double mflups = s_.step_ > first_ ? rate() : leastMflups;
  const double steps = 1e6 * mflups / static_cast<double>(s_.tiles_.geometry.fluidNodes);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(1e9, steps)));
}

// To whatever is next to be done. Fields and phases of step p are those of the state after p - 1.
std::uint64_t Simulation::Loop::stepsToNextEvent() const {
  const std::uint64_t every = s_.setup_.run.monitorEvery;
  std::uint64_t steps = std::min({stepsToNextLook(), every - s_.step_ % every, last_ - s_.step_});
  const std::uint64_t fieldsEvery = s_.setup_.fieldsEvery;
  if (fieldsEvery > 0) steps = std::min(steps, fieldsEvery - (s_.step_ + 1) % fieldsEvery);
  const std::uint64_t saveEvery = s_.setup_.run.checkpointEverySteps;
  if (saveEvery > 0) steps = std::min(steps, saveEvery - s_.step_ % saveEvery);
  steps = std::min(steps, stepsInASecond());
  if (!pulsatile()) return steps;
  const CyclePlan& plan = s_.setup_.cycles;
  const std::uint64_t now = s_.step_ + 1;
  steps = std::min(steps, nextPoint(now, plan.phases, plan.steps) - now);
  if (cycles_.recording()) steps = std::min(steps, nextPoint(now, plan.samples, plan.steps) - now);
  return steps;
}

std::uint64_t Simulation::Loop::phase() const {
  if (!pulsatile()) return 0;
  return pointAt(s_.step_ + 1, s_.setup_.cycles.phases, s_.setup_.cycles.steps);
}

// Means, fields of phases and the end of a cycle, when they are due.
void Simulation::Loop::followCycle() {
  if (!pulsatile()) return;
  const CyclePlan& plan = s_.setup_.cycles;
  if (cycles_.recording() && pointAt(s_.step_ + 1, plan.samples, plan.steps) > 0) s_.addToMeans();
  const std::uint64_t k = phase();
  if (k == 0) return;
  cycles_.addPhase(result_.last);
  if (cycles_.recording()) saveFields(k);
  if (k < plan.phases) return;
  cycles_.close();
  result_.converged = cycles_.done() && cycles_.converged();
  if (cycles_.recording()) s_.startMeans();
  logDetail("cycle " + std::to_string(cycles_.completed()) + " done, change " +
            formatNumber(cycles_.change()));
}

void Simulation::Loop::saveFieldsWhenDue() {
  const std::uint64_t every = s_.setup_.fieldsEvery;
  if (every > 0 && (s_.step_ + 1) % every == 0) saveFields((s_.step_ + 1) / every);
}

void Simulation::Loop::saveFields(std::uint64_t number) {
  endLook();
  result_.step = s_.step_ + 1;
  char name[32];
  std::snprintf(name, sizeof(name), ".%04llu.fields", static_cast<unsigned long long>(number));
  const Fields fields = s_.fields(result_, files_, monitor_.table(), provenance_);
  s_.writeFields(files_.stem.string() + name, fields);
}

// Whether steps may go on before what the look finds is known: on a device, where they need not
// wait for it then, unless it may end the run or what is near breaking is looked at closely.
bool Simulation::Loop::mayGoOn() const {
  return s_.setup_.backend == BackendKind::Cuda && !pulsatile() && !closely_ &&
         s_.step_ >= first_ + lookEvery && !rule_.mayBeMet();
}

void Simulation::Loop::beginLook() {
  endLook();
  s_.beginSample();
  lookedAt_ = s_.step_;
  looking_ = true;
}

// Of the look that was begun, if any.
void Simulation::Loop::endLook() {
  if (!looking_) return;
  looking_ = false;
  result_.last = s_.endSample();
  watching_ += s_.sampleSeconds();
  if (hasDiverged(result_.last.nodes)) failDiverged();
  closely_ = mayDiverge(result_.last.nodes);
  good_ = result_.last;
  if (result_.last.step % s_.setup_.run.monitorEvery != 0) return;
  monitor_.add(result_.last);
  const bool met = rule_.met(result_.last);
  if (!pulsatile()) result_.converged = met && s_.setup_.run.converged.has_value();
}

// Without steps in between: they wait for all of it.
void Simulation::Loop::look() {
  endLook();
  s_.finish();
  const Clock::time_point start = Clock::now();
  beginLook();
  endLook();
  watching_ += secondsSince(start) - s_.sampleSeconds();
}

void Simulation::Loop::failDiverged() {
  const auto place = s_.findBrokenPlace().found();
  writer_.wait();
  const std::string kept = writer_.keptStep()
                               ? "; the checkpoint of step " + std::to_string(*writer_.keptStep()) +
                                     ", the last good one, is kept"
                               : "; no checkpoint had been written";
  fail(ExitCode::RunFailed,
       divergenceText({s_.setup_.run, s_.setup_.lattice, s_.tiles_.geometry, s_.setup_.order,
                       s_.setup_.rampSteps, result_.last, good_, ranks_},
                      place) +
           kept);
}

// A state that was not looked at may have diverged, and must not take the place of a good one.
void Simulation::Loop::save() {
  writer_.wait();
  endLook();
  if (lookedAt_ != s_.step_) look();
  const Clock::time_point start = Clock::now();
  s_.finish();
  writer_.start(
      s_.checkpoint(monitor_.table(), pulsatile() ? cycles_.state() : std::vector<double>{}),
      s_.backend_->savedState());
  savedAt_ = Clock::now();
  result_.checkpointBlocked = std::max(result_.checkpointBlocked, secondsSince(start));
}

void Simulation::Loop::saveAndWait() {
  save();
  writer_.wait();
}

void Simulation::Loop::saveWhenDue() {
  if (result_.stopped) {
    saveAndWait();
    if (writer_.failure().empty()) return;
    fail(
        ExitCode::OutputFailed,
        "the run was asked to stop, but its checkpoint could not be written: " + writer_.failure() +
            (writer_.keptStep() ? " That of step " + std::to_string(*writer_.keptStep()) +
                                      " is kept, and --resume goes on from it"
                                : " There is none; the run has to be made again"));
  }
  const SolverCase& run = s_.setup_.run;
  const bool byTime = run.checkpointEvery > 0.0 && secondsSince(savedAt_) > run.checkpointEvery;
  const bool bySteps = run.checkpointEverySteps > 0 && s_.step_ % run.checkpointEverySteps == 0;
  // By time it waits for its turn while the one before is being written; by steps the run does.
  if (bySteps || (!writer_.busy() && ofRoot(ranks_, byTime))) save();
}

// From now to the end of the program: the step that goes on, the checkpoint, the way out. Not more
// than half of the time there was, so that the shortest job makes some steps.
double Simulation::Loop::secondsToStop() const {
  const double needed = 2.0 + 2.0 * writer_.expectedSeconds();
  if (!requests_.end) return needed;
  return std::min(needed, 0.5 * std::chrono::duration<double>(*requests_.end - start_).count());
}

// A signal may come to any of the ranks; what depends on clocks and files the first one decides.
void Simulation::Loop::askWhetherToStop() {
  constexpr double every = 0.2;  // s; a signal costs nothing to look at, a file does
  const bool signal = largestOf(ranks_, requests_.asked() ? 1.0 : 0.0) > 0.0;
  if (signal) {
    result_.stoppedBy = "a signal";
  } else if (!askedAt_ || secondsSince(*askedAt_) >= every) {
    askedAt_ = Clock::now();
    if (ranks_.isRoot()) result_.stoppedBy = requests_.reason(secondsToStop());
  }
  result_.stopped = ofRoot(ranks_, !result_.stoppedBy.empty());
}

RunResult Simulation::Loop::go() {
  const auto done = [&] {
    return result_.stopped || (pulsatile() ? cycles_.done() : result_.converged);
  };
  while (s_.step_ < last_ && !done()) {
    s_.advance(ofRoot(ranks_, stepsToNextEvent()));
    endLook();
    if (lookIsDue()) mayGoOn() ? beginLook() : look();
    followCycle();
    saveFieldsWhenDue();
    askWhetherToStop();
    saveWhenDue();
    progress_.update(s_.step_, progressText(rate(), rule_.change()));
  }
  finish();
  return std::move(result_);
}

void Simulation::Loop::finish() {
  endLook();
  s_.finish();
  const SolverCase& run = s_.setup_.run;
  result_.step = s_.step_ + 1;
  result_.seconds = secondsSince(start_);
  result_.mflups = rate();
  result_.watchFraction = watching_ / std::max(1e-9, result_.seconds);
  result_.change = rule_.change();
  result_.errorEstimate = rule_.errorEstimate();
  if (!good_) result_.last = s_.sample();
  result_.monitor = monitor_.table();
  progress_.finish(progressText(result_.mflups, result_.change));
  if (pulsatile()) {
    result_.cycles = cycles_.completed();
    result_.cycleChange = cycles_.change();
  }
  const bool unsettled = (run.converged || pulsatile()) && !result_.converged && !result_.stopped;
  if (unsettled) saveAndWait();  // more steps may be asked for
  writer_.wait();
  if (result_.stopped) return;
  if (unsettled && run.requireConvergence)
    fail(ExitCode::RunFailed, "after " + std::to_string(result_.step) +
                                  " steps the monitored quantities still change more than " +
                                  (pulsatile() ? "cycle_converged allows; raise cycles"
                                               : "converged allows; raise steps") +
                                  " and run again with --resume");
  std::uint64_t bandwidth = 0;
  try {
    bandwidth = static_cast<std::uint64_t>(s_.copyBandwidth() + 0.5);
  } catch (const std::bad_alloc&) {
    // No room to measure the copy in: a run that is done is not lost for it.
  } catch (const StageError& error) {
    if (error.code() != ExitCode::NoResource) throw;  // of a device: the same
  }
  bandwidth = sumOf(ranks_, bandwidth);
  if (bandwidth > 0)
    result_.bandwidthFraction =
        1e6 * result_.mflups * s_.setup_.variant->bytesPerNode() / static_cast<double>(bandwidth);
}

RunResult Simulation::run(const RunFiles& files, bool resume, const StopRequests& stop,
                          const Provenance& provenance) {
  std::optional<Checkpoint> earlier = resume ? resumeFrom(files.checkpoint) : std::nullopt;
  RunResult result = Loop(*this, files, std::move(earlier), stop, provenance).go();
  if (result.stopped && ranks_.isRoot()) stop.obeyed();
  return result;
}

}  // namespace tessera
