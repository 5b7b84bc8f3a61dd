// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/stop.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "pipelines/stage/cli/progress.hpp"

namespace tessera::solver::run {

namespace {

// Consecutive samples below the threshold of a steady run.
constexpr int steadyInARow = 3;
constexpr std::size_t fittedMost = 12;  // changes that the decay is fitted to
constexpr std::size_t fittedLeast = 4;

std::uint64_t stepOfPoint(std::uint64_t k, std::uint64_t n, std::uint64_t steps) {
  return (2 * k * steps + n) / (2 * n);
}

// Largest |a - b| at first, first + stride, ... over the range of b's values there, or with
// fromZero over their largest magnitude; 0 when nothing differs.
double changeOf(const std::vector<double>& a, const std::vector<double>& b, std::size_t first,
                std::size_t stride, bool fromZero) {
  double most = 0.0;
  double low = fromZero ? 0.0 : b[first];
  double high = low;
  for (std::size_t v = first; v < b.size(); v += stride) {
    most = std::max(most, std::abs(a[v] - b[v]));
    low = std::min(low, b[v]);
    high = std::max(high, b[v]);
  }
  if (most == 0.0) return 0.0;
  const double scale = fromZero ? std::max(-low, high) : high - low;
  return scale > 0.0 ? most / scale : 1.0;
}

}  // namespace

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
    stage::logWarning("SLURM_JOB_END_TIME is \"" + std::string(text) +
                      "\", expected seconds since 1970; the end of the job is not known");
    return std::nullopt;
  }
  constexpr std::chrono::seconds margin{30};
  const auto left = std::chrono::system_clock::time_point(std::chrono::seconds(seconds)) - margin -
                    std::chrono::system_clock::now();
  return StopRequests::Clock::now() +
         std::chrono::duration_cast<StopRequests::Clock::duration>(left);
}

bool SteadyRule::met(const MonitorSample& now) {
  if (before_) {
    change_ = relativeChange(*before_, now);
    // A change across the end of the ramp belongs to the ramp.
    if (before_->step >= notBefore_) changes_.push_back({static_cast<double>(now.step), change_});
    ++changesSince_;
    if (changes_.size() > fittedMost) changes_.pop_front();
  }
  before_ = now;
  inARow_ = change_ < threshold_ && now.step > notBefore_ ? inARow_ + 1 : 0;
  return inARow_ >= steadyInARow && changesSince_ >= changesNeeded_;
}

void SteadyRule::restart() {
  before_.reset();
  changes_.clear();
  inARow_ = 0;
  changesSince_ = 0;
  changesNeeded_ = fittedLeast;
}

bool SteadyRule::mayBeMet() const {
  return threshold_ > 0.0 && inARow_ + 1 >= steadyInARow;
}

std::optional<double> SteadyRule::errorEstimate() const {
  if (changes_.size() < fittedLeast) return std::nullopt;
  if (changes_.back().value == 0.0) return 0.0;
  double count = 0.0;
  double meanStep = 0.0;
  double meanLog = 0.0;
  for (const Change& change : changes_) {
    if (!(change.value > 0.0)) continue;
    count += 1.0;
    meanStep += change.step;
    meanLog += std::log(change.value);
  }
  if (count < static_cast<double>(fittedLeast)) return std::nullopt;
  meanStep /= count;
  meanLog /= count;
  double covariance = 0.0;
  double variance = 0.0;
  for (const Change& change : changes_) {
    if (!(change.value > 0.0)) continue;
    covariance += (change.step - meanStep) * (std::log(change.value) - meanLog);
    variance += (change.step - meanStep) * (change.step - meanStep);
  }
  const double decay = covariance / variance;  // of the logarithm, per step
  if (!(decay < 0.0)) return std::nullopt;
  const double interval = changes_.back().step - changes_[changes_.size() - 2].step;
  const double fitted = std::exp(meanLog + decay * (changes_.back().step - meanStep));
  return std::max(fitted, changes_.back().value) / std::expm1(-decay * interval);
}

std::uint64_t pointAt(std::uint64_t p, std::uint64_t n, std::uint64_t steps) {
  if (p == 0) return 0;
  const std::uint64_t in = (p - 1) % steps + 1;  // 1 ... steps
  const std::uint64_t guess = in * n / steps;
  for (std::uint64_t k = guess > 0 ? guess - 1 : 0; k <= guess + 1; ++k)
    if (k >= 1 && k <= n && stepOfPoint(k, n, steps) == in) return k;
  return 0;
}

