// SPDX-License-Identifier: GPL-3.0-or-later
// Powers of two, logarithms and roots of a number or of a vector of numbers. Numbers take the
// platform's functions; vectors, for which there are none, a Taylor polynomial of 2^f with |f| <=
// 1/2 and the series of the logarithm in (m - 1) / (m + 1), to the last few units of a double.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "solver/model/lattice/for_each.hpp"

namespace tessera::solver::model {

TESSERA_HOST_DEVICE float exp2Of(float x) {
  return ::exp2f(x);
}
TESSERA_HOST_DEVICE double exp2Of(double x) {
  return ::exp2(x);
}
TESSERA_HOST_DEVICE float log2Of(float x) {
  return ::log2f(x);
}
TESSERA_HOST_DEVICE double log2Of(double x) {
  return ::log2(x);
}
TESSERA_HOST_DEVICE float rootOf(float x) {
  return ::sqrtf(x);
}
TESSERA_HOST_DEVICE double rootOf(double x) {
  return ::sqrt(x);
}

template <class T>
TESSERA_HOST_DEVICE T smallerOf(const T& a, const T& b) {
  return a < b ? a : b;
}
template <class T>
TESSERA_HOST_DEVICE T greaterOf(const T& a, const T& b) {
  return a > b ? a : b;
}

#if !defined(TESSERA_GPU_COMPILER)

// The parts of a floating-point number.
template <class Real>
struct FloatParts;
template <>
struct FloatParts<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52;
  static constexpr Bits one = 0x3ff0000000000000U;
  static constexpr Bits rootOfHalf = 0x3fe6a09e667f3bcdU;
  static constexpr int bias = 1023;
  static constexpr int expTerms = 13;
  static constexpr int logTerms = 11;
};
template <>
struct FloatParts<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23;
  static constexpr Bits one = 0x3f800000U;
  static constexpr Bits rootOfHalf = 0x3f3504f3U;
  static constexpr int bias = 127;
  static constexpr int expTerms = 8;
  static constexpr int logTerms = 5;
};

template <class V>
struct VectorParts : FloatParts<std::remove_cvref_t<decltype(std::declval<V>()[0])>> {
  using Real = std::remove_cvref_t<decltype(std::declval<V>()[0])>;
  typedef typename FloatParts<Real>::Bits Whole __attribute__((vector_size(sizeof(V))));
  static constexpr Real wholes = Real(std::uint64_t{1} << FloatParts<Real>::mantissa);
};

constexpr double naturalLogOf2 = 0.693147180559945309417232;

// (ln 2)^k / k!
constexpr double expCoefficient(int k) {
  double value = 1.0;
  for (int j = 1; j <= k; ++j) value *= naturalLogOf2 / j;
  return value;
}

template <class V>
requires(!std::is_arithmetic_v<V>) TESSERA_HOST_DEVICE V exp2Of(const V& exponent) {
  using Parts = VectorParts<V>;
  using Real = typename Parts::Real;
  using Whole = typename Parts::Whole;
  const V zero{};
  const V x = greaterOf<V>(smallerOf<V>(exponent, zero + Real(Parts::bias - 1)),
                           zero - Real(Parts::bias - 1));
  // The nearest whole number is left in the last bits of the mantissa.
  constexpr Real magic = Real(1.5) * Parts::wholes;
  const V shifted = x + magic;
  const V f = x - (shifted - magic);
  V sum = zero + Real(expCoefficient(Parts::expTerms - 1));
  forEach<Parts::expTerms - 1>(
      [&](auto k) { sum = sum * f + Real(expCoefficient(Parts::expTerms - 2 - k)); });
  return (V)((Whole)sum + ((Whole)shifted << Parts::mantissa));
}

// For normal positive numbers.
template <class V>
requires(!std::is_arithmetic_v<V>) TESSERA_HOST_DEVICE V log2Of(const V& x) {
  using Parts = VectorParts<V>;
  using Real = typename Parts::Real;
  using Whole = typename Parts::Whole;
  // x = m 2^e with m between the roots of 1/2 and 2.
  const Whole exponent = ((Whole)x + (Parts::one - Parts::rootOfHalf)) >> Parts::mantissa;
  const V m = (V)((Whole)x - ((exponent - Parts::bias) << Parts::mantissa));
  constexpr auto ofWholes = static_cast<typename Parts::Bits>(Parts::mantissa + Parts::bias)
                            << Parts::mantissa;
  const V e = (V)(exponent | ofWholes) - (Parts::wholes + Real(Parts::bias));
  const V s = (m - Real(1)) / (m + Real(1));
  const V ss = s * s;
  constexpr double two = 2.0 / naturalLogOf2;
  V sum = V{} + Real(two / (2 * Parts::logTerms - 1));
  forEach<Parts::logTerms - 1>(
      [&](auto k) { sum = sum * ss + Real(two / (2 * (Parts::logTerms - 2 - k) + 1)); });
  return e + s * sum;
}

template <class V>
requires(!std::is_arithmetic_v<V>) TESSERA_HOST_DEVICE V rootOf(const V& x) {
  V root = x;
  for (std::size_t lane = 0; lane < sizeof(V) / sizeof(x[0]); ++lane)
    root[lane] = std::sqrt(x[lane]);
  return root;
}

#endif

}  // namespace tessera::solver::model
