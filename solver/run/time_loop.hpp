// SPDX-License-Identifier: GPL-3.0-or-later
// Time loop: stepping, sampling, stop rules, and when output and checkpoints are written.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/cli/progress.hpp"
#include "solver/run/checkpoints.hpp"
#include "solver/run/cycle_means.hpp"
#include "solver/run/divergence.hpp"
#include "solver/run/output.hpp"
#include "solver/run/recovery.hpp"
#include "solver/run/run_files.hpp"
#include "solver/run/simulation.hpp"
#include "solver/run/steady_march.hpp"
#include "solver/run/stop.hpp"

namespace tessera::solver::run {

// Runs to the end and writes files.fields. resume: from the newest valid checkpoint, if there is
// one. stop: polled every second or step, whichever is longer. A run that diverges goes back to a
// kept state and continues with another set-up (recovery.hpp), which the simulation then has.
// Collective. Throws StageError(RunFailed) when the run diverges for good (no checkpoint is
// overwritten then) or does not converge as required, OutputFailed when it was asked to stop and
// its checkpoint could not be written; before the first step NoResource without the memory for a
// checkpoint. Where there is no room for the fields (OutputFailed, NoResource) a checkpoint is
// kept.
RunResult runToEnd(Simulation& simulation, const RunFiles& files, bool resume,
                   const StopRequests& stop, const stage::Provenance& provenance);

// Continuation of a run that diverged.
struct Continuation {
  file::Checkpoint from;                    // goBack()'s result
  std::optional<std::uint64_t> checkpoint;  // step of the newest that was written before
};

class TimeLoop {
 public:
  // All arguments must outlive this. As runToEnd.
  TimeLoop(Simulation& simulation, const RunFiles& files, bool resume, const StopRequests& stop,
           const stage::Provenance& provenance,
           std::optional<Continuation> recovered = std::nullopt);
  TimeLoop(const TimeLoop&) = delete;
  TimeLoop& operator=(const TimeLoop&) = delete;
  RunResult run();
  // How the run continues after it diverged; nullopt: it did not.
  [[nodiscard]] const std::optional<file::Recovery>& recovery() const { return recovery_; }
  [[nodiscard]] const file::KeptState& keptState() const { return *kept_.last(); }
  // Step of the newest checkpoint.
  [[nodiscard]] std::optional<std::uint64_t> checkpoint() const { return checkpoints_.keptStep(); }

 private:
  using Clock = std::chrono::steady_clock;
  static double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  [[nodiscard]] bool pulsatile() const { return setup_.cycles.steps > 0; }
  [[nodiscard]] std::uint64_t step() const { return simulation_.step(); }
  [[nodiscard]] double rate() const;
  [[nodiscard]] std::string progressText() const;
  void restoreRules(const std::vector<double>& cycles);

  // Events, and the steps until them.
  [[nodiscard]] std::uint64_t stepsToNextEvent() const;
  [[nodiscard]] std::uint64_t stepsToNextSample() const;
  [[nodiscard]] std::uint64_t stepsInASecond() const;
  [[nodiscard]] bool sampleIsDue() const;
  [[nodiscard]] std::uint64_t phase() const;
  [[nodiscard]] bool done() const;

  // Samples.
  [[nodiscard]] bool maySampleWhileStepping() const;
  void beginSample();
  void endSample();
  void sampleAndWait();
  void followDivergence();
  [[nodiscard]] bool decidesDivergence(std::uint64_t step) const;
  [[nodiscard]] DivergedRun divergedRun() const;
  [[noreturn]] void failDiverged();
  void keep();
  void keepWhenDue();
  void followMarch();
  void keepFirst();
  void beginRecovered();

  // Cycles of a pulsatile run.
  void followCycle();
  void startMeans();
  [[nodiscard]] std::vector<double> cyclesState() const;
  [[nodiscard]] RunProgress progressState() const {
    return {cyclesState(), kept_.all(), march_.state()};
  }

  // Stop requests and checkpoints.
  void pollStopRequests();
  [[nodiscard]] double secondsToStop() const;
  void sampleBeforeSaving();
  void saveAndWait();
  void saveWhenDue();
  [[noreturn]] void saveAndFail(const stage::StageError& missing);

  // Fields.
  void writeIntermediateWhenDue();
  void writeIntermediate(std::uint64_t number);
  [[nodiscard]] file::Fields fields();

  // The end.
  void finish();
  void sumUp();
  [[noreturn]] void failUnsettled() const;

  Simulation& simulation_;
  const Setup& setup_;
  comm::Ranks& ranks_;
  const RunFiles& files_;
  const StopRequests& requests_;
  const stage::Provenance& provenance_;
  CycleMeans means_;
  std::optional<file::Checkpoint> resumed_;
  KeptStates kept_;
  SteadyMarch march_;
  Checkpoints checkpoints_;
  MonitorFile monitor_;  // rank 0 alone has a file of it
  SteadyRule rule_;
  Cycles cycles_;
  stage::Progress progress_;
  RunResult result_;
  const std::uint64_t first_;
  // The fields are the moments of the step after the last collision, so one step less is made.
  const std::uint64_t last_;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> polledAt_;  // stop requests
  std::optional<MonitorSample> good_;          // the last sample without divergence
  std::uint64_t sampledAt_;                    // step
  bool sampling_ = false;                      // a sample was begun, and steps may have followed
  const bool recovered_;                       // this continues from a kept state
  std::optional<file::Recovery> recovery_;     // the run diverged and is to continue by it
  bool broken_ = false;                        // the last sample had diverged, not to be saved
  bool closely_ = false;                       // sampled more often: divergence is near
  double sampleSeconds_ = 0.0;
};

}  // namespace tessera::solver::run
