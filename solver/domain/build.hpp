// SPDX-License-Identifier: GPL-3.0-or-later
// Assembly of the discretised problem from geometry, order and case.
#pragma once

#include "solver/boundary/planned_opening.hpp"
#include "solver/case/time_step.hpp"
#include "solver/domain/domain.hpp"
#include "solver/model/lattice_info.hpp"

namespace tessera::solver::domain {

// Tiles, neighbour table, and the links that the planners of openings and outlets return; walls,
// state window and halo are added by the caller. Throws StageError(Usage) as planOpenings() does.
Domain buildDomain(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                   const cases::SolverCase& run, const cases::LatticeRun& lattice,
                   const model::LatticeInfo& info);

}  // namespace tessera::solver::domain
