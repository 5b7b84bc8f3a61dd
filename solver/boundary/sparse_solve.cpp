// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/sparse_solve.hpp"

#include <cmath>

namespace tessera::solver::boundary {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// out = matrix applied to in over the diagonal.
void apply(const SparseMatrix& matrix, const Vector& in, Vector& out) {
  for (std::size_t k = 0; k < in.size(); ++k) {
    double sum = 0.0;
    for (std::size_t e = matrix.rowStart[k]; e < matrix.rowStart[k + 1]; ++e)
      sum += matrix.value[e] * in[matrix.column[e]];
    out[k] = in[k] + sum / matrix.diagonal[k];
  }
}

}  // namespace

std::optional<Vector> solveBiCgStab(const SparseMatrix& matrix, const Vector& right,
                                    double tolerance, std::size_t most) {
  const std::size_t n = right.size();
  Vector r(n);
  for (std::size_t k = 0; k < n; ++k) {
    if (!(matrix.diagonal[k] > 0.0)) return std::nullopt;
    r[k] = right[k] / matrix.diagonal[k];
  }
  const Vector shadow = r;
  const double enough = tolerance * std::sqrt(dot(r, r));
  Vector x(n, 0.0);
  Vector p(n, 0.0);
  Vector v(n, 0.0);
  Vector t(n, 0.0);
  double rho = 1.0;
  double alpha = 1.0;
  double omega = 1.0;
  for (std::size_t iteration = 0; iteration < most; ++iteration) {
    if (std::sqrt(dot(r, r)) <= enough) return x;
    const double next = dot(shadow, r);
    const double beta = next / rho * (alpha / omega);
    rho = next;
    for (std::size_t k = 0; k < n; ++k) p[k] = r[k] + beta * (p[k] - omega * v[k]);
    apply(matrix, p, v);
    alpha = rho / dot(shadow, v);
    for (std::size_t k = 0; k < n; ++k) r[k] -= alpha * v[k];
    apply(matrix, r, t);
    const double tt = dot(t, t);
    omega = tt > 0.0 ? dot(t, r) / tt : 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      x[k] += alpha * p[k] + omega * r[k];
      r[k] -= omega * t[k];
    }
    if (!std::isfinite(alpha) || !std::isfinite(omega)) return std::nullopt;
    if (omega == 0.0) return std::sqrt(dot(r, r)) <= enough ? std::optional(x) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tessera::solver::boundary
