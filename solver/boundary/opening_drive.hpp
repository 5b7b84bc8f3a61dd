// SPDX-License-Identifier: GPL-3.0-or-later
// What drives the openings in each step: their coefficients, in time. The value of a step is that
// of its middle, (step + 1/2) time steps after the start, times a ramp that begins at rest.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/boundary/opening_values.hpp"
#include "solver/units.hpp"

namespace tessera {

// Harmonics of a periodic series about its mean, relative to its largest magnitude: value(t) is the
// real part of the sum of amplitude[h] exp(i (h + 1) omega t), plus what is left.
struct Harmonics {
  double omega = 0.0;  // 1/s
  std::vector<std::complex<double>> amplitude;
};

// As many as are needed for all but 1e-4 of the series' root mean square, at most 24.
Harmonics harmonicsOf(const Waveform& waveform);

// Where each opening's coefficients begin and how many there are; and, last, the ramp.
std::vector<DrivenOpening> driveLayout(const SolverCase& run);

// Pressure openings all hold a constant value, and none depends on its flow rate: links carry the
// values, the coefficients are the ramp. Otherwise the coefficients carry the pressures.
bool pressuresAreConstant(const SolverCase& run);
bool anyCoupled(const SolverCase& run);

class OpeningDrive {
 public:
  OpeningDrive(const SolverCase& run, const LatticeRun& lattice, std::uint64_t rampSteps);

  [[nodiscard]] std::uint32_t size() const { return size_; }  // coefficients of a step
  [[nodiscard]] std::uint32_t rampCoefficient() const { return size_ - 1; }
  void write(std::uint64_t step, std::span<double> coefficients) const;
  // Of `steps` steps from `first` on.
  [[nodiscard]] std::vector<double> coefficients(std::uint64_t first, std::uint64_t steps) const;
  // Mean of the pressure openings, Pa; those that depend on their flow rate as they are at first.
  [[nodiscard]] double referencePressure(std::uint64_t step) const;

 private:
  [[nodiscard]] double rampAt(std::uint64_t step) const;
  [[nodiscard]] double timeOf(std::uint64_t step) const;

  std::vector<OpeningCondition> openings_;
  std::vector<DrivenOpening> driven_;
  std::vector<Harmonics> harmonics_;  // of openings with Womersley's profile
  double timeStep_;
  double pressureScale_;  // Pa
  std::uint64_t rampSteps_;
  std::uint32_t size_;
  bool coupled_;
  bool constantPressures_;
};

}  // namespace tessera
