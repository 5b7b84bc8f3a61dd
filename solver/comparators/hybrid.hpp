// SPDX-License-Identifier: GPL-3.0-or-later
// Hybrid of dense storage and lists (Suffa et al. 2024, Section 4.1): the box is cut into blocks of
// 16^3 nodes. Those that are full enough are dense, the fluid nodes of the others are in one list.
// Both lie in one structure of arrays, and each kind pulls from the other directly: lists by the
// indices of populations, dense blocks from the blocks around them and, where these are in the
// list, by the numbers of the nodes across that face or edge, in the place of the ghost layers that
// Suffa et al. exchange. Two copies.
// Threshold: the share of fluid nodes at which a step moves as much in either kind, all nodes in
// populations or fluid nodes in populations and q - 1 indices (their Table 2), 0.81 in f64 and 0.68
// in f32; both hold as much there, too.
// With tiles: of the blocks below the threshold, those in which tiles of 4^3 nodes are at least
// half fluid and move less than a list would are stored as tiles. A cell is a dense block or such a
// tile; both are addressed alike.
// Traffic: of cells 38 populations for each node of a memory sector with fluid, 4 bytes a run of 64
// nodes and 4 of mask a node in runs with walls, and the tables of cells and of nodes across; of
// the list 38 populations and 18 indices a node.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <tuple>
#include <vector>

#include "solver/comparators/structure.hpp"
#include "solver/model/device_arithmetic.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::comparators {

// Edges of dense blocks and of tiles, as powers of two.
constexpr int log2BlockEdge = 4;
constexpr int log2TileEdge = 2;
constexpr std::uint32_t hybridBlock = std::uint32_t{1} << (3 * log2BlockEdge);
// Bit of an entry of HybridView::around: the fluid nodes there are in the list.
constexpr std::uint32_t inList = std::uint32_t{1} << 31U;
// Entries of HybridView::runs below 0.
constexpr std::int32_t hybridRunOfFluid = -1;
constexpr std::int32_t hybridRunOfSolid = -2;

template <model::LatticeModel Lattice, class Index, bool withTiles>
struct HybridView {
  static constexpr bool inPlace = false;
  static constexpr bool streams = true;
  static constexpr bool storesSolid = true;
  static constexpr bool readsBlockFirst = false;
  static constexpr int q = Lattice::q;

  // Place of 64 nodes of a cell; without meaning for the list.
  struct BlockData {
    std::uint32_t around[27];
    std::int32_t run;
  };

  // 27 a cell: first unit of the cell of its kind there; or inList and where its nodes begin in
  // `across`.
  const std::uint32_t* around;
  const std::uint32_t* across;  // units
  const std::int32_t* runs;     // by unit / 64 of cells: index of its masks, or hybridRunOf...
  const std::uint32_t* masks;   // 64 each
  const Index* list;            // (q - 1) x listStride
  Index stride;                 // of populations
  Index listStride;
  std::uint32_t denseUnits;  // of dense blocks; tiles come after them
  std::uint32_t cellUnits;   // of both; the list comes after them
  std::uint32_t units;       // of fluid nodes, and solid ones of cells

  template <int>
  struct Node {
    Index stride;
    std::uint32_t unit;
    bool fluid;
    Index from[q];  // address of each population that arrives

    template <int i>
    TESSERA_HOST_DEVICE Index source() const {
      return from[i];
    }
    template <int i>
    TESSERA_HOST_DEVICE Index target() const {
      return i * stride + unit;
    }
  };

  TESSERA_HOST_DEVICE void loadBlock(std::uint32_t first, unsigned lane, BlockData& data) const {
    if (first >= cellUnits) return;
    if (lane < 27) data.around[lane] = around[std::uint64_t{cellOf(first)} * 27 + lane];
    if (lane == 27) data.run = runs[first / 64];
  }

