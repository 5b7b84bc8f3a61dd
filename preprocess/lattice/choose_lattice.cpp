// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/choose_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::lattice {
namespace {

constexpr double periodicTolerance = 1e-3;  // nodes
constexpr double coverTolerance = 1e-6;     // nodes, so that rounding does not add a layer

double requestedSpacing(const geometry::Bounds& bounds, const SpacingRequest& request,
                        std::optional<double> radius) {
  if (request.spacing) return *request.spacing;
  if (request.longest) return bounds.longest() / static_cast<double>(*request.longest);
  if (!radius)
    stage::fail(stage::ExitCode::Usage,
                "--across requires an opening, but the surface has none; use --longest or "
                "--spacing, or declare open sides of the box with --faces.");
  return 2.0 * *radius / static_cast<double>(*request.across);
}

// Spacing nearest to the requested one that divides the first periodic extent.
double fittedSpacing(const Double3& extent, double requested, const std::array<bool, 3>& periodic) {
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a]) return extent[a] / std::fmax(1.0, std::round(extent[a] / requested));
  return requested;
}

// Within the rounding to single precision.
bool isSide(double spacing, double side) {
  return std::abs(spacing - side) <= 0x1p-24 * side;
}

bool isWhole(double nodes) {
  return std::abs(nodes - std::round(nodes)) <= periodicTolerance;
}

void requireWhole(double extent, double spacing, std::size_t axis, bool fitted) {
  const double nodes = extent / spacing;
  if (isWhole(nodes)) return;
  const std::string found =
      fmt::format("the periodic extent on {}, {}, is {:f} spacings", "xyz"[axis],
                  stage::formatQuantity(extent, stage::Dimension::Length), nodes);
  if (fitted)
    stage::fail(stage::ExitCode::Usage,
                found +
                    " although another periodic extent is a multiple of the spacing; choose "
                    "another number of nodes or give a --spacing that divides both.");
  stage::fail(stage::ExitCode::Usage,
              fmt::format("{}, expected a whole number; give --spacing {}, or use --longest, which "
                          "adapts the spacing.",
                          found,
                          stage::exactQuantity(extent / std::fmax(1.0, std::round(nodes)),
                                               stage::Dimension::Length, "mm")));
}

}  // namespace

LatticeChoice chooseLattice(const geometry::Bounds& bounds, const SpacingRequest& request,
                            std::optional<double> radius, const std::array<bool, 3>& periodic) {
  const Double3 extent = bounds.extent();
  LatticeChoice choice;
  choice.requested = requestedSpacing(bounds, request, radius);
  const bool fitted = !request.spacing;
  const double spacing =
      fitted ? fittedSpacing(extent, choice.requested, periodic) : choice.requested;
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a]) requireWhole(extent[a], spacing, a, fitted);
  choice.frame.spacing = spacing;
  for (std::size_t a = 0; a < 3; ++a) {
    const double nodes = extent[a] / spacing;
    choice.nodes[a] =
        periodic[a] ? std::round(nodes) : std::fmax(1.0, std::ceil(nodes - coverTolerance));
    const double margin = 0.5 * (choice.nodes[a] * spacing - extent[a]);
    choice.frame.origin[a] = bounds.low[a] - margin + 0.5 * spacing;
  }
  return choice;
}

bool dividesPeriods(const Double3& extent, double spacing, const std::array<bool, 3>& periodic) {
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a] && !isWhole(extent[a] / spacing)) return false;
  return true;
}

SpacingRequest snappedTo(const Double3& voxel, SpacingRequest request) {
  std::optional<double> longest;
  for (const double side : voxel)
    if (request.spacing && isSide(*request.spacing, side))
      longest = std::max(longest.value_or(side), side);
  if (longest) request.spacing = longest;
  return request;
}

std::string spacingOfVoxel(double side) {
  for (int digits = 1; digits < 17; ++digits) {
    const double millimetres =
        stage::parseQuantity(stage::number(1e3 * side, digits), stage::Dimension::None);
    std::string text = fmt::format("{}mm", millimetres);
    if (isSide(stage::parseQuantity(text, stage::Dimension::Length), side)) return text;
  }
  return stage::exactQuantity(side, stage::Dimension::Length, "mm");
}

}  // namespace tessera::preprocess::lattice
