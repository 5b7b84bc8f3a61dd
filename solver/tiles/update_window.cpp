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

StateWindow windowOf(const TileOrder& order, model::StateId state, unsigned storageBytes,
                     bool alone) {
  const std::uint32_t farthest = farthestNeighbour(order.neighbourTable, order.tiles);
  const std::uint32_t chunk = state == model::StateId::Moments
                                  ? chunkOfMoments(order.tiles, farthest)
                                  : chunkOfPopulations(order.tiles, storageBytes);
  return stateWindow(order.tiles, farthest, chunk, alone ? 0 : order.remote + order.ghosts);
}

}  // namespace tessera::solver::tiles
