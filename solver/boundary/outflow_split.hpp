// SPDX-License-Identifier: GPL-3.0-or-later
// Outlets that each take a fraction of the inflow.
#pragma once

#include "solver/solver_case.hpp"

namespace tessera {

// Makes flow rates of the outlets' fractions. Those left open (negative) share what is left by
// Murray's law, as the cube of the radius (1926; in 2D the square of the width). The outlet with
// the largest fraction takes what the others leave and holds the pressure, at 0 Pa: an
// incompressible flow with all flow rates prescribed would have no level of pressure, and what is
// left is its fraction once the flow is steady. Throws StageError(Usage) for fractions that do not
// add up, without an inflow, or beside openings that hold a pressure of their own.
void splitOutflow(const std::string& caseName, const TiledGeometry& geometry, SolverCase& run);

}  // namespace tessera
