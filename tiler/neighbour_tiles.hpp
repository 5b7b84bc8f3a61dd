// SPDX-License-Identifier: GPL-3.0-or-later
// Neighbourhood of each tile: its 26 neighbours and its nodes as one mask word.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

struct TileNeighbourhood {
  std::vector<std::uint64_t> mask;                 // non-solid nodes, bit = local node
  std::vector<std::array<std::int32_t, 27>> tile;  // by direction, 13 is the tile itself; -1: none
  std::vector<std::size_t> border;  // tiles with a solid node in them or in a neighbour
  // Non-solid nodes of the neighbour in a direction; 0 without one.
  [[nodiscard]] std::uint64_t maskOf(std::size_t t, int direction) const {
    const std::int32_t there = tile[t][static_cast<std::size_t>(direction)];
    return there < 0 ? 0 : mask[static_cast<std::size_t>(there)];
  }
};

// Wraps around periodic axes that whole tiles fill.
TileNeighbourhood neighboursOfTiles(const TiledGeometry& tiled);

}  // namespace tessera::tiler
