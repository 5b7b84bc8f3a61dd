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

// Planning of the halo: each rank lists the values its own nodes read of other ranks' tiles and
// requests them from the owners, once.

// wanted: local indices, in any order, valuesOfNode x 64 per slot; those in slots of other ranks
// are exchanged. Collective.
HaloPlan planHalo(comm::Ranks& ranks, const tiles::RankPart& part, const tiles::TileOrder& order,
                  unsigned valuesOfNode, std::vector<std::uint64_t> wanted);

// Indices that a step of own nodes reads: populations of all tiles, or all moments of their nodes.
std::vector<std::uint64_t> readInStep(const tiles::TileOrder& order,
                                      const tiler::TiledGeometry& geometry,
                                      const model::LatticeInfo& lattice, unsigned stateValues,
                                      const Domain& domain);

}  // namespace tessera::solver::domain
