// SPDX-License-Identifier: GPL-3.0-or-later
// Deviations from rest in 16 bits: 32768 times the deviation as an IEEE 754 half, so that
// deviations down to 1.9e-9 keep all 11 digits and those up to 2 have room (the FP16S of Lehmann,
// Krause, Amati, Sega, Harting & Gekle 2022). Rounded to nearest, ties to even, on every backend
// and instruction set; beyond the largest half saturated, never infinite; NaN stays NaN.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "solver/model/platform.hpp"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace tessera::solver::model {

constexpr std::uint32_t largestHalfAsFloat = 0x477fe000U;  // bits of 65504

// The bits of the half nearest to x, at most 65504 in magnitude.
constexpr std::uint16_t nearestHalf(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= largestHalfAsFloat) return static_cast<std::uint16_t>(sign | 0x7bffU);
  // Below 2^-14 a half's last digit is 2^-24, which is that of floats from 1/2 on: the sum rounds.
  if (magnitude < 0x38800000U)
    return static_cast<std::uint16_t>(
        sign |
        (std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U));
  // 13 digits fewer, and an exponent counted from 15 instead of 127.
  const std::uint32_t even = magnitude >> 13 & 1U;
  return static_cast<std::uint16_t>(sign | (magnitude - (112U << 23U) + 0xfffU + even) >> 13);
}

constexpr float halfToFloat(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t magnitude = half & 0x7fffU;
  if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | magnitude << 13U);
  // Subnormal halves are subnormal floats here; the product is exact.
  return std::bit_cast<float>(sign | magnitude << 13U) * 0x1p112F;
}

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
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.satfinite.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(value));
#elif defined(__CUDA_ARCH__)
    const float limited = value > 65504.0F ? 65504.0F : value < -65504.0F ? -65504.0F : value;
    half.bits = __half_as_ushort(__float2half_rn(limited));
#else
    half.bits = nearestHalf(value);
#endif
    return half;
  }
#if defined(__CUDACC__)
  // Bits of two, the first in the lower half; to nearest and saturated like one.
  __device__ __forceinline__ static std::uint32_t scaledTwo(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint32_t bits;
    asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
#else
    return std::uint32_t{scaled(first).bits} | std::uint32_t{scaled(second).bits} << 16U;
#endif
  }
#endif
  TESSERA_HOST_DEVICE float scaledValue() const {
#if defined(__CUDA_ARCH__)
    return __half2float(__ushort_as_half(bits));
#else
    return halfToFloat(bits);
#endif
  }
};
static_assert(sizeof(ScaledHalf) == 2);

}  // namespace tessera::solver::model
