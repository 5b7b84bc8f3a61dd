// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/finer_spacing.hpp"

#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::geometry {

double roundedSpacing(double spacing, bool up) {
  constexpr double rounding = 1e-12;
  const int power = static_cast<int>(std::floor(std::log10(1e3 * spacing))) - 2;
  const double steps = 1e3 * spacing / std::pow(10.0, power);
  const double whole =
      up ? std::ceil(steps * (1.0 - rounding)) : std::floor(steps * (1.0 + rounding));
  return stage::parseQuantity(fmt::format("{:.0f}e{}mm", whole, power), stage::Dimension::Length);
}

double finerSpacing(double spacing, double most, const std::array<bool, 3>& periodic) {
  if (!periodic[0] && !periodic[1] && !periodic[2]) return roundedSpacing(most, false);
  return spacing / std::ceil(spacing / most * (1.0 - 1e-12));
}

std::array<bool, 3> axesToDivide(std::array<bool, 3> periodic, int dimensions) {
  if (dimensions == 2) periodic[2] = false;
  return periodic;
}

std::string nodesText(int nodes, const std::array<bool, 3>& periodic) {
  const bool isFraction = periodic[0] || periodic[1] || periodic[2];
  return fmt::format("{}{}", isFraction ? "at least " : "", nodes);
}

std::string spacingOption(double spacing) {
  return "--spacing " + stage::exactQuantity(spacing, stage::Dimension::Length, "mm");
}

}  // namespace tessera::preprocess::geometry
