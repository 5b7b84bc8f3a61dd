// SPDX-License-Identifier: GPL-3.0-or-later
// Who may ask a run to stop: a signal, a file of the name STOP beside the output, the end of
// --max-walltime, the end of the batch job. Asked, a run leaves a checkpoint and exit code 75.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace tessera {

struct StopRequests {
  using Clock = std::chrono::steady_clock;

  // asked: set by a signal; must outlive this.
  // NOLINTNEXTLINE(google-explicit-constructor): a flag is a request, too
  StopRequests(const std::atomic<bool>& asked) : asked_(&asked) {}

  std::filesystem::path file;  // removed by the run that obeys it; empty: none
  // The time by which the run must have ended, and who says so.
  std::optional<Clock::time_point> end;
  std::string endOf;

  // Takes the sooner of the two ends.
  void endBy(Clock::time_point time, const std::string& whose);

  [[nodiscard]] bool asked() const { return asked_->load(); }
  // Why the run should stop now; empty: it should not. needed: s that it takes from now to the end
  // of the program.
  [[nodiscard]] std::string reason(double needed) const;
  // Of a request that was obeyed.
  void obeyed() const;

 private:
  const std::atomic<bool>* asked_;
};

// When the batch system ends this job: Slurm's SLURM_JOB_END_TIME, seconds since 1970. Half a
// minute is taken off for clocks that differ and for the rest of the job's script. nullopt outside
// a job, and, with a warning, when it is not a number.
std::optional<StopRequests::Clock::time_point> endOfBatchJob();

}  // namespace tessera
