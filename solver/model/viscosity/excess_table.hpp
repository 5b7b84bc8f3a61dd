// SPDX-License-Identifier: GPL-3.0-or-later
// The excess 3 nu of a law as a function of G^2 (node_law.hpp) by polynomials, for the vectors of
// the CPU, which have neither logarithms nor powers: one on each quarter (eighth) of an octave of
// G^2, which its first bits name, through the values at Chebyshev's points.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "solver/model/viscosity/fast_math.hpp"

namespace tessera::solver::model {

template <class Real>
class ExcessTable {
 public:
  // Least and largest G^2: that of a node at rest, and beyond any that is stable.
  static constexpr int leastOctave = sizeof(Real) == 8 ? -200 : -100;
  static constexpr int lastOctave = 6;
  static constexpr std::size_t terms = sizeof(Real) == 8 ? 8 : 6;

  // excess: of G^2 in double precision, smooth between lowest and highest, where it is cut off.
  template <class Excess>
  ExcessTable(const Excess& excess, double lowest, double highest)
      : lowest_(Real(lowest)), highest_(Real(highest)) {
    for (int octave = leastOctave; octave < lastOctave; ++octave)
      for (int part = 0; part < parts; ++part) {
        const double from = 1.0 + static_cast<double>(part) / parts;
        segment_.push_back(
            through([&](double t) { return excess(std::ldexp(from + halfPart + t, octave)); }));
      }
  }

#if !defined(TESSERA_GPU_COMPILER)
  // gg: vector of G^2, at least 2^leastOctave.
  template <class V>
  [[nodiscard]] V at(const V& gg) const {
    using Parts = VectorParts<V>;
    using Whole = typename Parts::Whole;
    using Bits = typename Parts::Bits;
    constexpr Bits least = static_cast<Bits>(leastOctave + Parts::bias) << Parts::mantissa;
    constexpr Bits last = static_cast<Bits>(lastOctave + Parts::bias) << Parts::mantissa;
    constexpr Bits inPart = (Bits{1} << (Parts::mantissa - bitsOfPart)) - 1;
    const V zero{};
    Whole bits = (Whole)gg;
    bits = bits < last ? bits : (Whole{} + (last - 1));
    const Whole key = (bits - least) >> (Parts::mantissa - bitsOfPart);
    const V t = (V)((bits & inPart) | Parts::one) - Real(1.0 + halfPart);
    V sum = coefficient<V>(key, terms - 1);
    forEach<static_cast<int>(terms) - 1>(
        [&](auto k) { sum = sum * t + coefficient<V>(key, terms - 2 - k); });
    return smallerOf<V>(greaterOf<V>(sum, zero + lowest_), zero + highest_);
  }
#endif

 private:
  static constexpr int bitsOfPart = sizeof(Real) == 8 ? 3 : 2;
  static constexpr int parts = 1 << bitsOfPart;
  static constexpr double halfPart = 0.5 / parts;
  using Coefficients = std::array<Real, 8>;  // of 1, t, t^2 ..., t from the middle of the part

  // Coefficients of the polynomial through a function's values (Newton's divided differences).
  template <class Function>
  static Coefficients through(const Function& function) {
    std::array<double, terms> at{}, difference{}, sum{};
    for (std::size_t k = 0; k < terms; ++k) {
      at[k] = halfPart * std::cos(std::numbers::pi * (static_cast<double>(k) + 0.5) / terms);
      difference[k] = function(at[k]);
    }
    for (std::size_t order = 1; order < terms; ++order)
      for (std::size_t k = terms - 1; k >= order; --k)
        difference[k] = (difference[k] - difference[k - 1]) / (at[k] - at[k - order]);
    for (std::size_t k = terms; k-- > 0;) {  // sum = sum (t - at[k]) + difference[k]
      for (std::size_t power = terms - 1; power > 0; --power)
        sum[power] = sum[power - 1] - at[k] * sum[power];
      sum[0] = difference[k] - at[k] * sum[0];
    }
    Coefficients rounded{};
    for (std::size_t k = 0; k < terms; ++k) rounded[k] = Real(sum[k]);
    return rounded;
  }

  template <class V, class Whole>
  [[nodiscard]] V coefficient(const Whole& key, std::size_t power) const {
    V value{};
    for (std::size_t lane = 0; lane < sizeof(V) / sizeof(Real); ++lane)
      value[lane] = segment_[key[lane]][power];
    return value;
  }

  std::vector<Coefficients> segment_;
  Real lowest_, highest_;
};

}  // namespace tessera::solver::model
