// SPDX-License-Identifier: GPL-3.0-or-later
// Estimate of the flow that pressures and forces drive, before any of it is known.
#pragma once

#include "solver/case/solver_case.hpp"
#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

struct DrivenFlow {
  double velocity = 0.0;    // m/s, largest
  double difference = 0.0;  // Pa, largest difference of pressures that drives it; 0: a body force
};

// Largest velocity that the prescribed pressures at the openings drive: that of networkFlow(), at
// most Bernoulli's (2 dp / rho)^1/2. Of waveforms the largest difference in a period. Zeros if no
// two openings of a connected part prescribe different pressures. The same on all ranks;
// collective.
DrivenFlow flowByPressures(const SolverCase& run, const tiler::TiledGeometry& geometry,
                           comm::Ranks& ranks);

// Velocity that the body force, or the mean pressure gradient that it stands for, drives through a
// tube of the fluid's hydraulic diameter D, four times the volume over the wall's area: the least
// of Hagen and Poiseuille's peak g D^2 / (16 nu) and (2 g L)^1/2, L the longest side of the box.
// Between planes the first is twice the peak. Zeros without a force or a wall. The same on all
// ranks; collective.
DrivenFlow flowByForce(const SolverCase& run, const tiler::TiledGeometry& geometry,
                       comm::Ranks& ranks);

// The faster of the two.
DrivenFlow drivenFlow(const SolverCase& run, const tiler::TiledGeometry& geometry,
                      comm::Ranks& ranks);

}  // namespace tessera::solver::cases
