// SPDX-License-Identifier: GPL-3.0-or-later
// Node spacing that resolves the flow through a geometry: one rule, by which the warnings of
// preprocess, solver and postprocess propose one spacing.
#pragma once

#include <array>
#include <span>

#include "preprocess/geometry/patch.hpp"

namespace tessera::preprocess::geometry {

// With fewer the flow rate of a round tube is off by 10 % (staircase, tests/bench/RESULTS.md).
constexpr int fewestNodesAcross = 8;
// With a thinner Stokes layer the amplitude of the wall shear is off by more than 5 %. In nodes.
constexpr double thinnestStokesLayer = 1.7;

// Diameters of circles of the same area, in 2D widths, in m; of a throat of parallel passages their
// mean.
double diameterOf(const Opening& opening, int dimensions, double spacing);
double diameterOf(const Throat& throat, int dimensions, double spacing);

// Lengths that a spacing has to resolve, in m; 0: none.
struct LengthsToResolve {
  double opening = 0.0;      // diameter of the smallest
  double throat = 0.0;       // diameter of the narrowest
  double slit = 0.0;         // width of a path whose sections are wider by their area
  double stokesLayer = 0.0;  // (2 nu / omega)^(1/2)

  // A throat as wide as the smallest opening is that opening.
  [[nodiscard]] bool hasNarrowThroat() const;
};

LengthsToResolve sectionsToResolve(std::span<const Opening> openings,
                                   std::span<const Throat> throats, int dimensions, double spacing);

// The coarsest spacing, rounded as finerSpacing() does, at which every section has
// fewestNodesAcross nodes and the Stokes layer its thickness; the present one where they have.
// periodic: see axesToDivide().
double resolvingSpacing(const LengthsToResolve& lengths, double spacing,
                        const std::array<bool, 3>& periodic);

}  // namespace tessera::preprocess::geometry
