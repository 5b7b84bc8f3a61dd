// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/time_series.hpp"

#include <cmath>
#include <numbers>

namespace tessera::solver::boundary {

std::vector<DrivenOpening> modeLayout(const std::vector<Condition>& conditions) {
  std::vector<DrivenOpening> layout;
  std::uint32_t next = 0;
  for (const Condition& condition : conditions) {
    layout.push_back({next, amplitudesOf(condition).modes});
    next += layout.back().count;
  }
  layout.push_back({next, 1});
  return layout;
}

OpeningSeries::OpeningSeries(const std::vector<Condition>& conditions, const model::Scales& scales,
                             std::uint64_t rampSteps)
    : conditions_(conditions),
      course_(pressureCourse(conditions)),
      timeStep_(scales.timeStep),
      pressureScale_(scales.pressure()),
      rampSteps_(rampSteps) {
  for (const Condition& condition : conditions) {
    series_.push_back(amplitudesOf(condition));
    size_ += series_.back().modes;
  }
}

double OpeningSeries::rampAt(std::uint64_t step) const {
  const double middle = static_cast<double>(step) + 0.5;
  const auto length = static_cast<double>(rampSteps_);
  return middle >= length ? 1.0 : 0.5 - 0.5 * std::cos(std::numbers::pi * middle / length);
}

double OpeningSeries::timeOf(std::uint64_t step) const {
  return (static_cast<double>(step) + 0.5) * timeStep_;
}

double OpeningSeries::referencePressure(std::uint64_t step) const {
  return meanPressure(conditions_, timeOf(step));
}

void OpeningSeries::write(std::uint64_t step, std::span<double> amplitudes) const {
  const double reference = course_ == PressureCourse::Varying ? referencePressure(step) : 0.0;
  const OpeningMoment now{timeOf(step), rampAt(step), course_, reference, pressureScale_};
  std::size_t first = 0;
  for (const Amplitudes& opening : series_) {
    opening.write(now, amplitudes.subspan(first, opening.modes));
    first += opening.modes;
  }
  amplitudes[first] = now.ramp;
}

std::vector<double> OpeningSeries::amplitudes(std::uint64_t first, std::uint64_t steps) const {
  std::vector<double> all(steps * size_);
  for (std::uint64_t k = 0; k < steps; ++k)
    write(first + k, std::span(all).subspan(k * size_, size_));
  return all;
}

}  // namespace tessera::solver::boundary
