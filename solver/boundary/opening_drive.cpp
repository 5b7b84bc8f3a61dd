// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/opening_drive.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera {

namespace {

constexpr std::size_t harmonicSamples = 2048;
constexpr std::size_t mostHarmonics = 24;
constexpr double leftOver = 1e-4;

// Of a waveform relative to its largest magnitude; 1 without one.
double relativeValue(const OpeningCondition& condition, double t) {
  if (!condition.waveform) return 1.0;
  const double largest = condition.waveform->largest();
  return largest > 0.0 ? condition.waveform->at(t) / largest : 0.0;
}

double pressureAt(const OpeningCondition& condition, double t) {
  return condition.waveform ? condition.waveform->at(t) : condition.pressure;
}

}  // namespace

Harmonics harmonicsOf(const Waveform& waveform) {
  Harmonics out;
  out.omega = 2.0 * std::numbers::pi / waveform.period;
  const double largest = waveform.largest();
  if (largest == 0.0) return out;
  std::vector<double> value(harmonicSamples);
  double mean = 0.0;
  for (std::size_t k = 0; k < harmonicSamples; ++k) {
    value[k] = waveform.at(waveform.period * static_cast<double>(k) / harmonicSamples) / largest;
    mean += value[k] / harmonicSamples;
  }
  double rest = 0.0;
  for (double& v : value) {
    v -= mean;
    rest += v * v / harmonicSamples;
  }
  const double enough = leftOver * leftOver * rest;
  for (std::size_t h = 1; h <= mostHarmonics && rest > enough; ++h) {
    std::complex<double> sum;
    for (std::size_t k = 0; k < harmonicSamples; ++k)
      sum += value[k] *
             std::polar(2.0 / harmonicSamples,
                        -2.0 * std::numbers::pi * static_cast<double>(h * k) / harmonicSamples);
    out.amplitude.push_back(sum);
    rest -= 0.5 * std::norm(sum);
  }
  return out;
}

bool anyCoupled(const SolverCase& run) {
  return std::any_of(run.openings.begin(), run.openings.end(), isCoupled);
}

bool pressuresAreConstant(const SolverCase& run) {
  return std::none_of(run.openings.begin(), run.openings.end(), [](const OpeningCondition& o) {
    return isCoupled(o) || (prescribesPressure(o) && o.waveform);
  });
}

std::vector<DrivenOpening> driveLayout(const SolverCase& run) {
  std::vector<DrivenOpening> layout;
  std::uint32_t next = 0;
  for (const OpeningCondition& condition : run.openings) {
    std::uint32_t count = 1;
    if (prescribesVelocity(condition) && condition.profile == Profile::Womersley)
      count += 2 * static_cast<std::uint32_t>(harmonicsOf(*condition.waveform).amplitude.size());
    layout.push_back({next, count});
    next += count;
  }
  layout.push_back({next, 1});
  return layout;
}

OpeningDrive::OpeningDrive(const SolverCase& run, const LatticeRun& lattice,
                           std::uint64_t rampSteps)
    : openings_(run.openings),
      driven_(driveLayout(run)),
      harmonics_(run.openings.size()),
      timeStep_(lattice.scales.timeStep),
      pressureScale_(lattice.scales.pressure()),
      rampSteps_(rampSteps),
      size_(driven_.back().first + 1),
      coupled_(anyCoupled(run)),
      constantPressures_(pressuresAreConstant(run)) {
  for (std::size_t k = 0; k < openings_.size(); ++k)
    if (driven_[k].count > 1) harmonics_[k] = harmonicsOf(*openings_[k].waveform);
}

double OpeningDrive::rampAt(std::uint64_t step) const {
  const double middle = static_cast<double>(step) + 0.5;
  const auto length = static_cast<double>(rampSteps_);
  return middle >= length ? 1.0 : 0.5 - 0.5 * std::cos(std::numbers::pi * middle / length);
}

double OpeningDrive::timeOf(std::uint64_t step) const {
  return (static_cast<double>(step) + 0.5) * timeStep_;
}

double OpeningDrive::referencePressure(std::uint64_t step) const {
  double sum = 0.0;
  int count = 0;
  for (const OpeningCondition& condition : openings_) {
    if (prescribesVelocity(condition)) continue;
    sum += pressureAt(condition, timeOf(step));
    ++count;
  }
  return count == 0 ? 0.0 : sum / count;
}

void OpeningDrive::write(std::uint64_t step, std::span<double> coefficients) const {
  const double t = timeOf(step);
  const double ramp = rampAt(step);
  const double reference = constantPressures_ || coupled_ ? 0.0 : referencePressure(step);
  double inflow = 0.0;
  for (const OpeningCondition& condition : openings_)
    if (condition.inflowShare != 0.0) inflow += condition.inflowShare * relativeValue(condition, t);
  for (std::size_t k = 0; k < openings_.size(); ++k) {
    const OpeningCondition& condition = openings_[k];
    double* out = &coefficients[driven_[k].first];
    if (prescribesPressure(condition)) {
      const double r = 3.0 * (pressureAt(condition, t) - reference) / pressureScale_;
      out[0] = constantPressures_ ? ramp : (coupled_ ? 1.0 : ramp) * r;
    } else if (isCoupled(condition)) {
      out[0] = 0.0;  // the backend solves for it
    } else if (condition.kind == OpeningKind::OutflowSplit) {
      out[0] = ramp * inflow;
    } else {
      double rest = relativeValue(condition, t);
      const Harmonics& harmonics = harmonics_[k];
      for (std::size_t h = 0; h < harmonics.amplitude.size(); ++h) {
        const std::complex<double> value =
            harmonics.amplitude[h] *
            std::polar(1.0, static_cast<double>(h + 1) * harmonics.omega * t);
        out[1 + 2 * h] = ramp * value.real();
        out[2 + 2 * h] = ramp * value.imag();
        rest -= value.real();
      }
      out[0] = ramp * rest;
    }
  }
  coefficients[rampCoefficient()] = ramp;
}

std::vector<double> OpeningDrive::coefficients(std::uint64_t first, std::uint64_t steps) const {
  std::vector<double> all(steps * size_);
  for (std::uint64_t k = 0; k < steps; ++k)
    write(first + k, std::span(all).subspan(k * size_, size_));
  return all;
}

}  // namespace tessera
