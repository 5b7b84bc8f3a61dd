// SPDX-License-Identifier: GPL-3.0-or-later
// Openings that the case makes wall.
#pragma once

#include "solver/case/solver_case.hpp"

namespace tessera::solver::cases {

// Gives the links of each opening of kind "wall" to a wall at rest, as tiler::closeOpenings() does.
void closeWallOpenings(SolverCase& run, tiler::TiledGeometry& geometry);

}  // namespace tessera::solver::cases
