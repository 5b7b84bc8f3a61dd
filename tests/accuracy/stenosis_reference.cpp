// SPDX-License-Identifier: GPL-3.0-or-later
// Reference of the stenosis of time.sh: pressure drop, mean and 95th percentile of the wall shear,
// in Pa, of the fluid, lengths and velocity in time_flows.sh. stenosis_reference [COLUMNS ROWS];
// columns a multiple of 5, so that edges of elements lie where the curvature of the wall jumps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

#include "tests/accuracy/axisymmetric_flow.hpp"

int main(int count, char** arguments) {
  const int columns = count == 3 ? std::atoi(arguments[1]) : 200;
  const int rows = count == 3 ? std::atoi(arguments[2]) : 32;
  if ((count != 1 && count != 3) || columns < 5 || rows < 2) {
    std::fprintf(stderr,
                 "stenosis_reference [COLUMNS ROWS]: 5 columns and 2 rows of elements or more are "
                 "required\n");
    return 2;
  }
  constexpr double density = 1000.0, viscosity = 1e-3, radius = 1e-3, velocity = 0.025;
  const auto narrowed = [](double x) { return x > 2.0 && x < 6.0; };
  const tessera::accuracy::RoundVessel stenosis{
      10.0, density * velocity * radius / viscosity,
      [&](double x) {
        return narrowed(x) ? 1.0 - 0.25 * (1.0 - std::cos(std::numbers::pi * (x - 2.0) / 2.0))
                           : 1.0;
      },
      [&](double x) {
        return narrowed(x)
                   ? -0.125 * std::numbers::pi * std::sin(std::numbers::pi * (x - 2.0) / 2.0)
                   : 0.0;
      }};
  const auto flow = tessera::accuracy::solveRoundVessel(stenosis, columns, rows);
  const double shear = viscosity * velocity / radius;
  std::printf("%.6g %.6g %.6g\n", density * velocity * velocity * flow.pressureDrop,
              shear * flow.shearMean, shear * flow.shear95);
  return 0;
}
