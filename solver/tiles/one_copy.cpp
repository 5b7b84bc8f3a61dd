// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/one_copy.hpp"

#include <algorithm>

namespace tessera::solver::tiles {

StateWindow windowOf(const TileOrder& order, unsigned storageBytes, bool alone) {
  return stateWindow(order.tiles, farthestNeighbour(order.rows, order.tiles), storageBytes,
                     alone ? 0 : order.remote + order.ghosts);
}

TileSequence layersOfMoments(const tiler::TiledGeometry& geometry, const RankPart& part,
                             unsigned storageBytes) {
  std::uint32_t tiles = 0;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) tiles += part.owns(t) ? 1 : 0;
  const auto near =
      static_cast<std::uint32_t>(std::count(part.role.begin(), part.role.end(), TileRole::Near));
  for (const TileSequence thick : {TileSequence::InLayersOf8, TileSequence::InLayersOf4}) {
    const std::uint32_t most = largestLayer(geometry, thick, part);
    const StateWindow window = stateWindow(tiles, most + most / 16, storageBytes, near);
    if (window.shift > 0 && window.shift <= allowedWindow(storageBytes, tiles)) return thick;
  }
  return TileSequence::InLayersOf2;
}

}  // namespace tessera::solver::tiles
