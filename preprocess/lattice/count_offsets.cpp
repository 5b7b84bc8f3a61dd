// SPDX-License-Identifier: GPL-3.0-or-later
// Number of tiles for each of the 64 offsets of the tile mesh, in one pass over the bits. A tile is
// occupied if its window of nodes has a set bit, so the counts of all offsets are the popcounts of
// a sliding OR over a window, grouped by the window's end modulo the tile size. Extends Algorithm 1
// of Tomczak & Szafran 2017, which starts its tiles at node (0, 0, 0).
#include "preprocess/lattice/count_offsets.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <bit>

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
  // Index order is z, then y, then x: the first minimum wins.
  const auto fewest = std::min_element(tiles.begin(), tiles.end());
  return offsetOf(static_cast<std::size_t>(fewest - tiles.begin()));
}

Int3 chooseOffset(const OffsetCounts& counts, const Int3& nodes,
                  const std::array<bool, 3>& periodic) {
  const auto aligned = [&](const Int3& offset) {
    for (std::size_t a = 0; a < 3; ++a)
      if (periodic[a] && nodes[a] % counts.tileSize[a] == 0 && offset[a] != 0) return false;
    return true;
  };
  std::size_t chosen = 0;  // offset 0, 0, 0 is always aligned
  for (std::size_t i = 1; i < counts.tiles.size(); ++i)
    if (aligned(counts.offsetOf(i)) && counts.tiles[i] < counts.tiles[chosen]) chosen = i;
  return counts.offsetOf(chosen);
}

std::vector<std::array<int, 2>> blocksWithWindows(const geometry::BitLattice& fluid, int k) {
  const Int3 blocks = fluid.blocks();
  std::vector<std::array<int, 2>> found;
  std::vector<std::uint8_t> isFound(static_cast<std::size_t>(blocks[0] + 1) *
                                    static_cast<std::size_t>(blocks[1] + 1));
  const auto add = [&](int i, int j) {
    for (int dj = 0; dj < 2; ++dj)
      for (int di = 0; di < 2; ++di) {
        std::uint8_t& mark = isFound[static_cast<std::size_t>(i + di + (blocks[0] + 1) * (j + dj))];
        if (mark == 0) found.push_back({i + di, j + dj});
        mark = 1;
      }
  };
  if (k < blocks[2]) fluid.forEachBlock(k, add);
  if (k > 0) fluid.forEachBlock(k - 1, add);
  return found;
}

}  // namespace tessera::preprocess::lattice
