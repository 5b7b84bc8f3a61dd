// SPDX-License-Identifier: GPL-3.0-or-later
// Shifted tilings (beyond Tomczak & Szafran 2017, who tile once from node (0, 0, 0)). Costs come
// from one pass over the blocks with nodes per direction of rows, a column of blocks at a time:
// windows of 4 x 4 x 4 nodes with a node are 64 bits per word, and the tiles of a row at an offset
// are counts of these bits. The search takes minima and sums of the costs.
#include "tiler/search_rows.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <array>
#include <bit>

#include "pipelines/stage/system/memory.hpp"
#include "preprocess/lattice/count_offsets.hpp"

namespace tessera::tiler {

using preprocess::geometry::BitLattice;

namespace {

constexpr int rowTileEdge = 4;  // shifted tilings are three-dimensional

// A tile count and the lowest offset that gives it, in one number: smaller is better.
constexpr std::uint64_t tileCost(std::uint64_t tiles, int offset) {
  return tiles * rowTileEdge + static_cast<unsigned>(offset);
}
constexpr std::uint64_t tilesOfCost(std::uint64_t cost) {
  return cost / rowTileEdge;
}
constexpr std::uint8_t offsetOfCost(std::uint64_t cost) {
  return static_cast<std::uint8_t>(cost % rowTileEdge);
}

// Cost of every possible row along one axis. A row is named by the last node of its window across:
// window e has nodes e - 3 .. e, so the tile with offset o and index g is window 4 g + 3 - o.
// Stored per column of blocks with nodes; elsewhere a row costs nothing.
struct RowCosts {
  struct Column {
    int u, v;
  };
  int along = 0;
  std::array<int, 2> axes{1, 2};     // across: lower (u), higher (v)
  std::array<int, 2> windows{0, 0};  // number on these axes
  std::array<int, 2> edges{0, 0};    // windows per column
  std::array<int, 2> columns{0, 0};
  std::vector<std::uint32_t> number;  // column number from 1, u fastest; 0: no nodes
  std::vector<Column> column;         // columns 1, 2, ...
  std::vector<std::uint32_t> cost;    // tileCost() of column 1, then 2, ...; u fastest in each

