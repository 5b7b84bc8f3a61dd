// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of tiles for the step on moments: which slots lie in and around each block.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solver/domain/domain.hpp"

namespace tessera::solver::domain {

// Tiles of a block along each axis.
using BlockTiles = std::array<int, 3>;

constexpr std::int32_t noTile = -1;
// A tile that lies in a block's place without being of the block: where an axis closes within the
// block, and ghosts. Its moments are read and never written.
constexpr std::int32_t foreignTile(std::int32_t slot) {
  return -2 - slot;
}

// For each block with a tile in it, in the order of its first slot: the slots of the tiles in and
// around it, (tiles + 2) along each axis, x fastest; noTile and foreignTile. Found by walking the
// neighbour rows, so ghosts and axes that close are as the rows have them.
std::vector<std::int32_t> blockTable(const domain::Domain& domain, const BlockTiles& tiles);

// The lowest slot of each block's own tiles.
std::vector<std::uint32_t> firstSlots(const std::vector<std::int32_t>& table,
                                      const BlockTiles& tiles);

}  // namespace tessera::solver::domain
