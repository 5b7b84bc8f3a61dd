// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/update_window.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstdlib>

#include "solver/model/populations.hpp"

namespace tessera::solver::tiles {

std::uint32_t farthestNeighbour(std::span<const std::int32_t> neighbourTable, std::uint32_t tiles) {
  const auto farther = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };
  const auto ofRange = [&](const tbb::blocked_range<std::uint32_t>& range, std::int64_t farthest) {
    for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot)
      for (std::size_t n = 0; n < 27; ++n) {
        const std::int64_t neighbour =
            neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride + n];
        if (neighbour < tiles)
          farthest = std::max(farthest, std::abs(neighbour - std::int64_t{slot}));
      }
    return farthest;
  };
  return static_cast<std::uint32_t>(tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(0, tiles, 1U << 12U), std::int64_t{0}, ofRange, farther));
}

StateWindow windowOf(const TileOrder& order, unsigned storageBytes, bool alone) {
  return stateWindow(order.tiles, farthestNeighbour(order.neighbourTable, order.tiles),
                     storageBytes, alone ? 0 : order.remote + order.ghosts);
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
