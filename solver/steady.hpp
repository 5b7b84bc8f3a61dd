// SPDX-License-Identifier: GPL-3.0-or-later
// When a run is steady, and how far from its limit it may still be. What is left after the changes
// c between samples fall by a factor r from one to the next is the geometric series
//   c (r + r^2 + ...) = c r / (1 - r);
// r is fitted to the changes of the last samples, so that a ringing pressure wave does not decide.
#pragma once

#include <deque>
#include <optional>

#include "solver/monitor.hpp"

namespace tessera {

class SteadyRule {
 public:
  // threshold: of the relative change from sample to sample; 0: never steady. notBefore: step at
  // which the start-up is over.
  SteadyRule(double threshold, std::uint64_t notBefore)
      : threshold_(threshold), notBefore_(notBefore) {}

  // Takes the next sample. True once a number of them in a row changed less than the threshold.
  bool met(const MonitorSample& now);
  // Whether the next sample may be one at which met() is true.
  [[nodiscard]] bool mayBeMet() const;
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
  double change_ = 1.0;
  std::optional<MonitorSample> before_;
  std::deque<Change> changes_;  // the last ones after the start-up
};

}  // namespace tessera
