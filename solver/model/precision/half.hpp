// SPDX-License-Identifier: GPL-3.0-or-later
// Deviations from rest in 16 bits: 32768 times the deviation as an IEEE 754 half, so that
// deviations down to 1.9e-9 keep all 11 digits and those up to 2 have room (the FP16S of Lehmann,
// Krause, Amati, Sega, Harting & Gekle 2022). Rounded to nearest, ties to even, on every backend
// and instruction set; beyond the largest half saturated, never infinite; NaN stays NaN.
#pragma once

#include <concepts>
#include <cstdint>

#include "solver/model/device_arithmetic.hpp"

namespace tessera::solver::model {

// A stored deviation. Conversions take and give the deviation itself; `bits` hold 32768 times it.
struct ScaledHalf {
  static constexpr int scale = 32768;
  std::uint16_t bits;

  ScaledHalf() = default;
  template <std::floating_point T>
  TESSERA_HOST_DEVICE explicit ScaledHalf(T deviation)
      : ScaledHalf(scaled(static_cast<float>(deviation) * float{scale})) {}
  template <std::floating_point T>
  TESSERA_HOST_DEVICE explicit operator T() const {
    return static_cast<T>(scaledValue()) * (T{1} / T{scale});
  }

  // From and to 32768 times the deviation, the unit of a step.
  TESSERA_HOST_DEVICE static ScaledHalf scaled(float value) {
    ScaledHalf half;
    half.bits = halfBitsOf(value);
    return half;
  }
  TESSERA_HOST_DEVICE float scaledValue() const { return floatOfHalfBits(bits); }
};
static_assert(sizeof(ScaledHalf) == 2);

}  // namespace tessera::solver::model
