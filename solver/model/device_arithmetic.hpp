// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic that a device has instructions for: NVIDIA's, AMD's, and the plain form of a host,
// which the others replace.
#pragma once

#include <bit>
#include <cstdint>

#include "solver/model/platform.hpp"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace tessera::solver::model {

// Operations of the step on moments are written with these, so that a value has the same bits
// wherever it is computed: in its node's own thread, in a halo's, in a pass of one or two steps.

// a b + c; on a device always one rounding.
template <class Real, class T>
TESSERA_HOST_DEVICE T multiplyAdd(const Real& a, const T& b, const T& c) {
#if defined(TESSERA_ON_NVIDIA)
  return fma(a, b, c);
#elif defined(TESSERA_ON_AMD)
  if constexpr (sizeof(T) == 8)
    return __builtin_fma(a, b, c);
  else
    return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
// a b, rounded before it is added to anything.
template <class Real, class T>
TESSERA_HOST_DEVICE T multiplyRounded(const Real& a, const T& b) {
#if defined(TESSERA_ON_NVIDIA)
  if constexpr (sizeof(T) == 8)
    return __dmul_rn(a, b);
  else
    return __fmul_rn(a, b);
#elif defined(TESSERA_ON_AMD)
#pragma clang fp contract(off)
  return a * b;
#else
  return a * b;
#endif
}

// 1 / x of a normal number, to the last digit but one; on a device without the branch that an
// exactly rounded one needs.
template <class Real, class T>
TESSERA_HOST_DEVICE T reciprocal(const T& x) {
#if defined(TESSERA_ON_NVIDIA)
  T y;
  if constexpr (sizeof(T) == 8) {
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    y = fma(y, fma(-x, y, T(1)), y);
    return fma(y, fma(-x, y, T(1)), y);
  } else {
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
#elif defined(TESSERA_ON_AMD)
  if constexpr (sizeof(T) == 8) {
    T y = __builtin_amdgcn_rcp(x);
    y = __builtin_fma(y, __builtin_fma(-x, y, T(1)), y);
    return __builtin_fma(y, __builtin_fma(-x, y, T(1)), y);
  } else {
    return __builtin_amdgcn_rcpf(x);
  }
#else
  return Real(1) / x;
#endif
}

// Quotient; approximate in single precision on a device, to the last digit but one.
TESSERA_HOST_DEVICE float quotient(float x, float y) {
#if defined(TESSERA_ON_NVIDIA) || defined(TESSERA_ON_AMD)
  return __fdividef(x, y);
#else
  return x / y;
#endif
}
TESSERA_HOST_DEVICE double quotient(double x, double y) {
  return x / y;
}

// Number of bits that are set.
TESSERA_HOST_DEVICE unsigned bitsOf(std::uint64_t word) {
#if defined(TESSERA_ON_NVIDIA) || defined(TESSERA_ON_AMD)
  return static_cast<unsigned>(__popcll(static_cast<long long>(word)));
#else
  return static_cast<unsigned>(std::popcount(word));
#endif
}

// The bits of a number in single precision, and back.
TESSERA_HOST_DEVICE std::uint32_t bitsOfFloat(float value) {
#if defined(TESSERA_ON_NVIDIA)
  return __float_as_uint(value);
#else
  return std::bit_cast<std::uint32_t>(value);
#endif
}
TESSERA_HOST_DEVICE float floatOfBits(std::uint32_t bits) {
#if defined(TESSERA_ON_NVIDIA)
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

// ---- IEEE 754 halves

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

// The same two by the instructions of a device.
TESSERA_HOST_DEVICE std::uint16_t halfBitsOf(float value) {
#if defined(TESSERA_ON_NVIDIA) && TESSERA_ON_NVIDIA >= 800
  std::uint16_t bits;
  asm("cvt.rn.satfinite.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#elif defined(TESSERA_ON_NVIDIA)
  const float limited = value > 65504.0F ? 65504.0F : value < -65504.0F ? -65504.0F : value;
  return __half_as_ushort(__float2half_rn(limited));
#elif defined(TESSERA_ON_AMD)
  const float limited = value > 65504.0F ? 65504.0F : value < -65504.0F ? -65504.0F : value;
  return __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(limited));
#else
  return nearestHalf(value);
#endif
}
TESSERA_HOST_DEVICE float floatOfHalfBits(std::uint16_t bits) {
#if defined(TESSERA_ON_NVIDIA)
  return __half2float(__ushort_as_half(bits));
#elif defined(TESSERA_ON_AMD)
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
#else
  return halfToFloat(bits);
#endif
}
// The bits of two, the first in the lower half.
TESSERA_HOST_DEVICE std::uint32_t halfBitsOfTwo(float first, float second) {
#if defined(TESSERA_ON_NVIDIA) && TESSERA_ON_NVIDIA >= 800
  std::uint32_t bits;
  asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  return bits;
#else
  return std::uint32_t{halfBitsOf(first)} | std::uint32_t{halfBitsOf(second)} << 16U;
#endif
}

}  // namespace tessera::solver::model