  template <int phase>
  TESSERA_HOST_DEVICE Node<phase> node(std::uint32_t unit, const BlockData& data) const {
    Node<phase> node;
    node.stride = stride;
    node.unit = unit;
    node.from[0] = unit;
    if (isDense(unit))
      findInCell<log2BlockEdge>(data, node);
    else if (withTiles && unit < cellUnits)
      findInCell<log2TileEdge>(data, node);
    else
      findInList(node);
    return node;
  }

 private:
  TESSERA_HOST_DEVICE bool isDense(std::uint32_t unit) const { return unit < denseUnits; }
  TESSERA_HOST_DEVICE std::uint32_t cellOf(std::uint32_t unit) const {
    return isDense(unit) ? unit / hybridBlock : denseUnits / hybridBlock + (unit - denseUnits) / 64;
  }
  template <class Node>
  TESSERA_HOST_DEVICE void findInList(Node& node) const {
    node.fluid = node.unit < units;
    model::forEach<q - 1>(
        [&](auto k) { node.from[k + 1] = list[k * listStride + (node.unit - cellUnits)]; });
  }
  template <int log2Edge, class Node>
  TESSERA_HOST_DEVICE void findInCell(const BlockData& data, Node& node) const {
    const std::uint32_t mask =
        data.run < 0 ? 0U : masks[static_cast<std::uint64_t>(data.run) * 64 + node.unit % 64];
    node.fluid = data.run != hybridRunOfSolid && (mask >> model::solidBit & 1U) == 0;
    if (!node.fluid) return;
    constexpr std::uint32_t last = (1U << log2Edge) - 1;
    const int x = static_cast<int>(node.unit & last);
    const int y = static_cast<int>(node.unit >> log2Edge & last);
    const int z = static_cast<int>(node.unit >> (2 * log2Edge) & last);
    model::forEach<q - 1>([&](auto k) {
      constexpr int i = k + 1;
      constexpr int out = model::opposite(i);
      constexpr auto c = Lattice::c[i];
      node.from[i] = (mask >> model::linkBit<Lattice>(out) & 1U) != 0
                         ? out * stride + node.unit
                         : i * stride + unitAt<log2Edge>(data, x - c[0], y - c[1], z - c[2]);
    });
  }
  // Unit at a place relative to a cell, in it or up to a node beyond a face or an edge.
  template <int log2Edge>
  TESSERA_HOST_DEVICE std::uint32_t unitAt(const BlockData& data, int x, int y, int z) const {
    constexpr int last = (1 << log2Edge) - 1;
    const std::uint32_t there =
        data.around[13 + (x >> log2Edge) + 3 * (y >> log2Edge) + 9 * (z >> log2Edge)];
    if ((there & inList) == 0)
      return there + static_cast<std::uint32_t>((x & last) | (y & last) << log2Edge |
                                                (z & last) << (2 * log2Edge));
    // Two coordinates of a face remain, of an edge one.
    int place = 0;
    int shift = 0;
    const auto add = [&](int at) {
      if ((at >> log2Edge) != 0) return;
      place |= at << shift;
      shift += log2Edge;
    };
    add(x);
    add(y);
    add(z);
    return across[(there & ~inList) + static_cast<std::uint32_t>(place)];
  }
};

template <model::LatticeModel Lattice, class Index_, unsigned bytesOfPopulation,
          bool withTiles = false>
class Hybrid {
  static constexpr int q = Lattice::q;
  static constexpr std::uint32_t sectorNodes = 32 / bytesOfPopulation;

 public:
  using Index = Index_;
  using View = HybridView<Lattice, Index, withTiles>;
  // Share of fluid nodes in a block from which on it is dense.
  static constexpr double threshold =
      2.0 * q * bytesOfPopulation / (2.0 * q * bytesOfPopulation + (q - 1) * sizeof(Index));

  // Blocks that the box cuts off are in the list on periodic axes, and where they are not full
  // enough as a whole. Throws StageError(Usage) for 2^31 nodes or more in cells and the list.
  explicit Hybrid(const FluidNodes& nodes);

