// SPDX-License-Identifier: GPL-3.0-or-later
// Assembly of the discretised problem from geometry, order and case.
#pragma once

#include "solver/boundary/planned_opening.hpp"
#include "solver/domain/domain.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/units.hpp"

namespace tessera {

// Tiles, neighbour table, and the links that the planners of openings and outlets return; walls,
// state window and halo are added by the caller. Throws StageError(Usage) as planOpenings() does.
Domain buildDomain(const TileOrder& order, const TiledGeometry& geometry, const SolverCase& run,
                   const LatticeRun& lattice, const LatticeInfo& info);

}  // namespace tessera
