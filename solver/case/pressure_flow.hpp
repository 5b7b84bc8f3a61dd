// SPDX-License-Identifier: GPL-3.0-or-later
// Estimate of the flow that pressures drive, before any of it is known.
#pragma once

#include "solver/case/solver_case.hpp"
#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// Largest velocity, m/s, that the prescribed pressures at the openings drive through straight ways
// of constant cross-section between them, the least of Hagen and Poiseuille's peak and Bernoulli's
// velocity (2 dp / rho)^1/2. The cross-section is the least of the two openings' and of the fluid's
// volume over the length, so that bends, narrow places and pores make the flow slower. Of waveforms
// the largest difference in a period. 0 if no two openings of a connected part prescribe different
// pressures. The same on all ranks; collective.
double pressureDrivenVelocity(const SolverCase& run, const tiler::TiledGeometry& geometry,
                              comm::Ranks& ranks);

}  // namespace tessera::solver::cases
