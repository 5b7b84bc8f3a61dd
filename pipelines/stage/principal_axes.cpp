// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/principal_axes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tessera::stage {

namespace {

using Matrix = std::array<Double3, 3>;  // rows

// One Jacobi rotation in the plane of axes p and q; makes m[p][q] vanish.
void rotate(Matrix& m, Matrix& columns, std::size_t p, std::size_t q) {
  if (m[p][q] == 0.0) return;
  const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
  for (std::size_t k = 0; k < 3; ++k) {
    const double left = m[k][p], right = m[k][q];
    m[k][p] = c * left - s * right;
    m[k][q] = s * left + c * right;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double upper = m[p][k], lower = m[q][k];
    m[p][k] = c * upper - s * lower;
    m[q][k] = s * upper + c * lower;
  }
  const Double3 first = columns[p], second = columns[q];
  columns[p] = c * first - s * second;
  columns[q] = s * first + c * second;
}

}  // namespace

Principal principalOf(Matrix m) {
  Matrix columns{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  constexpr int sweeps = 12;  // converges quadratically: six suffice
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    rotate(m, columns, 0, 1);
    rotate(m, columns, 0, 2);
    rotate(m, columns, 1, 2);
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return m[a][a] > m[b][b]; });
  Principal principal;
  for (std::size_t k = 0; k < 3; ++k) {
    principal.value[k] = m[order[k]][order[k]];
    principal.direction[k] = columns[order[k]];
  }
  return principal;
}

}  // namespace tessera::stage
