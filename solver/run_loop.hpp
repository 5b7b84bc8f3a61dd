// SPDX-License-Identifier: GPL-3.0-or-later
// The loop of a run: steps between looks at the state and what is decided at each (run.cpp), what
// is kept of it on the way and at its end (run_keeping.cpp).
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"
#include "solver/held_memory.hpp"
#include "solver/simulation.hpp"
#include "solver/steady.hpp"

namespace tessera {

class Simulation::Loop {
  using Clock = std::chrono::steady_clock;

 public:
  // earlier: the checkpoint the state was taken from, if any.
  Loop(Simulation& simulation, const RunFiles& files, std::optional<Checkpoint> earlier,
       const StopRequests& requests, const Provenance& provenance)
      : s_(simulation),
        files_(files),
        requests_(requests),
        provenance_(provenance),
        ranks_(simulation.ranks_),
        held_(takeMemory()),
        writer_(s_.checkpointWriter(files.checkpoint, provenance)),
        monitor_(openMonitor(), s_.tiles_.geometry.openings, s_.setup_.lattice.scales,
                 earlier ? std::move(earlier->monitorRows) : std::vector<double>{}),
        rule_(s_.setup_.run.converged.value_or(0.0), s_.setup_.rampSteps),
        cycles_(s_.setup_.cycles, s_.tiles_.geometry.openings.size()),
        progress_("step", s_.setup_.run.steps),
        first_(s_.step_) {
    if (earlier) writer_.resumed(first_);
    takeUpRules(earlier ? earlier->cycles.cycles : std::vector<double>{});
    if (pulsatile() && cycles_.recording() && !s_.accumulator_) s_.startMeans();
  }

  RunResult go();

 private:
  [[nodiscard]] std::shared_ptr<const OpenMonitor> openMonitor() const {
    if (!ranks_.isRoot() || files_.openMonitor) return files_.openMonitor;
    return std::make_shared<const OpenMonitor>(files_.monitor);
  }
  [[nodiscard]] bool pulsatile() const { return s_.setup_.cycles.steps > 0; }
  void takeUpRules(const std::vector<double>& cycles);
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
  [[nodiscard]] HeldMemory takeMemory();
  void startMeans();
  template <class Body>
  [[nodiscard]] std::optional<StageError> lackOf(const Body& body) const;
  void saveWhenDue();
  void save();
  void saveAndWait();
  [[nodiscard]] std::string keptText() const;
  [[noreturn]] void keepAndFail(const StageError& lack);
  void saveFieldsWhenDue();
  void saveFields(std::uint64_t number);
  [[nodiscard]] Fields fields();
  void finish();
  void sumUp();
  [[noreturn]] void failUnsettled() const;
  void measureBandwidth();
  static double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  [[nodiscard]] double rate() const {
    return static_cast<double>(s_.tiles_.geometry.fluidNodes) *
           static_cast<double>(s_.step_ - first_) / (1e6 * std::max(1e-9, secondsSince(start_)));
  }
  [[nodiscard]] std::string progressText() const;
  [[noreturn]] void failDiverged();

  Simulation& s_;
  const RunFiles& files_;
  const StopRequests& requests_;
  const Provenance& provenance_;
  Ranks& ranks_;
  HeldMemory held_;  // for the last checkpoint, beside the copy of the state
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

}  // namespace tessera