  [[nodiscard]] std::size_t inColumn() const {
    return static_cast<std::size_t>(edges[0]) * static_cast<std::size_t>(edges[1]);
  }
  [[nodiscard]] std::uint32_t at(int u, int v) const {
    const std::uint32_t known =
        number[static_cast<std::size_t>(u / edges[0]) +
               static_cast<std::size_t>(columns[0]) * static_cast<std::size_t>(v / edges[1])];
    return known == 0
               ? 0
               : cost[inColumn() * (known - 1) + static_cast<std::size_t>(u % edges[0]) +
                      static_cast<std::size_t>(edges[0]) * static_cast<std::size_t>(v % edges[1])];
  }
};

constexpr int edge = rowTileEdge;
using Windows = preprocess::lattice::WindowBlock<edge, edge>;
using Tiles = std::array<std::uint32_t, edge>;  // tiles of a row by offset

// Offset of a tile whose window ends on a node.
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

// Bit-sliced counters: 64 binary counters, one per bit, stored digit by digit.
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

// Cheapest offset of each of 64 neighbouring rows.
void writeCosts(const std::array<BitCounters, edge>& tiles, std::uint32_t* cost) {
  for (int bit = 0; bit < 64; ++bit) {
    Tiles ofRow{};
    for (std::size_t offset = 0; offset < edge; ++offset) ofRow[offset] = tiles[offset].at(bit);
    cost[bit] = fewest(ofRow);
  }
}

// Tile counts of the rows ending in a column of blocks. add() accepts the blocks in any order.
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

// Blocks with windows, by column: column c has start[c] .. start[c + 1].
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
                       "the cost table of --placement rows",
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

// Throws StageError(NoResource) if memory is short.
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

// Layers of rows along one of the two axes across, and their best offset.
struct LayerSearch {
  std::size_t rowsOn = 0, layersOn = 1;  // indices into RowCosts::axes
  std::vector<std::uint64_t> cost;       // cost of a layer by its window
  int offset = 0;                        // offset of the layers
  std::uint64_t tiles = 0;
};

std::vector<std::uint64_t> costsOfLayers(const RowCosts& costs, std::size_t layersOn) {
  const auto layers = static_cast<std::size_t>(costs.windows[layersOn]);
  std::vector<std::array<std::uint64_t, edge>> tiles(layers);
  const std::uint32_t* cost = costs.cost.data();
  for (const RowCosts::Column& column : costs.column)
    for (int v = 0; v < costs.edges[1]; ++v)
      for (int u = 0; u < costs.edges[0]; ++u) {
        const std::array<int, 2> at{costs.edges[0] * column.u + u, costs.edges[1] * column.v + v};
        const std::uint64_t ofRow = tilesOfCost(*cost++);
        if (ofRow == 0) continue;
        tiles[static_cast<std::size_t>(at[layersOn])]
             [static_cast<std::size_t>(edge - 1 - at[1 - layersOn] % edge)] += ofRow;
      }
  std::vector<std::uint64_t> best(layers, ~std::uint64_t{0});
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (int offset = 0; offset < edge; ++offset)
      best[layer] =
          std::min(best[layer], tileCost(tiles[layer][static_cast<std::size_t>(offset)], offset));
  return best;
}

LayerSearch searchLayers(const RowCosts& costs, bool layersOnSecond) {
  LayerSearch search;
  search.layersOn = layersOnSecond ? 1 : 0;
  search.rowsOn = 1 - search.layersOn;
  search.cost = costsOfLayers(costs, search.layersOn);
  std::array<std::uint64_t, edge> tiles{};
  for (std::size_t layer = 0; layer < search.cost.size(); ++layer)
    tiles[edge - 1 - layer % edge] += tilesOfCost(search.cost[layer]);
  const auto best = std::min_element(tiles.begin(), tiles.end());
  search.offset = static_cast<int>(best - tiles.begin());
  search.tiles = *best;
  return search;
}

std::array<int, 3> axesOf(const RowCosts& costs, const LayerSearch& search) {
  return {costs.along, costs.axes[search.rowsOn], costs.axes[search.layersOn]};
}

// Mesh with the best offsets.
TileMesh meshOf(const preprocess::geometry::BitLattice& fluid, const RowCosts& costs,
                const LayerSearch& search) {
  TileMesh mesh = rowMesh(fluid.size, axesOf(costs, search), search.offset);
  const auto rows = static_cast<std::size_t>(costs.axes[search.rowsOn]);
  for (int layer = 0; layer < static_cast<int>(mesh.rows.layer.size()); ++layer) {
    const int at = edge * layer + edge - 1 - search.offset;
    const std::uint64_t cost = search.cost[static_cast<std::size_t>(at)];
    if (cost == 0) continue;  // no tile
    mesh.rows.layer[static_cast<std::size_t>(layer)] = offsetOfCost(cost);
    std::uint8_t* offset = mesh.rows.row.data() + static_cast<std::size_t>(mesh.grid[rows]) *
                                                      static_cast<std::size_t>(layer);
    for (int window = edge - 1 - offsetOfCost(cost); window < costs.windows[search.rowsOn];
         window += edge)
      *offset++ = offsetOfCost(search.layersOn == 1 ? costs.at(window, at) : costs.at(at, window));
  }
  return mesh;
}

}  // namespace

RowSearch searchRows(const preprocess::geometry::BitLattice& fluid,
                     const std::array<int, 3>& axes) {
  const RowCosts costs = costsOfRows(fluid, axes[0]);
  const LayerSearch search = searchLayers(costs, axes[2] > axes[1]);
  return {meshOf(fluid, costs, search), search.tiles};
}

RowSearch searchRows(const preprocess::geometry::BitLattice& fluid) {
  RowSearch best;
  const auto isBetter = [&](const LayerSearch& found, const std::array<int, 3>& axes) {
    if (best.tiles == 0 || found.tiles != best.tiles)
      return best.tiles == 0 || found.tiles < best.tiles;
    const auto& known = best.mesh.rows.axes;
    return axes[2] != known[2] ? axes[2] > known[2] : axes[1] > known[1];
  };
  for (const int along : {0, 1, 2}) {
    const RowCosts costs = costsOfRows(fluid, along);
    for (const bool layersOnSecond : {true, false}) {
      const LayerSearch found = searchLayers(costs, layersOnSecond);
      if (isBetter(found, axesOf(costs, found))) best = {meshOf(fluid, costs, found), found.tiles};
    }
  }
  return best;
}

}  // namespace tessera::tiler
