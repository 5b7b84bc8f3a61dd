// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/compare/mesh_convergence.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::postprocess::compare {
namespace {

constexpr double safetyFactor = 1.25;  // Roache, for three spacings
constexpr double methodOrder = 2.0;
constexpr double mostOrder = 16.0;
constexpr double rounding = 1e-7;  // fields are stored in fp32

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
  }
  return "";
}

MeshConvergence meshConvergence(const std::array<double, 3>& spacing,
                                const std::array<double, 3>& value, double scale) {
  const double fine = value[1] - value[0], coarse = value[2] - value[1];
  const double nothing = rounding * scale;
  if (std::abs(fine) <= nothing && std::abs(coarse) <= nothing)
    return {Approach::Unchanged, {}, {}, {}, 0.0};
  const double r21 = spacing[1] / spacing[0], r32 = spacing[2] / spacing[1];
  // A finest pair equal to rounding is treated as differing by rounding.
  const double ratio = coarse / (std::abs(fine) > nothing ? fine : std::copysign(nothing, coarse));
  if (ratio < 0.0) {
    const auto [least, most] = std::minmax_element(value.begin(), value.end());
    return {Approach::Oscillatory, {}, {}, {}, 0.5 * (*most - *least)};
  }
  if (ratio <= std::log(r32) / std::log(r21)) return {Approach::Diverging, {}, {}, {}, {}};
  const double p = observedOrder(ratio, r21, r32);
  MeshConvergence result{Approach::Monotone, p, {}, {}, {}};
  result.extrapolated = value[0] - fine / (std::pow(r21, p) - 1.0);
  result.uncertainty =
      safetyFactor * std::abs(fine) / (std::pow(r21, std::min(p, methodOrder)) - 1.0);
  if (value[0] != 0.0) result.index = *result.uncertainty / std::abs(value[0]);
  return result;
}

}  // namespace tessera::postprocess::compare