  // Whether Index can address all populations of so many nodes.
  static bool suffices(std::uint64_t nodes) {
    const double share = withTiles ? 0.5 : threshold;  // of fluid nodes in cells, at least
    const auto units = static_cast<std::uint64_t>(static_cast<double>(nodes) / share) + 64;
    return sizeof(Index) == 8 || strideOf(units) * q <= std::uint64_t{1} << 32U;
  }

  [[nodiscard]] std::uint32_t units() const { return units_; }
  [[nodiscard]] std::uint64_t values() const { return q * stride_; }
  [[nodiscard]] std::uint32_t unitOf(std::uint32_t node) const { return unitOfNode_[node]; }
  [[nodiscard]] auto arrays() const { return std::tie(around_, across_, runs_, masks_, list_); }
  [[nodiscard]] View view(const std::uint32_t* around, const std::uint32_t* across,
                          const std::int32_t* runs, const std::uint32_t* masks,
                          const Index* list) const {
    return {around,
            across,
            runs,
            masks,
            list,
            static_cast<Index>(stride_),
            static_cast<Index>(listStride_),
            denseUnits(),
            cellUnits(),
            cellUnits() + listed_};
  }
  [[nodiscard]] double traffic(unsigned bytes) const {
    const double tables =
        4.0 * static_cast<double>(around_.size() + across_.size() + runs_.size() + masks_.size());
    return 32.0 * 2.0 * q * static_cast<double>(sectors_) * bytes / bytesOfPopulation + tables +
           static_cast<double>(listed_) * (2.0 * q * bytes + (q - 1.0) * sizeof(Index));
  }
  [[nodiscard]] std::uint32_t denseBlocks() const { return dense_; }
  [[nodiscard]] std::uint32_t tiles() const { return tiles_; }
  [[nodiscard]] std::uint32_t listedNodes() const { return listed_; }
  // Nodes of another kind that cells read.
  [[nodiscard]] std::size_t nodesAcross() const { return across_.size(); }

 private:
  // Cubes of one size that the box is cut into, and those that are cells.
  struct Cells {
    int log2Edge;
    Int3 grid{};
    std::vector<std::uint32_t> first;  // by cube: first unit of the cell, or noNode
    std::vector<Int3> cells;           // cubes that are cells, in the order of their units

    Cells(int log2, const Int3& cubes)
        : log2Edge(log2), grid(cubes), first(indexOf({0, 0, cubes[2] << log2}), noNode) {}
    [[nodiscard]] std::size_t cubes() const { return first.size(); }
    // Index of a node, cube after cube.
    [[nodiscard]] std::size_t indexOf(const Int3& at) const {
      return (static_cast<std::size_t>(at[2] >> log2Edge) * static_cast<std::size_t>(grid[1]) +
              static_cast<std::size_t>(at[1] >> log2Edge)) *
                 static_cast<std::size_t>(grid[0]) +
             static_cast<std::size_t>(at[0] >> log2Edge);
    }
    // Place of a node in its cube.
    [[nodiscard]] std::uint32_t localOf(const Int3& at) const {
      const int last = (1 << log2Edge) - 1;
      return static_cast<std::uint32_t>((at[0] & last) | (at[1] & last) << log2Edge |
                                        (at[2] & last) << (2 * log2Edge));
    }
    [[nodiscard]] std::uint32_t unitOf(const Int3& at) const {
      const std::uint32_t unit = first[indexOf(at)];
      return unit == noNode ? noNode : unit + localOf(at);
    }
    void add(const Int3& cube, std::uint32_t unit) {
      first[indexOf({cube[0] << log2Edge, cube[1] << log2Edge, cube[2] << log2Edge})] = unit;
      cells.push_back(cube);
    }
  };
  // Fluid nodes of each tile of 4^3 nodes, as bits, and whether a link of one ends on a wall.
  struct Occupancy {
    std::vector<std::atomic<std::uint64_t>> fluid;
    std::vector<std::atomic<bool>> walls;
  };

