// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/ranks/partition.hpp"

#include "pipelines/stage/error.hpp"

namespace tessera {

// As many tiles for each, in the order of the file.
Partition partitionTiles(const TiledGeometry& geometry, int ranks) {
  const auto tiles = geometry.tiles();
  const auto count = static_cast<std::size_t>(ranks);
  if (count > tiles)
    fail(ExitCode::Usage, std::to_string(count) + " ranks were started for " +
                              std::to_string(tiles) +
                              " tiles, expected is at least a tile for each; start fewer ranks");
  Partition partition;
  partition.rankOfTile.resize(tiles);
  for (std::size_t t = 0; t < tiles; ++t)
    partition.rankOfTile[t] = static_cast<std::uint32_t>(t * count / tiles);
  return partition;
}

}  // namespace tessera
