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
// Traffic: of dense blocks 38 populations for each node of a memory sector with fluid, 4 bytes a
// run of 64 nodes and 4 of mask a node in runs with walls, and the tables of blocks and of nodes
// across; of the list 38 populations and 18 indices a node.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <tuple>
#include <vector>

#include "solver/comparators/structure.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::comparators {

constexpr int hybridEdge = 16;
constexpr std::uint32_t hybridBlock = hybridEdge * hybridEdge * hybridEdge;
// Bit of an entry of HybridView::around: the fluid nodes there are in the list.
constexpr std::uint32_t inList = std::uint32_t{1} << 31U;
// Entries of HybridView::runs below 0.
constexpr std::int32_t hybridRunOfFluid = -1;
constexpr std::int32_t hybridRunOfSolid = -2;

template <model::LatticeModel Lattice, class Index>
struct HybridView {
  static constexpr bool inPlace = false;
  static constexpr bool streams = true;
  static constexpr bool storesSolid = true;
  static constexpr bool readsBlockFirst = false;
  static constexpr int q = Lattice::q;

  // Place of 64 nodes of a dense block; without meaning for the list.
  struct BlockData {
    std::uint32_t around[27];
    std::int32_t run;
  };

  // 27 a dense block: first unit of the dense block there; or inList and where its nodes begin in
  // `across`.
  const std::uint32_t* around;
  const std::uint32_t* across;  // units
  const std::int32_t* runs;  // by unit / 64 of dense blocks: index of its masks, or hybridRunOf...
  const std::uint32_t* masks;  // 64 each
  const Index* list;           // (q - 1) x listStride
  Index stride;                // of populations
  Index listStride;
  std::uint32_t denseUnits;  // of dense blocks; the list comes after them
  std::uint32_t units;       // of fluid nodes, and solid ones of dense blocks

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
    if (first >= denseUnits) return;
    if (lane < 27) data.around[lane] = around[first / hybridBlock * 27 + lane];
    if (lane == 27) data.run = runs[first / 64];
  }

  template <int phase>
  TESSERA_HOST_DEVICE Node<phase> node(std::uint32_t unit, const BlockData& data) const {
    Node<phase> node;
    node.stride = stride;
    node.unit = unit;
    node.from[0] = unit;
    if (unit < denseUnits)
      findInBlock(data, node);
    else
      findInList(node);
    return node;
  }

 private:
  template <class Node>
  TESSERA_HOST_DEVICE void findInList(Node& node) const {
    node.fluid = node.unit < units;
    model::forEach<q - 1>(
        [&](auto k) { node.from[k + 1] = list[k * listStride + (node.unit - denseUnits)]; });
  }
  template <class Node>
  TESSERA_HOST_DEVICE void findInBlock(const BlockData& data, Node& node) const {
    const std::uint32_t mask =
        data.run < 0 ? 0U : masks[static_cast<std::uint64_t>(data.run) * 64 + node.unit % 64];
    node.fluid = data.run != hybridRunOfSolid && (mask >> model::solidBit & 1U) == 0;
    if (!node.fluid) return;
    const int x = static_cast<int>(node.unit & 15U);
    const int y = static_cast<int>(node.unit >> 4 & 15U);
    const int z = static_cast<int>(node.unit >> 8 & 15U);
    model::forEach<q - 1>([&](auto k) {
      constexpr int i = k + 1;
      constexpr int out = model::opposite(i);
      constexpr auto c = Lattice::c[i];
      node.from[i] = (mask >> model::linkBit<Lattice>(out) & 1U) != 0
                         ? out * stride + node.unit
                         : i * stride + unitAt(data, x - c[0], y - c[1], z - c[2]);
    });
  }
  // Unit at a place relative to a dense block, in it or up to a node beyond a face or an edge.
  TESSERA_HOST_DEVICE std::uint32_t unitAt(const BlockData& data, int x, int y, int z) const {
    const std::uint32_t there = data.around[13 + (x >> 4) + 3 * (y >> 4) + 9 * (z >> 4)];
    if ((there & inList) == 0)
      return there + static_cast<std::uint32_t>((x & 15) | (y & 15) << 4 | (z & 15) << 8);
    // Two coordinates of a face remain, of an edge one.
    int place = 0;
    int shift = 0;
    const auto add = [&](int at) {
      if ((at >> 4) != 0) return;
      place |= at << shift;
      shift += 4;
    };
    add(x);
    add(y);
    add(z);
    return across[(there & ~inList) + static_cast<std::uint32_t>(place)];
  }
};

template <model::LatticeModel Lattice, class Index_, unsigned bytesOfPopulation>
class Hybrid {
  static constexpr int q = Lattice::q;

 public:
  using Index = Index_;
  using View = HybridView<Lattice, Index>;
  // Share of fluid nodes in a block from which on it is dense.
  static constexpr double threshold =
      2.0 * q * bytesOfPopulation / (2.0 * q * bytesOfPopulation + (q - 1) * sizeof(Index));

