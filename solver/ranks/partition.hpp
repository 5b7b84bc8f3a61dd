// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank steps which tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "tiler/tiled_geometry.hpp"

namespace tessera {

struct Partition {
  std::vector<std::uint32_t> rankOfTile;  // by tile of the file
};

// Every rank has at least one tile. Throws StageError(Usage) for more ranks than tiles.
Partition partitionTiles(const TiledGeometry& geometry, int ranks);

}  // namespace tessera
