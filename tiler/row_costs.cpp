// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the blocks with nodes for each direction of rows, a column of blocks at a time:
// which windows of 4 x 4 x 4 nodes have a node is 64 bits a word, and how many of a row are tiles
// at an offset is a count of these bits by where the windows end.
#include "tiler/row_costs.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>

#include "pipelines/stage/system/memory.hpp"
#include "preprocess/lattice/window_block.hpp"

namespace tessera::tiler {

using preprocess::geometry::BitLattice;

namespace {

constexpr int edge = rowTileEdge;
using Windows = preprocess::lattice::WindowBlock<edge, edge>;
using Tiles = std::array<std::uint32_t, edge>;  // of a row, by offset

// The offset of a tile whose window ends on a node.
constexpr int offsetAt(int node) {
  return edge - 1 - node % edge;
}

std::uint32_t fewest(const Tiles& tiles) {
  std::uint32_t best = ~std::uint32_t{0};
  for (int offset = 0; offset < edge; ++offset)
    best = std::min(best, static_cast<std::uint32_t>(
                              tileCost(tiles[static_cast<std::size_t>(offset)], offset)));
  return best;
}

// Counts how often each of 64 bits was set, as the digits of 64 binary numbers side by side.
class BitCounters {
 public:
  void add(std::uint64_t bits) {
    std::size_t digit = 0;
    for (; bits != 0; ++digit) {
      const std::uint64_t carry = digit_[digit] & bits;
      digit_[digit] ^= bits;
      bits = carry;
    }
    digits_ = std::max(digits_, digit);
  }
  [[nodiscard]] std::uint32_t at(int bit) const {
    std::uint32_t count = 0;
    for (std::size_t digit = 0; digit < digits_; ++digit)
      count |= static_cast<std::uint32_t>(digit_[digit] >> bit & 1U) << digit;
    return count;
  }

 private:
  std::array<std::uint64_t, 30> digit_{};
  std::size_t digits_ = 0;
};

// The cheapest offset of each of 64 neighbouring rows.
void writeCosts(const std::array<BitCounters, edge>& tiles, std::uint32_t* cost) {
  for (int bit = 0; bit < 64; ++bit) {
    Tiles ofRow{};
    for (std::size_t offset = 0; offset < edge; ++offset) ofRow[offset] = tiles[offset].at(bit);
    cost[bit] = fewest(ofRow);
  }
}

// Tiles of the rows that end in a column of blocks. add() takes the column's blocks in any order.
template <int along>
class ColumnCounter;

template <>
class ColumnCounter<0> {
 public:
  static constexpr std::array<int, 2> edges{Windows::rows, Windows::planes};
  void add(const Windows& block) {
    for (int p = 0; p < Windows::planes; ++p)
      for (int r = 0; r < Windows::rows; ++r) {
        const std::uint64_t windows = block.windows(r, p);
        if (windows == 0) continue;
        Tiles& tiles = tiles_[static_cast<std::size_t>(r + Windows::rows * p)];
        for (int x = 0; x < edge; ++x)
          tiles[static_cast<std::size_t>(offsetAt(x))] +=
              static_cast<std::uint32_t>(std::popcount(windows & (0x1111111111111111ULL << x)));
      }
  }
  void write(std::uint32_t* cost) const {
    for (const Tiles& tiles : tiles_) *cost++ = fewest(tiles);
  }

 private:
  std::array<Tiles, BitLattice::blockWords> tiles_{};
};

template <>
class ColumnCounter<1> {
 public:
  static constexpr std::array<int, 2> edges{BitLattice::blockNodes, Windows::planes};
  void add(const Windows& block) {
    for (int p = 0; p < Windows::planes; ++p)
      for (int r = 0; r < Windows::rows; ++r)
        tiles_[static_cast<std::size_t>(p)][static_cast<std::size_t>(offsetAt(r))].add(
            block.windows(r, p));
  }
  void write(std::uint32_t* cost) const {
    for (const auto& tiles : tiles_) {
      writeCosts(tiles, cost);
      cost += BitLattice::blockNodes;
    }
  }

 private:
  std::array<std::array<BitCounters, edge>, Windows::planes> tiles_;
};

template <>
class ColumnCounter<2> {
 public:
  static constexpr std::array<int, 2> edges{BitLattice::blockNodes, Windows::rows};
  void add(const Windows& block) {
    for (int p = 0; p < Windows::planes; ++p)
      for (int r = 0; r < Windows::rows; ++r)
        tiles_[static_cast<std::size_t>(r)][static_cast<std::size_t>(offsetAt(p))].add(
            block.windows(r, p));
  }
  void write(std::uint32_t* cost) const {
    for (const auto& tiles : tiles_) {
      writeCosts(tiles, cost);
      cost += BitLattice::blockNodes;
    }
  }

