// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/compare/mesh_convergence.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::postprocess::compare {
namespace {

constexpr double regularFactor = 1.25;  // Roache, for an observed order
constexpr double otherFactor = 2.0, cautiousFactor = 3.0;
constexpr double leastOrder = 0.5, methodOrder = 2.0, largestOrder = 2.1;
constexpr double mostOrder = 16.0;
constexpr double rounding = 1e-7;  // fields are stored in fp32
// Bounds of the bar by the expected error.
constexpr double leastExpected = 0.8, leastOfSlow = 1.25, mostExpected = 1.5;

// (f3 - f2) / (f2 - f1) for an error of order p; increases with p from ln(r32) / ln(r21) at 0.
double ratioOfDifferences(double p, double r21, double r32) {
  return (std::pow(r32, p) - 1.0) / (1.0 - std::pow(r21, -p));
}

// Bisection on [0, mostOrder].
double observedOrder(double ratio, double r21, double r32) {
  double low = 0.0, high = mostOrder;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (ratioOfDifferences(middle, r21, r32) < ratio ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// f_2 of the least-squares fit f_2 + a h^2.
double limitOfSecondOrder(std::span<const double> spacing, std::span<const double> value) {
  const auto n = static_cast<double>(value.size());
  double meanSquare = 0.0, meanValue = 0.0, covariance = 0.0, variance = 0.0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    meanSquare += spacing[i] * spacing[i] / n;
    meanValue += value[i] / n;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double off = spacing[i] * spacing[i] - meanSquare;
    covariance += off * (value[i] - meanValue);
    variance += off * off;
  }
  return meanValue - covariance / variance * meanSquare;
}

// Approach, order and limit by the three finest values; scale: of rounding.
MeshConvergence classified(std::span<const double> h, std::span<const double> f, double nothing) {
  const double fine = f[1] - f[0], coarse = f[2] - f[1];
  const double r21 = h[1] / h[0], r32 = h[2] / h[1];
  // A finest pair equal to rounding is treated as differing by rounding.
  const double ratio = coarse / (std::abs(fine) > nothing ? fine : std::copysign(nothing, coarse));
  if (ratio < 0.0) return {Approach::Oscillatory, {}, {}, {}, {}};
  if (ratio <= std::log(r32) / std::log(r21)) return {Approach::Diverging, {}, {}, {}, {}};
  const double p = observedOrder(ratio, r21, r32);
  return {Approach::Monotone, p, f[0] - fine / (std::pow(r21, p) - 1.0), {}, {}};
}

// Roache's index of that order, in the value's unit.
double regularBar(double fine, double ratio, double order) {
  return regularFactor * fine / (std::pow(ratio, order) - 1.0);
}

// Error bar but for what refinement does not reduce.
std::optional<double> barOf(const MeshConvergence& found, std::span<const double> h,
                            std::span<const double> f, const std::optional<double>& expected) {
  const double fine = std::abs(f[1] - f[0]), ratio = h[1] / h[0], known = expected.value_or(0.0);
  const double order = found.order.value_or(methodOrder);
  if (found.order && order >= leastOrder && order <= largestOrder)
    return std::max(leastExpected * known, regularBar(fine, ratio, std::min(order, methodOrder)));
  if (found.approach == Approach::Diverging && !expected) return std::nullopt;
  const bool two = f.size() < 3;
  const double factor = two || !expected ? cautiousFactor : otherFactor;
  double bar = factor * std::abs(f[0] - limitOfSecondOrder(h, f));
  if (order < leastOrder) bar = std::max(bar, regularBar(fine, ratio, leastOrder));
  if (!expected) return bar;
  const bool slow = two || found.approach == Approach::Diverging || order < leastOrder;
  return std::max((slow ? leastOfSlow : leastExpected) * known,
                  std::min(bar, std::max(mostExpected * known, fine)));
}

}  // namespace

const char* nameOf(Approach approach) {
  switch (approach) {
    case Approach::Unchanged:
      return "unchanged";
    case Approach::Monotone:
      return "monotone";
    case Approach::Oscillatory:
      return "oscillatory";
    case Approach::Diverging:
      return "diverging";
    case Approach::TwoSpacings:
      return "two spacings";
  }
  return "";
}

MeshConvergence meshConvergence(std::span<const double> spacing, std::span<const double> value,
                                double scale, const FinestError& expected) {
  const double nothing = rounding * scale;
  const auto [least, most] = std::minmax_element(value.begin(), value.end());
  MeshConvergence result{Approach::TwoSpacings, {}, {}, {}, {}};
  if (*most - *least <= nothing)
    result.approach = Approach::Unchanged;
  else if (value.size() > 2)
    result = classified(spacing, value, nothing);
  result.uncertainty = barOf(result, spacing, value, expected.resolution);
  if (!result.uncertainty) return result;
  *result.uncertainty += expected.kept;
  if (value[0] != 0.0) result.index = *result.uncertainty / std::abs(value[0]);
  return result;
}

}  // namespace tessera::postprocess::compare
