// SPDX-License-Identifier: GPL-3.0-or-later
// Stop rules of a run: requests from outside (signals, a file, the end of a job), a steady flow,
// cycles that repeat each other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/run/monitor.hpp"

namespace tessera::solver::run {

// Requests to stop: a signal, the file STOP, a time limit. The run then writes a checkpoint.
struct StopRequests {
  using Clock = std::chrono::steady_clock;

  // asked: set by a signal handler; must outlive this.
  // NOLINTNEXTLINE(google-explicit-constructor): a flag is a request, too
  StopRequests(const std::atomic<bool>& asked) : asked_(&asked) {}

  std::filesystem::path file;  // removed by the run that obeys it; empty: none
  // The time by which the run must have ended, and what sets it.
  std::optional<Clock::time_point> end;
  std::string endOf;

  // Takes the sooner of the two ends.
  void endBy(Clock::time_point time, const std::string& whose);

  [[nodiscard]] bool asked() const { return asked_->load(); }
  // Why the run must stop now; empty: it need not. needed: time from now to the end of the program,
  // s.
  [[nodiscard]] std::string reason(double needed) const;
  // Removes the file.
  void obeyed() const;

 private:
  const std::atomic<bool>* asked_;
};

// End of this batch job: Slurm's SLURM_JOB_END_TIME, seconds since 1970, less half a minute for
// clocks that differ and for the rest of the job's script. nullopt outside a job, and, with a
// warning, when it is not a number.
std::optional<StopRequests::Clock::time_point> endOfBatchJob();

// Steadiness, and the distance from the limit. The changes c between samples fall by a factor r
// from one to the next, so what remains is the geometric series
//   c (r + r^2 + ...) = c r / (1 - r);
// r is fitted to the changes of the last samples, so that a ringing pressure wave does not decide.
class SteadyRule {
 public:
  // threshold: of the relative change from sample to sample; 0: never steady. notBefore: the step
  // at which the ramp ends.
  SteadyRule(double threshold, std::uint64_t notBefore)
      : threshold_(threshold), notBefore_(notBefore) {}

  // Adds the next sample. True once several in a row changed less than the threshold.
  bool met(const MonitorSample& now);
  // met() may be true for the next sample.
  [[nodiscard]] bool mayBeMet() const;
  // The state was extrapolated: changes are counted anew from the next sample on, and before met()
  // is true as many as errorEstimate() needs.
  void restart();
  // A change was counted since then, and it was not below the threshold.
  [[nodiscard]] bool mayBeLeft() const { return changesSince_ > 0 && inARow_ == 0; }
  // Largest relative change at the last sample, 1 before there are two.
  [[nodiscard]] double change() const { return change_; }
  // Relative distance of the monitored quantities from their limit, measured as change() is; absent
  // while the changes do not fall.
  [[nodiscard]] std::optional<double> errorEstimate() const;

 private:
  struct Change {
    double step;
    double value;
  };
  double threshold_;
  std::uint64_t notBefore_;
  int inARow_ = 0;
  std::size_t changesSince_ = 0;  // since restart()
  std::size_t changesNeeded_ = 0;
  double change_ = 1.0;
  std::optional<MonitorSample> before_;
  std::deque<Change> changes_;  // the last ones after the ramp
};

// Cycles of a pulsatile run. Steps are counted as in fields: step p is observed after p - 1 steps.
// Point k of n of cycle c lies at step c N + round(k N / n), k = 1 ... n.
struct CyclePlan {
  std::uint64_t steps = 0;       // of a cycle, N; 0: the run is not pulsatile
  std::uint64_t cycles = 0;      // at most
  std::uint64_t phases = 0;      // fields of the recorded cycle, and points compared between cycles
  std::uint64_t samples = 0;     // of the recorded cycle, for means over it
  double converged = 0.0;        // largest relative distance from the periodic flow
  std::uint64_t refinement = 1;  // points lie at multiples of it: steps for each of the case's own
};

// k of the point at step p, 0 when there is none; n <= steps points in a cycle of that many steps.
std::uint64_t pointAt(std::uint64_t p, std::uint64_t n, std::uint64_t steps);
// The first step after p with a point.
std::uint64_t nextPoint(std::uint64_t p, std::uint64_t n, std::uint64_t steps);

// The same with the points of a plan: n is its phases or samples.
std::uint64_t pointAt(std::uint64_t p, std::uint64_t n, const CyclePlan& plan);
std::uint64_t nextPoint(std::uint64_t p, std::uint64_t n, const CyclePlan& plan);

// Whether cycles repeat each other, and which one is recorded.
class Cycles {
 public:
  Cycles(const CyclePlan& plan, std::size_t openings);

  [[nodiscard]] bool recording() const { return recorded_ == cycle_; }
  // Adds the sample of the next phase.
  void addPhase(const MonitorSample& sample);
  // After the last phase of a cycle: compares it with the one before and decides whether the next
  // one is recorded, and is the last.
  void close();
  [[nodiscard]] bool done() const { return recorded_ < cycle_; }
  // The flow is periodic as far as distance() tells, or did so before the recorded cycle, which
  // agrees with the one before it.
  [[nodiscard]] bool converged() const {
    return (done() && recorded_ + 1 < plan_.cycles ? change_ : distance()) < plan_.converged;
  }
  // Largest relative change between the last two cycles, 1 before there are two.
  [[nodiscard]] double change() const { return change_; }
  // Estimated largest relative distance of the last cycle from the periodic flow, at least
  // change(): changes c that fall by a factor r from cycle to cycle leave c r / (1 - r).
  // Those that do not fall are noise.
  [[nodiscard]] double distance() const;
  [[nodiscard]] std::uint64_t completed() const { return cycle_; }

  // For checkpoints.
  [[nodiscard]] std::vector<double> state() const;
  // False for a state that does not fit the plan.
  bool restore(std::span<const double> state);

 private:
  CyclePlan plan_;
  std::size_t width_;        // numbers a phase
  std::uint64_t cycle_ = 0;  // the one that goes on
  std::uint64_t recorded_;   // the one to be recorded, as far as known: at least the last
  double change_ = 1.0;
  double changeBefore_ = 0.0;   // the one before that; 0: none
  std::vector<double> before_;  // phase after phase: flow rates, pressures
  std::vector<double> now_;
};

}  // namespace tessera::solver::run