  [[nodiscard]] std::uint32_t denseUnits() const { return dense_ * hybridBlock; }
  [[nodiscard]] std::uint32_t cellUnits() const { return denseUnits() + tiles_ * 64; }
  void chooseCells(const FluidNodes& nodes, Cells& blocks, Cells& tiles);
  [[nodiscard]] bool cheaperAsTiles(const Occupancy& occupancy,
                                    const std::vector<std::size_t>& ofBlock) const;
  void numberUnits(const FluidNodes& nodes, const Cells& blocks, const Cells& tiles);
  void fillCells(const FluidNodes& nodes);
  void linkCells(const FluidNodes& nodes, const Cells& cells);
  void fillList(const FluidNodes& nodes);

  std::uint32_t dense_ = 0;  // blocks
  std::uint32_t tiles_ = 0;
  std::uint32_t listed_ = 0;  // nodes
  std::uint32_t units_ = 0;
  std::uint64_t stride_ = 0;
  std::uint64_t listStride_ = 0;
  std::uint64_t sectors_ = 0;  // of one direction in cells, with fluid
  std::vector<std::uint32_t> unitOfNode_;
  std::vector<std::uint32_t> around_;
  std::vector<std::uint32_t> across_;
  std::vector<std::int32_t> runs_;
  std::vector<std::uint32_t> masks_;
  std::vector<Index> list_;
};

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation, bool withTiles>
Hybrid<Lattice, Index, bytesOfPopulation, withTiles>::Hybrid(const FluidNodes& nodes)
    : unitOfNode_(nodes.count()) {
  Int3 blocksAlong{}, tilesAlong{};
  for (std::size_t a = 0; a < 3; ++a) {
    constexpr int edge = 1 << log2BlockEdge;
    blocksAlong[a] = (nodes.geometry().nodes[a] + edge - 1) / edge;
    tilesAlong[a] = blocksAlong[a] << (log2BlockEdge - log2TileEdge);
  }
  Cells blocks(log2BlockEdge, blocksAlong), tiles(log2TileEdge, tilesAlong);
  chooseCells(nodes, blocks, tiles);
  numberUnits(nodes, blocks, tiles);
  fillCells(nodes);
  linkCells(nodes, blocks);
  if (withTiles) linkCells(nodes, tiles);
  fillList(nodes);
}

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation, bool withTiles>
void Hybrid<Lattice, Index, bytesOfPopulation, withTiles>::chooseCells(const FluidNodes& nodes,
                                                                       Cells& blocks,
                                                                       Cells& tiles) {
  const tiler::TiledGeometry& geometry = nodes.geometry();
  Occupancy occupancy{std::vector<std::atomic<std::uint64_t>>(tiles.cubes()),
                      std::vector<std::atomic<bool>>(tiles.cubes())};
  forNodes(nodes, [&](std::uint32_t node) {
    const Int3 at = nodes.position(node);
    const std::size_t tile = tiles.indexOf(at);
    occupancy.fluid[tile] |= std::uint64_t{1} << tiles.localOf(at);
    if (nodes.wallLinks(node) != 0) occupancy.walls[tile] = true;
  });
  std::vector<Int3> inTiles;  // blocks
  const auto forTiles = [&](const Int3& block, const auto& body) {
    constexpr int ratio = 1 << (log2BlockEdge - log2TileEdge);
    for (int k = 0; k < ratio * ratio * ratio; ++k) {
      const Int3 tile{block[0] * ratio + k % ratio, block[1] * ratio + k / ratio % ratio,
                      block[2] * ratio + k / (ratio * ratio)};
      const std::size_t index = tiles.indexOf(
          {tile[0] << log2TileEdge, tile[1] << log2TileEdge, tile[2] << log2TileEdge});
      if (occupancy.fluid[index] != 0) body(tile, index);
    }
  };
  for (int z = 0; z < blocks.grid[2]; ++z)
    for (int y = 0; y < blocks.grid[1]; ++y)
      for (int x = 0; x < blocks.grid[0]; ++x) {
        const Int3 block{x, y, z};
        bool whole = true;  // on periodic axes
        for (std::size_t a = 0; a < 3; ++a)
          whole &= !geometry.periodic[a] || (block[a] + 1) << log2BlockEdge <= geometry.nodes[a];
        if (!whole) continue;
        std::vector<std::size_t> filled;
        int fluid = 0;
        forTiles(block, [&](const Int3&, std::size_t tile) {
          filled.push_back(tile);
          fluid += model::bitsOf(occupancy.fluid[tile]);
        });
        if (fluid >= threshold * hybridBlock) {
          blocks.add(block, dense_ * hybridBlock);
          ++dense_;
        } else if (withTiles && cheaperAsTiles(occupancy, filled)) {
          inTiles.push_back(block);
        }
      }
  for (const Int3& block : inTiles)
    forTiles(block, [&](const Int3& tile, std::size_t) {
      tiles.add(tile, cellUnits());
      ++tiles_;
    });
}

