// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a run: checkpoints, fields on the way and at the end. What cannot be written or
// has no memory is told, and the state is not lost for it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>

#include "pipelines/stage/file_errors.hpp"
#include "pipelines/stage/memory.hpp"
#include "pipelines/stage/memory_shortage.hpp"
#include "solver/run_loop.hpp"

namespace tessera {

// What the checkpoint at the end takes, from before the first step on: a run that was begun can
// always be stopped.
HeldMemory Simulation::Loop::takeMemory() {
  std::optional<HeldMemory> held;
  together(ranks_, [&] {
    try {
      s_.finish();
      (void)s_.backend_->savedState();
      held.emplace(besideCopyBytes(s_.setup_));
    } catch (const std::bad_alloc&) {
      fail(ExitCode::NoResource,
           "there is no memory for the checkpoint of a run that is asked to stop, about " +
               formatBytes(static_cast<double>(checkpointBytes(s_.setup_))) +
               "; use a coarser spacing or a machine with more memory");
    }
  });
  return std::move(*held);
}

// Of the cycle to be recorded. All memory that its samples take is taken here, between two steps.
void Simulation::Loop::startMeans() {
  const auto lack = lackOf([&] {
    together(ranks_, [&] { s_.startMeans(); });
    s_.observedAll();
  });
  if (!lack) return;
  s_.accumulator_.reset();  // of some ranks, perhaps
  keepAndFail(*lack);
}

// What body could not have: room in a file, or memory. None: it came to its end.
template <class Body>
std::optional<StageError> Simulation::Loop::lackOf(const Body& body) const {
  try {
    body();
  } catch (const StageError& error) {
    if (error.code() != ExitCode::OutputFailed && error.code() != ExitCode::NoResource) throw;
    return error;
  } catch (const std::bad_alloc&) {
    if (!ranks_.alone()) throw;  // the others do not know
    return StageError(ExitCode::NoResource, notEnoughMemory);
  }
  return std::nullopt;
}

// A state that was not looked at may have diverged, and must not take the place of a good one.
void Simulation::Loop::save() {
  writer_.wait();
  held_.release();
  endLook();
  if (lookedAt_ != s_.step_) look();
  const Clock::time_point start = Clock::now();
  s_.finish();
  Checkpoint checkpoint;
  const auto lack = lackOf([&] {
    together(ranks_, [&] {
      checkpoint =
          s_.checkpoint(monitor_.table(), pulsatile() ? cycles_.state() : std::vector<double>{});
    });
  });
  if (lack)
    writer_.failed(s_.step_, lack->what());
  else
    writer_.start(std::move(checkpoint), s_.backend_->savedState());
  savedAt_ = Clock::now();
  result_.checkpointBlocked = std::max(result_.checkpointBlocked, secondsSince(start));
}

// The older checkpoint is given up where a full disk leaves no room for another.
void Simulation::Loop::saveAndWait() {
  save();
  writer_.wait();
  if (!writer_.makeRoom()) return;
  save();
  writer_.wait();
}

void Simulation::Loop::saveWhenDue() {
  if (result_.stopped) {
    saveAndWait();
    if (writer_.failure().empty()) return;
    fail(ExitCode::OutputFailed,
         "the run was asked to stop, but its checkpoint could not be written: " +
             withoutStop(writer_.failure()) + "; " + keptText());
  }
  const SolverCase& run = s_.setup_.run;
  const bool byTime = run.checkpointEvery > 0.0 && secondsSince(savedAt_) > run.checkpointEvery;
  const bool bySteps = run.checkpointEverySteps > 0 && s_.step_ % run.checkpointEverySteps == 0;
  // By time it waits for its turn while the one before is being written; by steps the run does.
  const bool idle = !writer_.busy();
  if (idle) held_.take();
  if (bySteps || (idle && ofRoot(ranks_, byTime))) save();
}

std::string Simulation::Loop::keptText() const {
  if (!writer_.keptStep()) return "there is none, and the run has to be made again";
  return "that of step " + std::to_string(*writer_.keptStep()) +
         " is kept, and --resume goes on from it";
}

// Between two steps, or after the last: --resume begins where this ends.
void Simulation::Loop::keepAndFail(const StageError& lack) {
  if (writer_.keptStep() != s_.step_) saveAndWait();
  const std::string what = withoutStop(lack.what());
  if (writer_.keptStep() != s_.step_)
    fail(lack.code(), what + "; nor could a checkpoint be written: " +
                          withoutStop(writer_.failure()) + "; " + keptText());
  fail(lack.code(), what + "; the state of step " + std::to_string(s_.step_) + " is kept in " +
                        files_.checkpoint.string() + ": run the same command with --resume");
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
  const std::string path = files_.stem.string() + name;
  const auto lack = lackOf([&] { s_.writeFields(path, fields()); });
  if (lack)
    logWarning("the fields of step " + std::to_string(result_.step) +
               " are left out: " + withoutStop(lack->what()) + "; the run goes on");
}

Fields Simulation::Loop::fields() {
  return s_.fields(result_, files_, monitor_.table(), provenance_);
}

void Simulation::Loop::finish() {
  endLook();
  s_.finish();
  sumUp();
  const SolverCase& run = s_.setup_.run;
  const bool unsettled = (run.converged || pulsatile()) && !result_.converged && !result_.stopped;
  if (unsettled) saveAndWait();  // more steps may be asked for
  writer_.wait();
  if (result_.stopped) return;
  if (unsettled && run.requireConvergence) failUnsettled();
  if (!files_.fields.empty()) {
    held_.release();  // where they fail they leave as much
    const auto lack = lackOf([&] { s_.writeFields(files_.fields, fields()); });
    if (lack) keepAndFail(*lack);
  }
  measureBandwidth();
}

void Simulation::Loop::sumUp() {
  result_.step = s_.step_ + 1;
  result_.seconds = secondsSince(start_);
  result_.mflups = rate();
  result_.watchFraction = watching_ / std::max(1e-9, result_.seconds);
  result_.change = rule_.change();
  result_.errorEstimate = rule_.errorEstimate();
  if (!good_) result_.last = s_.sample();
  result_.monitor = monitor_.table();
  progress_.finish(progressText());
  if (!pulsatile()) return;
  result_.cycles = cycles_.completed();
  result_.cycleChange = cycles_.change();
}

void Simulation::Loop::failUnsettled() const {
  const std::string more =
      pulsatile() ? "cycle_converged allows; raise cycles" : "converged allows; raise steps";
  fail(ExitCode::RunFailed, "after " + std::to_string(result_.step) +
                                " steps the monitored quantities still change more than " + more +
                                (writer_.keptStep() == s_.step_
                                     ? " and run again with --resume"
                                     : "; its checkpoint could not be written: " +
                                           withoutStop(writer_.failure()) + "; " + keptText()));
}

// A run that is done is not lost for want of memory to measure the copy in.
void Simulation::Loop::measureBandwidth() {
  std::uint64_t bandwidth = 0;
  try {
    bandwidth = static_cast<std::uint64_t>(std::llround(s_.copyBandwidth()));
  } catch (const std::bad_alloc&) {
  } catch (const StageError& error) {
    if (error.code() != ExitCode::NoResource) throw;  // of a device: the same
  }
  bandwidth = sumOf(ranks_, bandwidth);
  if (bandwidth > 0)
    result_.bandwidthFraction =
        1e6 * result_.mflups * s_.setup_.variant->bytesPerNode() / static_cast<double>(bandwidth);
}

}  // namespace tessera
