// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary time series: the amplitudes of all openings in each step. The value of a step is that of
// its middle, (step + 1/2) time steps after the start, times a ramp that begins at rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/boundary/condition.hpp"
#include "solver/boundary/link.hpp"

namespace tessera::solver::boundary {

// Modes of each opening among the amplitudes of a step; last the ramp.
std::vector<DrivenOpening> modeLayout(const std::vector<Condition>& conditions);

class OpeningSeries {
 public:
  OpeningSeries(const std::vector<Condition>& conditions, const model::Scales& scales,
                std::uint64_t rampSteps);

  [[nodiscard]] std::uint32_t size() const { return size_; }  // amplitudes of a step
  // Amplitudes of `steps` steps from `first` on.
  [[nodiscard]] std::vector<double> amplitudes(std::uint64_t first, std::uint64_t steps) const;
  // Mean of the pressure openings, Pa; of outlets that depend on their flow rate the initial one.
  [[nodiscard]] double referencePressure(std::uint64_t step) const;

 private:
  void write(std::uint64_t step, std::span<double> amplitudes) const;
  [[nodiscard]] double rampAt(std::uint64_t step) const;
  [[nodiscard]] double timeOf(std::uint64_t step) const;

  std::vector<Condition> conditions_;
  std::vector<Amplitudes> series_;  // of each opening
  PressureCourse course_;
  double timeStep_;
  double pressureScale_;  // Pa
  std::uint64_t rampSteps_;
  std::uint32_t size_ = 1;
};

}  // namespace tessera::solver::boundary