// Bytes that a step moves by either kind, without nodes across the faces of tiles.
template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation, bool withTiles>
bool Hybrid<Lattice, Index, bytesOfPopulation, withTiles>::cheaperAsTiles(
    const Occupancy& occupancy, const std::vector<std::size_t>& ofBlock) const {
  constexpr std::uint64_t sector = (std::uint64_t{1} << sectorNodes) - 1;
  std::uint64_t fluid = 0, sectors = 0, tables = 0;
  for (const std::size_t tile : ofBlock) {
    const std::uint64_t word = occupancy.fluid[tile];
    fluid += static_cast<std::uint64_t>(model::bitsOf(word));
    for (unsigned k = 0; k < 64; k += sectorNodes) sectors += (word >> k & sector) != 0 ? 1U : 0U;
    const bool plain = word == ~std::uint64_t{0} && !occupancy.walls[tile];
    tables += 4 * (27 + 1 + (plain ? 0 : 64));
  }
  const std::uint64_t asTiles = sectors * 32 * 2 * q + tables;
  const std::uint64_t asList = fluid * (2 * q * bytesOfPopulation + (q - 1) * sizeof(Index));
  return 2 * fluid >= 64 * ofBlock.size() && asTiles < asList;
}

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation, bool withTiles>
void Hybrid<Lattice, Index, bytesOfPopulation, withTiles>::numberUnits(const FluidNodes& nodes,
                                                                       const Cells& blocks,
                                                                       const Cells& tiles) {
  forNodes(nodes, [&](std::uint32_t node) {
    const Int3 at = nodes.position(node);
    unitOfNode_[node] = std::min(blocks.unitOf(at), tiles.unitOf(at));  // noNode is the largest
  });
  for (std::uint32_t& unit : unitOfNode_)
    if (unit == noNode) unit = cellUnits() + listed_++;
  const std::uint64_t units = roundUp(std::uint64_t{cellUnits()} + listed_, 64);
  if (units >= inList)
    stage::fail(stage::ExitCode::Usage,
                "hybrid storage is measured with less than 2^31 nodes in dense blocks, tiles and "
                "lists; use a smaller geometry");
  units_ = static_cast<std::uint32_t>(units);
  stride_ = strideOf(units);
}

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation, bool withTiles>
void Hybrid<Lattice, Index, bytesOfPopulation, withTiles>::fillCells(const FluidNodes& nodes) {
  constexpr std::uint32_t solid = std::uint32_t{1} << unsigned{model::solidBit};
  std::vector<std::uint32_t> all(cellUnits(), solid);
  forNodes(nodes, [&](std::uint32_t node) {
    if (unitOfNode_[node] < cellUnits()) all[unitOfNode_[node]] = nodes.wallLinks(node);
  });
  const auto isFluid = [](std::uint32_t mask) { return (mask & solid) == 0; };
  for (auto begin = all.begin(); begin != all.end(); begin += std::ptrdiff_t{sectorNodes})
    sectors_ += std::any_of(begin, begin + std::ptrdiff_t{sectorNodes}, isFluid) ? 1U : 0U;
  for (auto begin = all.begin(); begin != all.end(); begin += 64) {
    if (std::all_of(begin, begin + 64, [](std::uint32_t mask) { return mask == 0; })) {
      runs_.push_back(hybridRunOfFluid);
    } else if (std::none_of(begin, begin + 64, isFluid)) {
      runs_.push_back(hybridRunOfSolid);
    } else {
      runs_.push_back(static_cast<std::int32_t>(masks_.size() / 64));
      masks_.insert(masks_.end(), begin, begin + 64);
    }
  }
}

