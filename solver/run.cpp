// SPDX-License-Identifier: GPL-3.0-or-later
// Steps between looks at the state, what is recorded and decided at each.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "solver/run_loop.hpp"

namespace tessera {

namespace {

// Steps between looks at divergence and at stop requests; when something is about to break, and at
// the start, where it would come from the initial state, closer.
constexpr std::uint64_t lookEvery = 100;
constexpr std::uint64_t lookCloselyEvery = 10;

std::string formatNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1e", value);
  return text;
}

}  // namespace

// What stops a run, as it was at the checkpoint: one made at the very end ends there again.
void Simulation::Loop::takeUpRules(const std::vector<double>& cycles) {
  for (const MonitorSample& sample :
       samplesOf(monitor_.table(), s_.tiles_.geometry.openings.size(), s_.setup_.lattice.scales)) {
    const bool met = rule_.met(sample);
    if (!pulsatile() && sample.step == first_)
      result_.converged = met && s_.setup_.run.converged.has_value();
  }
  if (cycles.empty()) return;
  if (!cycles_.restore(cycles))
    fail(ExitCode::BadInput, files_.checkpoint.string() +
                                 ": section cycles does not fit the case; run without --resume");
  result_.converged = cycles_.done() && cycles_.converged();
}

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
  if (cycles_.recording()) startMeans();
  logDetail("cycle " + std::to_string(cycles_.completed()) + " done, change " +
            formatNumber(cycles_.change()));
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

std::string Simulation::Loop::progressText() const {
  char text[64];
  std::snprintf(text, sizeof(text), "%.4g MFLUPS, change %.1e", rate(), rule_.change());
  return text;
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
    progress_.update(s_.step_, progressText());
  }
  finish();
  return std::move(result_);
}

RunResult Simulation::run(const RunFiles& files, bool resume, const StopRequests& stop,
                          const Provenance& provenance) {
  std::optional<Checkpoint> earlier = resume ? resumeFrom(files.checkpoint) : std::nullopt;
  RunResult result = Loop(*this, files, std::move(earlier), stop, provenance).go();
  if (result.stopped && ranks_.isRoot()) stop.obeyed();
  return result;
}

}  // namespace tessera
