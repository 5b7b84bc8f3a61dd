// SPDX-License-Identifier: GPL-3.0-or-later
// The table [fluid] of a case: density and how the viscosity depends on the shear rate.
#pragma once

#include "solver/case/solver_case.hpp"

namespace tessera::solver::cases {

// Sets density, kinematicViscosity and law, in SI. Throws StageError(Usage) with file and line.
void readFluid(stage::CaseTable table, SolverCase& run);

}  // namespace tessera::solver::cases
