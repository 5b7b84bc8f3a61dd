// SPDX-License-Identifier: GPL-3.0-or-later
// Each tile with its 26 neighbours and its nodes as one word: what counts over a tiled geometry
// walk.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

struct TileNeighbourhood {
  std::vector<std::uint64_t> mask;                 // non-solid nodes, bit = local node
  std::vector<std::array<std::int32_t, 27>> tile;  // by direction, 13 is the tile; -1: none
  std::vector<std::size_t> border;  // tiles with a solid node in them or in one of the 26
  // Non-solid nodes of the neighbour in a direction; 0 where there is none.
  [[nodiscard]] std::uint64_t maskOf(std::size_t t, int direction) const {
    const std::int32_t there = tile[t][static_cast<std::size_t>(direction)];
    return there < 0 ? 0 : mask[static_cast<std::size_t>(there)];
  }
};

// Periodic axes are followed where whole tiles fill them.
TileNeighbourhood neighboursOfTiles(const TiledGeometry& tiled);

}  // namespace tessera::tiler
