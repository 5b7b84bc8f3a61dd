// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of the correction of mass at interpolated walls (wall_mass.hpp): neighbours along the
// wall, and nodes of other ranks whose excess reaches own ones.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/boundary/wall_links.hpp"
#include "solver/model/lattice_info.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::boundary {

struct PlannedWallNode {
  std::uint32_t tile = 0;
  std::uint32_t mask = 0;  // directions of the 26 that leave the fluid
  WallNode node{};
  double expected = 0.0;
  bool shares = true;  // has neighbours; not between a wall and a symmetry plane
};

struct WallPart {
  Walls walls;
  std::vector<PlannedWallNode> nodes;
};

// Fills own.walls.mass and appends the links of nodes of other ranks to own.walls. near: nodes of
// the tiles of other ranks around. acrossTiles: neighbours may lie in other tiles; without, none
// of another rank are needed.
void planWallMass(const tiler::TiledGeometry& geometry, const model::LatticeInfo& info,
                  const WallPart& near, bool acrossTiles, WallPart& own);

// Node one step away, wrapped on periodic axes. tile: -1 where this part of the geometry has none.
struct NodeInTile {
  std::int32_t tile = -1;
  int local = 0;
};
NodeInTile nodeBeside(const tiler::TiledGeometry& geometry, std::size_t tile, int local,
                      const Int3& step);

}  // namespace tessera::solver::boundary
