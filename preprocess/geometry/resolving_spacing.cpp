// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/resolving_spacing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "preprocess/geometry/finer_spacing.hpp"

namespace tessera::preprocess::geometry {

double diameterOf(const Opening& opening, int dimensions, double spacing) {
  return dimensions == 2 ? opening.area / spacing : 2.0 * opening.radius;
}

double diameterOf(const Throat& throat, int dimensions, double spacing) {
  const double area = throat.area / throat.passages;
  return dimensions == 2 ? area / spacing : 2.0 * std::sqrt(area / std::numbers::pi);
}

bool LengthsToResolve::hasNarrowThroat() const {
  constexpr double mostOfOpening = 0.95;  // beyond rounding
  return throat > 0.0 && throat < mostOfOpening * opening;
}

LengthsToResolve sectionsToResolve(std::span<const Opening> openings,
                                   std::span<const Throat> throats, int dimensions,
                                   double spacing) {
  LengthsToResolve lengths;
  const auto take = [&](double& narrowest, const auto& section) {
    const double diameter = diameterOf(section, dimensions, spacing);
    if (narrowest == 0.0 || diameter < narrowest) narrowest = diameter;
  };
  for (const Opening& opening : openings) take(lengths.opening, opening);
  for (const Throat& throat : throats) take(lengths.throat, throat);
  return lengths;
}

double resolvingSpacing(const LengthsToResolve& lengths, double spacing,
                        const std::array<bool, 3>& periodic) {
  double most = spacing;
  const auto resolve = [&](double length, double nodes) {
    if (length > 0.0) most = std::min(most, length / nodes);
  };
  resolve(lengths.opening, fewestNodesAcross);
  if (lengths.hasNarrowThroat()) resolve(lengths.throat, fewestNodesAcross);
  resolve(lengths.slit, fewestNodesAcross);
  resolve(lengths.stokesLayer, thinnestStokesLayer);
  return most < spacing ? finerSpacing(spacing, most, periodic) : spacing;
}

}  // namespace tessera::preprocess::geometry
