// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of walls: the links that need more than the halfway bounce-back of the step.
#pragma once

#include "solver/boundary/wall_condition.hpp"
#include "solver/boundary/wall_links.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/tiles/neighbour_table.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::boundary {

// Walls of a case.
struct WallPlanInput {
  WallScheme scheme;
  const std::vector<WallCondition>& conditions;  // one per wall label; empty: all at rest
  const model::Scales& scales;
};

// Links at a distance of exactly 1/2 that do not move are left to the step, so images at rest have
// none. For the tiles of this rank. Throws StageError(Usage) for a symmetry plane that cannot be
// one.
Walls planWalls(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                const WallPlanInput& input, const model::LatticeInfo& info);

// Warns of walls that move along their normal and so take fluid out. walls: as planned on this
// rank; ranks: all. Collective.
void warnAboutOutflow(const Walls& walls, const tiler::TiledGeometry& geometry,
                      const WallPlanInput& input, comm::Ranks& ranks);

}  // namespace tessera::solver::boundary
