// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/accuracy/axisymmetric_flow.hpp"

namespace accuracy = tessera::accuracy;

TEST_CASE(
    "Axisymmetric flow: a straight pipe has the pressure drop and shear of Hagen and Poiseuille",
    "[unit]") {
  const accuracy::RoundVessel pipe{4.0, 25.0, [](double) { return 1.0; },
                                   [](double) { return 0.0; }};
  const auto flow = accuracy::solveRoundVessel(pipe, 5, 4);
  CHECK(flow.pressureDrop == Approx(8.0 * 4.0 / 25.0).epsilon(1e-9));
  CHECK(flow.shearMean == Approx(4.0).epsilon(1e-9));
  CHECK(flow.shear95 == Approx(4.0).epsilon(1e-9));
}

TEST_CASE(
    "Axisymmetric flow: a slow one through a slender cone has lubrication theory's pressure drop",
    "[unit]") {
  // dp/dx = 8 / (Re R^4), R from 1 to 0.8 over 40 radii.
  const double slope = -0.005, length = 40.0, reynolds = 1e-3;
  const accuracy::RoundVessel cone{length, reynolds, [&](double x) { return 1.0 + slope * x; },
                                   [&](double) { return slope; }};
  const auto flow = accuracy::solveRoundVessel(cone, 40, 6);
  const double exact = 8.0 / reynolds * (std::pow(0.8, -3) - 1.0) / (-3.0 * slope);
  CHECK(flow.pressureDrop == Approx(exact).epsilon(2e-4));
}
