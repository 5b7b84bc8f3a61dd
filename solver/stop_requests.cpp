// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/stop_requests.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "pipelines/stage/progress.hpp"

namespace tessera {

void StopRequests::endBy(Clock::time_point time, const std::string& whose) {
  if (end && *end <= time) return;
  end = time;
  endOf = whose;
}

std::string StopRequests::reason(double needed) const {
  if (asked_->load()) return "a signal";
  std::error_code ignored;
  if (!file.empty() && std::filesystem::exists(file, ignored)) return "the file " + file.string();
  if (end && Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(needed)) >=
                 *end)
    return "the end of " + endOf;
  return "";
}

void StopRequests::obeyed() const {
  std::error_code ignored;
  if (!file.empty()) std::filesystem::remove(file, ignored);
}

std::optional<StopRequests::Clock::time_point> endOfBatchJob() {
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::nullopt;
  std::int64_t seconds = 0;
  const char* last = text + std::strlen(text);
  if (std::from_chars(text, last, seconds).ptr != last || seconds <= 0) {
    logWarning("SLURM_JOB_END_TIME is \"" + std::string(text) +
               "\", expected are seconds since 1970; the end of the job is not known");
    return std::nullopt;
  }
  constexpr std::chrono::seconds margin{30};
  const auto left = std::chrono::system_clock::time_point(std::chrono::seconds(seconds)) - margin -
                    std::chrono::system_clock::now();
  return StopRequests::Clock::now() +
         std::chrono::duration_cast<StopRequests::Clock::duration>(left);
}

}  // namespace tessera
