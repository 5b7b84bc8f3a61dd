// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/steady.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr int steadyInARow = 3;         // samples that must agree before a run is steady
constexpr std::size_t fittedMost = 12;  // changes the decay is fitted to
constexpr std::size_t fittedLeast = 4;

}  // namespace

bool SteadyRule::met(const MonitorSample& now) {
  if (before_) {
    change_ = relativeChange(*before_, now);
    // A change across the end of the start-up belongs to the start-up.
    if (before_->step >= notBefore_) changes_.push_back({static_cast<double>(now.step), change_});
    if (changes_.size() > fittedMost) changes_.pop_front();
  }
  before_ = now;
  inARow_ = change_ < threshold_ && now.step > notBefore_ ? inARow_ + 1 : 0;
  return inARow_ >= steadyInARow;
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

}  // namespace tessera
