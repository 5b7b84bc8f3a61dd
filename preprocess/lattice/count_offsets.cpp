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

namespace tessera {

namespace {

using Counts = std::array<std::uint64_t, 64>;

// The lowest bit of every group of `edge` bits: 0x1111... or 0x0101...
template <int edge>
constexpr std::uint64_t everyEdge = ~std::uint64_t{0} / ((std::uint64_t{1} << edge) - 1);

// Counts the windows of edge x edge x depth nodes that end on the nodes of one block. They begin up
// to edge - 1 nodes before it, so that three rows and planes more are looked at.
template <int edge, int depth>
class BlockCounter {
 public:
  explicit BlockCounter(const BitLattice& fluid) : fluid_(fluid) {}

  void add(int i, int j, int k, Counts& counts) {
    load(i, j, k);
    joinPlanes();
    for (int p = 0; p < planes; ++p)
      for (int r = 0; r < rows; ++r) addRow(r, p, counts);
  }

 private:
  static constexpr int rows = BitLattice::blockRows;
  static constexpr int planes = BitLattice::blockPlanes;
  static constexpr int moreRows = edge - 1;
  static constexpr int morePlanes = depth - 1;
  // A word of nodes and, in the high bits of `before`, the nodes in front of it.
  struct Nodes {
    std::uint64_t here = 0, before = 0;
    void join(const Nodes& other) {
      here |= other.here;
      before |= other.before;
    }
  };
  Nodes& at(int r, int p) {
    return nodes_[static_cast<std::size_t>(r + moreRows + (rows + moreRows) * (p + morePlanes))];
  }

  void load(int i, int j, int k) {
    nodes_.fill({});
    for (int dk = -1; dk <= 0; ++dk)
      for (int dj = -1; dj <= 0; ++dj) {
        const std::uint64_t* here = fluid_.block(i, j + dj, k + dk);
        const std::uint64_t* before = fluid_.block(i - 1, j + dj, k + dk);
        for (int p = dk < 0 ? planes - morePlanes : 0; p < planes; ++p)
          for (int r = dj < 0 ? rows - moreRows : 0; r < rows; ++r) {
            const std::size_t word = BitLattice::wordInBlock(r, p);
            Nodes& nodes = at(r + dj * rows, p + dk * planes);
            if (here != nullptr) nodes.here = here[word];
            if (before != nullptr) nodes.before = before[word];
          }
      }
  }
  // Into each plane the depth - 1 before it.
  void joinPlanes() {
    for (int p = planes - 1; p >= 0; --p)
      for (int r = -moreRows; r < rows; ++r)
        for (int back = 1; back < depth; ++back) at(r, p).join(at(r, p - back));
  }
  void addRow(int r, int p, Counts& counts) {
    Nodes window = at(r, p);
    for (int back = 1; back < edge; ++back) window.join(at(r - back, p));
    if (window.here == 0 && window.before >> (65 - edge) == 0) return;
    // The OR over the nodes that end at each x by doubling, with the carry from the word before.
    for (int shift = 1; shift < edge; shift *= 2) {
      window.here |= window.here << shift | window.before >> (64 - shift);
      window.before |= window.before << shift;
    }
    const int offsetY = edge - 1 - r % edge;
    const int offsetZ = depth - 1 - p % depth;
    for (int residue = 0; residue < edge; ++residue)
      counts[static_cast<std::size_t>(edge - 1 - residue + edge * (offsetY + edge * offsetZ))] +=
          static_cast<std::uint64_t>(std::popcount(window.here & (everyEdge<edge> << residue)));
  }

  const BitLattice& fluid_;
  std::array<Nodes, static_cast<std::size_t>((rows + moreRows) * (planes + morePlanes))> nodes_;
};

// The blocks on whose nodes a window with a node may end: those with nodes and those behind them.
std::vector<std::array<int, 2>> blocksToCount(const BitLattice& fluid, int k) {
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

template <int edge, int depth>
Counts countAll(const BitLattice& fluid) {
  const auto addLayers = [&](const tbb::blocked_range<int>& layers, Counts counts) {
    BlockCounter<edge, depth> counter(fluid);
    for (int k = layers.begin(); k != layers.end(); ++k)
      for (const auto& [i, j] : blocksToCount(fluid, k)) counter.add(i, j, k, counts);
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

OffsetCounts countTilesAtAllOffsets(const BitLattice& fluid, int dimensions) {
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

}  // namespace tessera
