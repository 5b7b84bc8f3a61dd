// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/choose_lattice.hpp"

#include <cmath>
#include <string>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"

namespace tessera::preprocess::lattice {
namespace {

constexpr double periodicTolerance = 1e-3;  // nodes
constexpr double coverTolerance = 1e-6;     // nodes, so that rounding does not add a layer

double wantedSpacing(const geometry::Bounds& bounds, const SpacingRequest& request,
                     std::optional<double> smallestRadius) {
  if (request.spacing) return *request.spacing;
  if (request.longest) return bounds.longest() / static_cast<double>(*request.longest);
  if (!smallestRadius)
    stage::fail(
        stage::ExitCode::Usage,
        "--across was given but the surface has no openings to go by; use --longest or --spacing, "
        "or say with --faces which sides of the box are open.");
  return 2.0 * *smallestRadius / static_cast<double>(*request.across);
}

// The spacing nearest to the wanted one that divides the first periodic extent.
double fittedSpacing(const Double3& extent, double wanted, const std::array<bool, 3>& periodic) {
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a]) return extent[a] / std::fmax(1.0, std::round(extent[a] / wanted));
  return wanted;
}

void requireWhole(double extent, double spacing, std::size_t axis, bool fitted) {
  const double nodes = extent / spacing;
  if (std::abs(nodes - std::round(nodes)) <= periodicTolerance) return;
  const std::string found = std::string("the periodic extent on ") + "xyz"[axis] + ", " +
                            stage::formatQuantity(extent, stage::Dimension::Length) + ", is " +
                            std::to_string(nodes) + " spacings";
  if (fitted)
    stage::fail(stage::ExitCode::Usage,
                found +
                    " when another periodic extent is a whole number of them; choose "
                    "another number of nodes or give a --spacing that divides both.");
  stage::fail(stage::ExitCode::Usage,
              found + ", expected is a whole number; give --spacing \"" +
                  std::to_string(1e3 * extent / std::fmax(1.0, std::round(nodes))) +
                  " mm\", or --longest, which fits the spacing itself.");
}

}  // namespace

LatticeChoice chooseLattice(const geometry::Bounds& bounds, const SpacingRequest& request,
                            std::optional<double> smallestRadius,
                            const std::array<bool, 3>& periodic) {
  const Double3 extent = bounds.extent();
  LatticeChoice choice;
  choice.requested = wantedSpacing(bounds, request, smallestRadius);
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

}  // namespace tessera::preprocess::lattice
