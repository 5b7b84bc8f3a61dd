// SPDX-License-Identifier: GPL-3.0-or-later
// Which wall links need more than the step's own bounce-back, and what each of them needs.
#pragma once

#include "solver/boundary/wall_links.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/order.hpp"
#include "solver/ranks/ranks.hpp"
#include "solver/units.hpp"

namespace tessera {

// A population of a node in the solver's order.
struct PopulationPlace {
  std::uint32_t slot = 0;
  std::uint8_t local = 0;
  std::uint8_t direction = 0;
};

// Where the step gathers population i of a node from, wall links aside.
PopulationPlace gatherPlace(const TileOrder& order, const TiledGeometry& geometry,
                            std::uint32_t slot, int local, int i, const LatticeInfo& info);

// Links at a distance of exactly 1/2 that do not move are left to the step, so of images at rest
// there are none. Of the tiles that are stepped here; ranks: of all, for what is told of all.
// Throws StageError(Usage) for a symmetry plane that cannot be one.
Walls planWalls(const TileOrder& order, const TiledGeometry& geometry, const SolverCase& run,
                const LatticeRun& lattice, const LatticeInfo& info, Ranks& ranks = noOthers());

}  // namespace tessera
