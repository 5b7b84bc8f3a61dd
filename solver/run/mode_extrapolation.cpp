// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/mode_extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

namespace tessera::solver::run {

namespace {

using Complex = std::complex<double>;

// Largest factor by which the part of a mode is continued: of one that decays more slowly, less.
constexpr double mostContinued = 200.0;
// Regularisation of the scaled normal equations: changes are kept in single precision.
constexpr double regularisation = 1e-12;

// Coefficients c of the combination of d_0 ... d_(n-1) nearest to d_n: normal equations, scaled to
// a unit diagonal, by Cholesky's factors.
std::vector<double> nearestCombination(std::span<const double> gram, std::size_t n) {
  const std::size_t width = n + 1;
  std::vector<double> scale(n);
  std::vector<double> factor(n * n, 0.0);
  std::vector<double> c(n);
  for (std::size_t i = 0; i < n; ++i) scale[i] = 1.0 / std::sqrt(gram[i * width + i]);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = gram[i * width + j] * scale[i] * scale[j] + (i == j ? regularisation : 0.0);
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i * n + k] * factor[j * n + k];
      factor[i * n + j] =
          i == j ? std::sqrt(std::max(sum, regularisation)) : sum / factor[j * n + j];
    }
    double sum = gram[i * width + n] * scale[i];
    for (std::size_t k = 0; k < i; ++k) sum -= factor[i * n + k] * c[k];
    c[i] = sum / factor[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) c[i] -= factor[k * n + i] * c[k];
    c[i] /= factor[i * n + i];
  }
  for (std::size_t i = 0; i < n; ++i) c[i] *= scale[i];
  return c;
}

// Roots of z^n - c_(n-1) z^(n-1) - ... - c_0, all at once (Aberth 1973, Math. Comp. 27:339).
std::vector<Complex> rootsOf(const std::vector<double>& c) {
  const std::size_t n = c.size();
  std::vector<Complex> z(n);
  for (std::size_t k = 0; k < n; ++k)
    z[k] = std::polar(0.9, 0.4 + 2.0 * std::numbers::pi * double(k) / double(n));
  for (int iteration = 0; iteration < 200; ++iteration)
    for (std::size_t k = 0; k < n; ++k) {
      Complex value = 1.0;
      Complex slope = 0.0;
      for (std::size_t j = n; j-- > 0;) {
        slope = slope * z[k] + value;
        value = value * z[k] - c[j];
      }
      Complex others = 0.0;
      for (std::size_t j = 0; j < n; ++j)
        if (j != k) others += 1.0 / (z[k] - z[j]);
      const Complex newton = value / slope;
      const Complex step = newton / (1.0 - newton * others);
      if (std::isfinite(step.real()) && std::isfinite(step.imag())) z[k] -= step;
    }
  return z;
}

// Part of the last change by which a mode still changes, less the factor z: 1 / (1 - z) where it
// decays, 0 where it does not.
Complex continued(const Complex& z) {
  return std::clamp(mostContinued * (1.0 - std::abs(z)), 0.0, 1.0) / (1.0 - z);
}

// Coefficients of the polynomial through the values at z, by divided differences. Roots that agree
// are moved apart.
std::vector<Complex> polynomialThrough(std::vector<Complex> z, std::vector<Complex> values) {
  constexpr double apart = 1e-7;
  const std::size_t n = z.size();
  for (std::size_t k = 1; k < n; ++k)
    for (std::size_t j = 0; j < k; ++j)
      if (std::abs(z[k] - z[j]) < apart) z[k] += apart * double(k);
  for (std::size_t order = 1; order < n; ++order)
    for (std::size_t k = n - 1; k >= order; --k)
      values[k] = (values[k] - values[k - 1]) / (z[k] - z[k - order]);
  std::vector<Complex> out(n, 0.0);
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = n - 1; j > 0; --j) out[j] = out[j - 1] - z[k] * out[j];
    out[0] = values[k] - z[k] * out[0];
  }
  return out;
}

}  // namespace

// A combination a_0 d_0 + ... + a_(n-1) d_(n-1) is the polynomial a(A) d_0, whose values at the
// roots say it all; d_n is that with the values z^n, and A d_j is d_(j+1).
std::optional<std::vector<double>> extrapolationWeights(std::span<const double> gram) {
  const auto width = static_cast<std::size_t>(std::lround(std::sqrt(double(gram.size()))));
  for (std::size_t k = 0; k < width; ++k)
    if (!(gram[k * width + k] > 0.0)) return std::nullopt;
  const std::size_t n = width - 1;
  const std::vector<Complex> z = rootsOf(nearestCombination(gram, n));
  std::vector<Complex> values(n);
  for (std::size_t k = 0; k < n; ++k)
    values[k] = continued(z[k]) * std::pow(z[k], static_cast<int>(n));
  std::vector<double> weights;
  for (const Complex& weight : polynomialThrough(z, std::move(values))) {
    if (!std::isfinite(weight.real())) return std::nullopt;
    weights.push_back(weight.real());
  }
  return weights;
}

}  // namespace tessera::solver::run