  // Blocks that the box cuts off are in the list on periodic axes, and where they are not full
  // enough as a whole. Throws StageError(Usage) for 2^31 nodes or more in dense blocks and the
  // list.
  explicit Hybrid(const FluidNodes& nodes);

  // Whether Index can address all populations of so many nodes.
  static bool suffices(std::uint64_t nodes) {
    const auto units = static_cast<std::uint64_t>(static_cast<double>(nodes) / threshold) + 64;
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
            denseUnits() + listed_};
  }
  [[nodiscard]] double traffic(unsigned bytes) const {
    const double tables =
        4.0 * static_cast<double>(around_.size() + across_.size() + runs_.size() + masks_.size());
    return 32.0 * 2.0 * q * static_cast<double>(sectors_) * bytes / bytesOfPopulation + tables +
           static_cast<double>(listed_) * (2.0 * q * bytes + (q - 1.0) * sizeof(Index));
  }
  [[nodiscard]] std::uint32_t denseBlocks() const { return dense_; }
  [[nodiscard]] std::uint32_t listedNodes() const { return listed_; }
  // Nodes of lists that dense blocks read.
  [[nodiscard]] std::size_t nodesAcross() const { return across_.size(); }

 private:
  struct Blocks {
    Int3 grid;
    std::vector<std::uint32_t> first;  // by block: first unit, or noNode: in the list

    [[nodiscard]] std::size_t indexOf(const Int3& at) const {
      return (static_cast<std::size_t>(at[2] / hybridEdge) * static_cast<std::size_t>(grid[1]) +
              static_cast<std::size_t>(at[1] / hybridEdge)) *
                 static_cast<std::size_t>(grid[0]) +
             static_cast<std::size_t>(at[0] / hybridEdge);
    }
    // Coordinates of a node's place in its block.
    [[nodiscard]] static std::uint32_t localOf(const Int3& at) {
      return static_cast<std::uint32_t>(at[0] % hybridEdge | (at[1] % hybridEdge) << 4 |
                                        (at[2] % hybridEdge) << 8);
    }
    template <class Body>
    void forDense(const Body& body) const {
      std::size_t block = 0;
      for (int z = 0; z < grid[2]; ++z)
        for (int y = 0; y < grid[1]; ++y)
          for (int x = 0; x < grid[0]; ++x, ++block)
            if (first[block] != noNode) body(first[block], Int3{x, y, z});
    }
  };

  [[nodiscard]] std::uint32_t denseUnits() const { return dense_ * hybridBlock; }
  Blocks chooseBlocks(const FluidNodes& nodes);
  void numberUnits(const FluidNodes& nodes, const Blocks& blocks);
  void fillDense(const FluidNodes& nodes);
  void linkBlocks(const FluidNodes& nodes, const Blocks& blocks);
  void fillList(const FluidNodes& nodes);

  std::uint32_t dense_ = 0;   // blocks
  std::uint32_t listed_ = 0;  // nodes
  std::uint32_t units_ = 0;
  std::uint64_t stride_ = 0;
  std::uint64_t listStride_ = 0;
  std::uint64_t sectors_ = 0;  // of one direction in dense blocks, with fluid
  std::vector<std::uint32_t> unitOfNode_;
  std::vector<std::uint32_t> around_;
  std::vector<std::uint32_t> across_;
  std::vector<std::int32_t> runs_;
  std::vector<std::uint32_t> masks_;
  std::vector<Index> list_;
};

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation>
Hybrid<Lattice, Index, bytesOfPopulation>::Hybrid(const FluidNodes& nodes)
    : unitOfNode_(nodes.count()) {
  const Blocks blocks = chooseBlocks(nodes);
  numberUnits(nodes, blocks);
  fillDense(nodes);
  linkBlocks(nodes, blocks);
  fillList(nodes);
}

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation>
auto Hybrid<Lattice, Index, bytesOfPopulation>::chooseBlocks(const FluidNodes& nodes) -> Blocks {
  const tiler::TiledGeometry& geometry = nodes.geometry();
  Blocks blocks;
  std::size_t count = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    blocks.grid[a] = (geometry.nodes[a] + hybridEdge - 1) / hybridEdge;
    count *= static_cast<std::size_t>(blocks.grid[a]);
  }
  std::vector<std::atomic<std::uint32_t>> fluid(count);
  forNodes(nodes, [&](std::uint32_t node) { ++fluid[blocks.indexOf(nodes.position(node))]; });
  blocks.first.assign(count, noNode);
  std::size_t block = 0;
  for (int z = 0; z < blocks.grid[2]; ++z)
    for (int y = 0; y < blocks.grid[1]; ++y)
      for (int x = 0; x < blocks.grid[0]; ++x, ++block) {
        const Int3 at{x, y, z};
        bool isDense = fluid[block] >= threshold * hybridBlock;
        for (std::size_t a = 0; a < 3; ++a)
          isDense &= !geometry.periodic[a] || (at[a] + 1) * hybridEdge <= geometry.nodes[a];
        if (!isDense) continue;
        blocks.first[block] = denseUnits();
        ++dense_;
      }
  return blocks;
}

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation>
void Hybrid<Lattice, Index, bytesOfPopulation>::numberUnits(const FluidNodes& nodes,
                                                            const Blocks& blocks) {
  forNodes(nodes, [&](std::uint32_t node) {
    const Int3 at = nodes.position(node);
    const std::uint32_t first = blocks.first[blocks.indexOf(at)];
    unitOfNode_[node] = first == noNode ? noNode : first + Blocks::localOf(at);
  });
  for (std::uint32_t& unit : unitOfNode_)
    if (unit == noNode) unit = denseUnits() + listed_++;
  const std::uint64_t units = roundUp(std::uint64_t{denseUnits()} + listed_, 64);
  if (units >= inList)
    stage::fail(stage::ExitCode::Usage,
                "hybrid storage is measured with less than 2^31 nodes in dense blocks and lists; "
                "use a smaller geometry");
  units_ = static_cast<std::uint32_t>(units);
  stride_ = strideOf(units);
}

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation>
void Hybrid<Lattice, Index, bytesOfPopulation>::fillDense(const FluidNodes& nodes) {
  constexpr std::uint32_t solid = std::uint32_t{1} << unsigned{model::solidBit};
  constexpr std::ptrdiff_t sectorNodes = 32 / bytesOfPopulation;
  std::vector<std::uint32_t> all(denseUnits(), solid);
  forNodes(nodes, [&](std::uint32_t node) {
    if (unitOfNode_[node] < denseUnits()) all[unitOfNode_[node]] = nodes.wallLinks(node);
  });
  const auto isFluid = [](std::uint32_t mask) { return (mask & solid) == 0; };
  for (auto begin = all.begin(); begin != all.end(); begin += sectorNodes)
    sectors_ += std::any_of(begin, begin + sectorNodes, isFluid) ? 1U : 0U;
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

// A block without a neighbour, or with a solid one, has itself there: links there end on walls.
template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation>
void Hybrid<Lattice, Index, bytesOfPopulation>::linkBlocks(const FluidNodes& nodes,
                                                           const Blocks& blocks) {
  const tiler::TiledGeometry& geometry = nodes.geometry();
  // Nodes across, x fastest: one layer beyond the block on the axes of the step.
  const auto append = [&](const Int3& block, const Int3& step) {
    const std::size_t begin = across_.size();
    bool any = false;
    Int3 least{}, most{};
    for (std::size_t a = 0; a < 3; ++a) {
      least[a] = step[a] == 0 ? 0 : step[a] < 0 ? -1 : hybridEdge;
      most[a] = step[a] == 0 ? hybridEdge - 1 : least[a];
    }
    for (int z = least[2]; z <= most[2]; ++z)
      for (int y = least[1]; y <= most[1]; ++y)
        for (int x = least[0]; x <= most[0]; ++x) {
          const std::uint32_t node = nodes.nodeAt(
              {block[0] * hybridEdge + x, block[1] * hybridEdge + y, block[2] * hybridEdge + z});
          across_.push_back(node == noNode ? noNode : unitOfNode_[node]);
          any |= node != noNode;
        }
    if (!any) across_.resize(begin);
    return any;
  };
  blocks.forDense([&](std::uint32_t own, const Int3& block) {
    for (int n = 0; n < 27; ++n) {
      const Int3 step{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
      Int3 there{};
      bool exists = true;
      int axes = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const int grid = blocks.grid[a];
        there[a] = (block[a] + step[a] + grid) % grid * hybridEdge;
        exists &= geometry.periodic[a] || there[a] == (block[a] + step[a]) * hybridEdge;
        axes += step[a] != 0 ? 1 : 0;
      }
      std::uint32_t entry = own;
      // D3Q19 crosses no corner.
      if (exists && axes < 3) {
        const std::uint32_t first = blocks.first[blocks.indexOf(there)];
        const std::size_t begin = across_.size();
        if (first != noNode)
          entry = first;
        else if (append(block, step))
          entry = inList | static_cast<std::uint32_t>(begin);
      }
      around_.push_back(entry);
    }
  });
}

template <model::LatticeModel Lattice, class Index, unsigned bytesOfPopulation>
void Hybrid<Lattice, Index, bytesOfPopulation>::fillList(const FluidNodes& nodes) {
  listStride_ = strideOf(listed_);
  list_.resize((q - 1) * listStride_);
  forNodes(nodes, [&](std::uint32_t node) {
    const std::uint32_t unit = unitOfNode_[node];
    if (unit < denseUnits()) return;
    for (std::uint64_t i = 1; i < q; ++i) {
      const std::uint32_t from = nodes.source(node, Lattice::c[i]);
      const std::uint64_t address =
          from == noNode ? static_cast<std::uint64_t>(model::opposite(int(i))) * stride_ + unit
                         : i * stride_ + unitOfNode_[from];
      list_[(i - 1) * listStride_ + (unit - denseUnits())] = static_cast<Index>(address);
    }
  });
}

}  // namespace tessera::solver::comparators
