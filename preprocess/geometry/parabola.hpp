// SPDX-License-Identifier: GPL-3.0-or-later
// Extrapolation to a wall by the least-squares parabola through four values.
#pragma once

#include <array>
#include <cstddef>

namespace tessera::preprocess::geometry {

constexpr std::size_t pointsOfParabola = 4;

// Weights of values at four different distances in the parabola at distance 0: the shortest ones
// that are exact for 1, x and x^2, by polynomials orthogonal on the distances (Forsythe 1957).
inline std::array<double, pointsOfParabola> parabolaAtZero(
    const std::array<double, pointsOfParabola>& distance) {
  constexpr std::size_t n = pointsOfParabola;
  using Values = std::array<double, n + 1>;  // the last one is that at 0
  const auto product = [](const Values& a, const Values& b) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
  };
  std::array<double, n> weight{};
  std::array<Values, 3> basis{};
  for (std::size_t degree = 0; degree < 3; ++degree) {
    Values& next = basis[degree];
    for (std::size_t k = 0; k <= n; ++k) {
      const double x = k < n ? distance[k] : 0.0;
      next[k] = degree == 0 ? 1.0 : degree == 1 ? x : x * x;
    }
    for (std::size_t lower = 0; lower < degree; ++lower) {
      const double part = product(next, basis[lower]) / product(basis[lower], basis[lower]);
      for (std::size_t k = 0; k <= n; ++k) next[k] -= part * basis[lower][k];
    }
    for (std::size_t k = 0; k < n; ++k) weight[k] += next[n] * next[k] / product(next, next);
  }
  return weight;
}

}  // namespace tessera::preprocess::geometry
