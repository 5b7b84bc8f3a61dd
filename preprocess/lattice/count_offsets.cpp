// SPDX-License-Identifier: GPL-3.0-or-later
// How many tiles each of the 64 offsets of the tile mesh needs, in one pass over the bits. A tile
// is not empty when the window of nodes it covers has a bit, so the counts of all offsets are the
// popcounts of the sliding OR over a window, sorted by where the window ends modulo the tile size.
// Extends Algorithm 1 of Tomczak & Szafran 2017, which always starts its tiles at node (0, 0, 0).
#include "preprocess/lattice/count_offsets.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <bit>

#include "preprocess/lattice/window_block.hpp"

namespace tessera::preprocess::lattice {

namespace {

using Counts = std::array<std::uint64_t, 64>;

// The lowest bit of every group of `edge` bits: 0x1111... or 0x0101...
template <int edge>
constexpr std::uint64_t everyEdge = ~std::uint64_t{0} / ((std::uint64_t{1} << edge) - 1);

// Counts the windows that end on the nodes of one block.
template <int edge, int depth>
void countWindows(const WindowBlock<edge, depth>& block, Counts& counts) {
  for (int p = 0; p < block.planes; ++p)
    for (int first = 0; first < edge; ++first) {
      std::array<std::uint64_t, edge> tiles{};
      for (int r = first; r < block.rows; r += edge)
        for (std::size_t x = 0; x < edge; ++x)
          tiles[x] += static_cast<std::uint64_t>(
              std::popcount(block.windows(r, p) & (everyEdge<edge> << x)));
      const int offsetYZ = edge - 1 - first + edge * (depth - 1 - p % depth);
      for (std::size_t x = 0; x < edge; ++x)
        counts[edge - 1 - x + static_cast<std::size_t>(edge * offsetYZ)] += tiles[x];
    }
}

template <int edge, int depth>
Counts countAll(const geometry::BitLattice& fluid) {
  const auto addLayers = [&](const tbb::blocked_range<int>& layers, Counts counts) {
    WindowBlock<edge, depth> block;
    for (int k = layers.begin(); k != layers.end(); ++k)
      for (const auto& [i, j] : blocksWithWindows(fluid, k)) {
        block.load(fluid, i, j, k);
        countWindows(block, counts);
      }
    return counts;
  };
  const auto sum = [](Counts left, const Counts& right) {
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
    return left;
  };
  const tbb::blocked_range<int> layers(0, fluid.blocks()[2] + 1);
  return tbb::parallel_reduce(layers, Counts{}, addLayers, sum);
}

}  // namespace

OffsetCounts countTilesAtAllOffsets(const geometry::BitLattice& fluid, int dimensions) {
  const Counts counts = dimensions == 2 ? countAll<8, 1>(fluid) : countAll<4, 4>(fluid);
  return {tileSizeFor(dimensions), {counts.begin(), counts.end()}};
}

Int3 OffsetCounts::best() const {
  // Index order is z, then y, then x, so the first of equals is the one wanted.
  const auto fewest = std::min_element(tiles.begin(), tiles.end());
  return offsetOf(static_cast<std::size_t>(fewest - tiles.begin()));
}

Int3 chooseOffset(const OffsetCounts& counts, const Int3& nodes,
                  const std::array<bool, 3>& periodic) {
  const auto joins = [&](const Int3& offset) {
    for (std::size_t a = 0; a < 3; ++a)
      if (periodic[a] && nodes[a] % counts.tileSize[a] == 0 && offset[a] != 0) return false;
    return true;
  };
  std::size_t chosen = 0;  // offset 0, 0, 0 always joins
  for (std::size_t i = 1; i < counts.tiles.size(); ++i)
    if (joins(counts.offsetOf(i)) && counts.tiles[i] < counts.tiles[chosen]) chosen = i;
  return counts.offsetOf(chosen);
}

}  // namespace tessera::preprocess::lattice