 private:
  std::array<std::array<BitCounters, edge>, Windows::rows> tiles_;
};

// Blocks with windows, by column: those of column c are from start[c] to start[c + 1].
struct BlocksByColumn {
  std::vector<std::size_t> start;
  std::vector<Int3> block;
};

// Numbers the columns of the blocks and sorts the blocks by them.
BlocksByColumn sortByColumn(const std::vector<Int3>& blocks, RowCosts& costs) {
  const auto columnOf = [&](const Int3& block) {
    return RowCosts::Column{block[static_cast<std::size_t>(costs.axes[0])],
                            block[static_cast<std::size_t>(costs.axes[1])]};
  };
  const auto numberAt = [&](const RowCosts::Column& column) -> std::uint32_t& {
    return costs
        .number[static_cast<std::size_t>(column.u) +
                static_cast<std::size_t>(costs.columns[0]) * static_cast<std::size_t>(column.v)];
  };
  BlocksByColumn sorted{{0}, {}};
  for (const Int3& block : blocks) {
    std::uint32_t& number = numberAt(columnOf(block));
    if (number == 0) {
      costs.column.push_back(columnOf(block));
      sorted.start.push_back(0);
      number = static_cast<std::uint32_t>(costs.column.size());
    }
    ++sorted.start[number];
  }
  for (std::size_t c = 1; c < sorted.start.size(); ++c) sorted.start[c] += sorted.start[c - 1];
  std::vector<std::size_t> next = sorted.start;
  sorted.block.resize(blocks.size());
  for (const Int3& block : blocks) sorted.block[next[numberAt(columnOf(block)) - 1]++] = block;
  return sorted;
}

std::vector<Int3> blocksWithWindows(const BitLattice& fluid) {
  std::vector<std::vector<Int3>> inLayer(static_cast<std::size_t>(fluid.blocks()[2]) + 1);
  tbb::parallel_for(0, fluid.blocks()[2] + 1, [&](int k) {
    for (const auto& [i, j] : preprocess::lattice::blocksWithWindows(fluid, k))
      inLayer[static_cast<std::size_t>(k)].push_back({i, j, k});
  });
  std::vector<Int3> blocks;
  for (const std::vector<Int3>& found : inLayer)
    blocks.insert(blocks.end(), found.begin(), found.end());
  return blocks;
}

template <int along>
void countTiles(const BitLattice& fluid, const std::vector<Int3>& blocks, RowCosts& costs) {
  costs.edges = ColumnCounter<along>::edges;
  const BlocksByColumn sorted = sortByColumn(blocks, costs);
  const std::size_t size = costs.inColumn();
  stage::requireMemory(static_cast<double>(sizeof(std::uint32_t) * size * costs.column.size()),
                       "what rows of tiles cost at each place",
                       "use a larger spacing or --placement global");
  costs.cost.resize(size * costs.column.size());
  tbb::parallel_for(std::size_t{0}, costs.column.size(), [&](std::size_t c) {
    ColumnCounter<along> counter;
    Windows windows;
    for (std::size_t b = sorted.start[c]; b < sorted.start[c + 1]; ++b) {
      const Int3& block = sorted.block[b];
      windows.load(fluid, block[0], block[1], block[2]);
      counter.add(windows);
    }
    counter.write(costs.cost.data() + size * c);
  });
}

}  // namespace

RowCosts costsOfRows(const BitLattice& fluid, int along) {
  RowCosts costs;
  costs.along = along;
  costs.axes = {along == 0 ? 1 : 0, along == 2 ? 1 : 2};
  for (std::size_t k = 0; k < 2; ++k) {
    const auto axis = static_cast<std::size_t>(costs.axes[k]);
    costs.windows[k] = fluid.size[axis] + edge - 1;
    costs.columns[k] = fluid.blocks()[axis] + 1;
  }
  costs.number.assign(
      static_cast<std::size_t>(costs.columns[0]) * static_cast<std::size_t>(costs.columns[1]), 0);
  const std::vector<Int3> blocks = blocksWithWindows(fluid);
  if (along == 0)
    countTiles<0>(fluid, blocks, costs);
  else if (along == 1)
    countTiles<1>(fluid, blocks, costs);
  else
    countTiles<2>(fluid, blocks, costs);
  return costs;
}

}  // namespace tessera::tiler