// A cell without a neighbour, or with a solid one, has itself there: links there end on walls.
template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation, bool withTiles>
void Hybrid<Lattice, Index, bytesOfPopulation, withTiles>::linkCells(const FluidNodes& nodes,
                                                                     const Cells& cells) {
  const tiler::TiledGeometry& geometry = nodes.geometry();
  const int edge = 1 << cells.log2Edge;
  // Nodes across, x fastest: one layer beyond the cell on the axes of the step.
  const auto append = [&](const Int3& cell, const Int3& step) {
    const std::size_t begin = across_.size();
    bool any = false;
    Int3 least{}, most{};
    for (std::size_t a = 0; a < 3; ++a) {
      least[a] = step[a] == 0 ? 0 : step[a] < 0 ? -1 : edge;
      most[a] = step[a] == 0 ? edge - 1 : least[a];
    }
    for (int z = least[2]; z <= most[2]; ++z)
      for (int y = least[1]; y <= most[1]; ++y)
        for (int x = least[0]; x <= most[0]; ++x) {
          const std::uint32_t node =
              nodes.nodeAt({cell[0] * edge + x, cell[1] * edge + y, cell[2] * edge + z});
          across_.push_back(node == noNode ? noNode : unitOfNode_[node]);
          any |= node != noNode;
        }
    if (!any) across_.resize(begin);
    return any;
  };
  for (const Int3& cell : cells.cells) {
    const std::uint32_t own =
        cells.first[cells.indexOf({cell[0] * edge, cell[1] * edge, cell[2] * edge})];
    for (int n = 0; n < 27; ++n) {
      const Int3 step{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
      Int3 there{};
      bool exists = true;
      int axes = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const int grid = cells.grid[a];
        there[a] = (cell[a] + step[a] + grid) % grid * edge;
        exists &= geometry.periodic[a] || there[a] == (cell[a] + step[a]) * edge;
        axes += step[a] != 0 ? 1 : 0;
      }
      std::uint32_t entry = own;
      // D3Q19 crosses no corner.
      if (exists && axes < 3) {
        const std::uint32_t first = cells.first[cells.indexOf(there)];
        const std::size_t begin = across_.size();
        if (first != noNode)
          entry = first;
        else if (append(cell, step))
          entry = inList | static_cast<std::uint32_t>(begin);
      }
      around_.push_back(entry);
    }
  }
}

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation, bool withTiles>
void Hybrid<Lattice, Index, bytesOfPopulation, withTiles>::fillList(const FluidNodes& nodes) {
  listStride_ = strideOf(listed_);
  list_.resize((q - 1) * listStride_);
  forNodes(nodes, [&](std::uint32_t node) {
    const std::uint32_t unit = unitOfNode_[node];
    if (unit < cellUnits()) return;
    for (std::uint64_t i = 1; i < q; ++i) {
      const std::uint32_t from = nodes.source(node, Lattice::c[i]);
      const std::uint64_t address =
          from == noNode ? static_cast<std::uint64_t>(model::opposite(int(i))) * stride_ + unit
                         : i * stride_ + unitOfNode_[from];
      list_[(i - 1) * listStride_ + (unit - cellUnits())] = static_cast<Index>(address);
    }
  });
}

}  // namespace tessera::solver::comparators