std::uint64_t nextPoint(std::uint64_t p, std::uint64_t n, std::uint64_t steps) {
  const std::uint64_t start = p / steps * steps;
  const std::uint64_t in = p - start;
  for (std::uint64_t k = in * n / steps > 0 ? in * n / steps - 1 : 0;; ++k)
    if (k >= 1 && stepOfPoint(k, n, steps) > in) return start + stepOfPoint(k, n, steps);
}

std::uint64_t pointAt(std::uint64_t p, std::uint64_t n, const CyclePlan& plan) {
  if (p % plan.refinement != 0) return 0;
  return pointAt(p / plan.refinement, n, plan.steps / plan.refinement);
}

std::uint64_t nextPoint(std::uint64_t p, std::uint64_t n, const CyclePlan& plan) {
  return plan.refinement * nextPoint(p / plan.refinement, n, plan.steps / plan.refinement);
}

Cycles::Cycles(const CyclePlan& plan, std::size_t openings)
    : plan_(plan),
      width_(openings > 0 ? 2 * openings : 1),
      recorded_(plan.cycles > 0 ? plan.cycles - 1 : 0) {}

void Cycles::addPhase(const MonitorSample& sample) {
  if (sample.flowRate.empty()) now_.push_back(sample.nodes.kineticEnergy);
  for (std::size_t o = 0; o < sample.flowRate.size(); ++o)
    now_.insert(now_.end(), {sample.flowRate[o], sample.pressure[o]});
}

void Cycles::close() {
  if (before_.size() == now_.size() && !now_.empty()) {
    changeBefore_ = cycle_ > 1 ? change_ : 0.0;
    change_ = changeOf(before_, now_, 0, width_ > 1 ? 2 : 1, true);
    if (width_ > 1) change_ = std::max(change_, changeOf(before_, now_, 1, 2, false));
  }
  before_ = std::move(now_);
  now_.clear();
  const bool wasRecorded = recording();
  ++cycle_;
  if (!wasRecorded && converged()) recorded_ = cycle_;
}

double Cycles::distance() const {
  constexpr double slowest = 0.95;
  if (change_ >= changeBefore_) return change_;
  const double ratio = std::min(change_ / changeBefore_, slowest);
  return change_ * std::max(1.0, ratio / (1.0 - ratio));
}

// Cycle, the recorded one, change, size of before_ as -1 - size, change before, before_, now_.
// Version 0.2 had the size itself and no change before.
std::vector<double> Cycles::state() const {
  std::vector<double> out{static_cast<double>(cycle_), static_cast<double>(recorded_), change_,
                          -1.0 - static_cast<double>(before_.size()), changeBefore_};
  out.insert(out.end(), before_.begin(), before_.end());
  out.insert(out.end(), now_.begin(), now_.end());
  return out;
}

bool Cycles::restore(std::span<const double> state) {
  if (state.size() < 4) return false;
  const bool older = state[3] >= 0.0;
  const std::size_t head = older ? 4 : 5;
  const auto whole = static_cast<std::size_t>(older ? state[3] : -1.0 - state[3]);
  if (state.size() < head + whole || (whole != 0 && whole != plan_.phases * width_)) return false;
  if ((state.size() - head - whole) % width_ != 0) return false;
  cycle_ = static_cast<std::uint64_t>(state[0]);
  change_ = state[2];
  changeBefore_ = older ? 0.0 : state[4];
  // The number of cycles may differ from the earlier run's. A cycle that is being recorded goes on,
  // and a finished run stays finished unless it is to go on until cycles agree.
  const auto recorded = static_cast<std::uint64_t>(state[1]);
  const bool stays = recorded == cycle_ || (recorded + 1 == cycle_ && distance() < plan_.converged);
  recorded_ = stays ? recorded : std::max(recorded_, cycle_ + 1);
  const auto start = state.begin() + static_cast<std::ptrdiff_t>(head);
  const auto split = start + static_cast<std::ptrdiff_t>(whole);
  before_.assign(start, split);
  now_.assign(split, state.end());
  return true;
}

}  // namespace tessera::solver::run
