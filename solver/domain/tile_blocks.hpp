// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of tiles for the step on moments: slots in and around each block.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solver/domain/domain.hpp"

namespace tessera::solver::domain {

// Tiles of a block along each axis.
using BlockTiles = std::array<int, 3>;

constexpr std::int32_t noTile = -1;
// Tile at a position of a block that does not belong to it (periodic image, ghost): its moments are
// read, never written.
constexpr std::int32_t foreignTile(std::int32_t slot) {
  return -2 - slot;
}

// Table of blocks in the order of their lowest slots: slots of the tiles in and around each, (tiles
// + 2) along each axis, x fastest; noTile and foreignTile. Built from the neighbour table, so
// ghosts and periodic axes agree with it.
std::vector<std::int32_t> blockTable(const domain::Domain& domain, const BlockTiles& tiles);

// The lowest slot of each block's own tiles.
std::vector<std::uint32_t> firstSlots(const std::vector<std::int32_t>& table,
                                      const BlockTiles& tiles);

}  // namespace tessera::solver::domain
