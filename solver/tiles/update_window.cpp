// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/update_window.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <cstdlib>

#include "solver/model/populations.hpp"

namespace tessera::solver::tiles {

std::uint32_t farthestNeighbour(std::span<const std::int32_t> rows, std::uint32_t tiles) {
  const auto farther = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };
  const auto ofRange = [&](const tbb::blocked_range<std::uint32_t>& range, std::int64_t farthest) {
    for (std::uint32_t slot = range.begin(); slot < range.end(); ++slot)
      for (std::size_t n = 0; n < 27; ++n) {
        const std::int64_t neighbour = rows[static_cast<std::size_t>(slot) * model::rowLength + n];
        if (neighbour < tiles)
          farthest = std::max(farthest, std::abs(neighbour - std::int64_t{slot}));
      }
    return farthest;
  };
  return static_cast<std::uint32_t>(tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(0, tiles, 1U << 12U), std::int64_t{0}, ofRange, farther));
}

}  // namespace tessera::solver::tiles
