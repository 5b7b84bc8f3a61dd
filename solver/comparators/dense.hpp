// SPDX-License-Identifier: GPL-3.0-or-later
// Dense structure of arrays over the box, pull with two copies, solid nodes stored; rows of nodes
// along x are padded so that each begins aligned to 128 bytes (Habich et al. 2013, after Wellein et
// al. 2006), or, for comparison, follow each other as they are. Staged: a block of threads brings
// the populations that arrive into shared memory, collides there and stores from there (Rinaldi et
// al. 2011, in 2D); the same as unstaged on a CPU. Runs of 32 nodes without a wall
// need one number that says so, the others a link mask a node; runs without fluid are passed over.
// Traffic: 38 populations for each node of a memory sector (32 bytes) with fluid, 4 bytes a run,
// and 4 bytes of mask a node in runs with walls.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "solver/comparators/structure.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::comparators {

constexpr int runNodes = 32;
// Entries of DenseView::runs below 0.
constexpr std::int32_t runOfFluid = -1;
constexpr std::int32_t runOfSolid = -2;
// Bit of a mask: one of the node's links crosses a periodic face.
constexpr int wrapBit = 27;

template <model::LatticeModel Lattice, bool staged_ = false>
struct DenseView {
  static constexpr bool staged = staged_;
  static constexpr bool inPlace = false;
  static constexpr bool streams = true;
  static constexpr bool storesSolid = true;
  static constexpr bool readsBlockFirst = false;
  using BlockData = NoBlockData;

  const std::int32_t* runs;    // by unit / runNodes: index of its masks, or runOf...
  const std::uint32_t* masks;  // runNodes each
  std::uint64_t stride;
  std::uint32_t pitch[3];  // units between neighbours on each axis
  std::uint32_t nodes[3];  // of the box

  template <int>
  struct Node {
    const DenseView& view;
    std::uint32_t unit;
    bool fluid;
    std::uint32_t mask;
    std::uint32_t ends;  // bit a: first node of periodic axis a; bit 3 + a: last node

    template <int i>
    TESSERA_HOST_DEVICE std::uint64_t source() const {
      if constexpr (i != 0) {
        constexpr int out = model::opposite(i);
        if ((mask >> model::linkBit<Lattice>(out) & 1U) != 0) return out * view.stride + unit;
      }
      // Unsigned, modulo 2^32: the sum lies in the box.
      std::uint32_t from = unit;
      model::forEach<3>([&](auto a) {
        constexpr int c = Lattice::c[i][a];
        from -= static_cast<std::uint32_t>(c) * view.pitch[a];
        if constexpr (c == 1)
          if ((ends >> a & 1U) != 0) from += view.nodes[a] * view.pitch[a];
        if constexpr (c == -1)
          if ((ends >> (3 + a) & 1U) != 0) from -= view.nodes[a] * view.pitch[a];
      });
      return i * view.stride + from;
    }
    template <int i>
    TESSERA_HOST_DEVICE std::uint64_t target() const {
      return i * view.stride + unit;
    }
  };

  TESSERA_HOST_DEVICE void loadBlock(std::uint32_t, unsigned, BlockData&) const {}
  template <int phase>
  TESSERA_HOST_DEVICE Node<phase> node(std::uint32_t unit, const BlockData&) const {
    const std::int32_t run = runs[unit / runNodes];
    const std::uint32_t mask =
        run < 0 ? 0U : masks[static_cast<std::uint64_t>(run) * runNodes + unit % runNodes];
    const bool fluid = run != runOfSolid && (mask >> model::solidBit & 1U) == 0;
    return {*this, unit, fluid, mask, (mask >> wrapBit & 1U) != 0 ? endsOf(unit) : 0U};
  }

  // Whether all units of a block are fluid without walls.
  [[nodiscard]] bool isPlain(std::uint32_t first) const {
    return runs[first / runNodes] == runOfFluid && runs[first / runNodes + 1] == runOfFluid;
  }
  // Whether the units behind all directions of a block lie in the box.
  [[nodiscard]] bool readsInside(std::uint32_t first) const {
    const std::uint32_t reach = pitch[2] + pitch[1] + 1;
    return first >= reach && first + 64 + reach <= nodes[2] * pitch[2];
  }
  // Address that direction i of a unit without walls is read from.
  template <int i>
  [[nodiscard]] std::uint64_t plainSource(std::uint32_t unit) const {
    return Node<0>{*this, unit, true, 0U, 0U}.template source<i>();
  }

  // Ends of axes whose links the masks do not end on a wall.
  TESSERA_HOST_DEVICE std::uint32_t endsOf(std::uint32_t unit) const {
    const std::uint32_t at[3] = {unit % pitch[1], unit / pitch[1] % (pitch[2] / pitch[1]),
                                 unit / pitch[2]};
    std::uint32_t ends = 0;
    model::forEach<3>([&](auto a) {
      ends |= (at[a] == 0 ? 1U : 0U) << a | (at[a] == nodes[a] - 1 ? 1U : 0U) << (3 + a);
    });
    return ends;
  }
};

enum class RowPadding { None, To128Bytes };

template <model::LatticeModel Lattice, unsigned bytesOfPopulation,
          RowPadding padding = RowPadding::To128Bytes, bool staged = false>
class Dense {
  static constexpr int q = Lattice::q;
  static constexpr std::uint64_t alignedNodes =
      padding == RowPadding::None ? 1 : 128 / bytesOfPopulation;

 public:
  using View = DenseView<Lattice, staged>;

  // Throws StageError(Usage) for a box of 2^32 nodes or more.
  explicit Dense(const FluidNodes& nodes);

  [[nodiscard]] std::uint32_t units() const { return static_cast<std::uint32_t>(units_); }
  [[nodiscard]] std::uint64_t values() const { return q * stride_; }
  [[nodiscard]] std::uint32_t unitOf(std::uint32_t node) const { return unitOfNode_[node]; }
  [[nodiscard]] auto arrays() const { return std::tie(runs_, masks_); }
  [[nodiscard]] View view(const std::int32_t* runs, const std::uint32_t* masks) const {
    return {runs,
            masks,
            stride_,
            {pitch_[0], pitch_[1], pitch_[2]},
            {static_cast<std::uint32_t>(box_[0]), static_cast<std::uint32_t>(box_[1]),
             static_cast<std::uint32_t>(box_[2])}};
  }
  [[nodiscard]] double traffic(unsigned bytes) const {
    return static_cast<double>(sectors_) * 32.0 * 2.0 * q * bytes / bytesOfPopulation +
           4.0 * static_cast<double>(runs_.size() + masks_.size());
  }

 private:
  Int3 box_;
  std::array<std::uint32_t, 3> pitch_{};
  std::uint64_t units_ = 0;
  std::uint64_t stride_ = 0;
  std::uint64_t sectors_ = 0;  // of one direction, with fluid
  std::vector<std::uint32_t> unitOfNode_;
  std::vector<std::int32_t> runs_;
  std::vector<std::uint32_t> masks_;
};

template <model::LatticeModel Lattice, unsigned bytesOfPopulation, RowPadding padding, bool staged>
Dense<Lattice, bytesOfPopulation, padding, staged>::Dense(const FluidNodes& nodes)
    : box_(nodes.geometry().nodes) {
  const std::uint64_t row = roundUp(static_cast<std::uint64_t>(box_[0]), alignedNodes);
  const std::uint64_t layer = row * static_cast<std::uint64_t>(box_[1]);
  units_ = roundUp(layer * static_cast<std::uint64_t>(box_[2]), 64);
  if (units_ >= std::uint64_t{1} << 32U)
    stage::fail(stage::ExitCode::Usage,
                "dense storage is measured in boxes of less than 2^32 nodes; use a smaller box");
  pitch_ = {1, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(layer)};
  stride_ = strideOf(units_);
  constexpr std::uint32_t solid = std::uint32_t{1} << unsigned{model::solidBit};
  std::vector<std::uint32_t> all(units_, solid);
  unitOfNode_.resize(nodes.count());
  forNodes(nodes, [&](std::uint32_t node) {
    const Int3 at = nodes.position(node);
    std::uint32_t unit = 0;
    bool wraps = false;
    for (std::size_t a = 0; a < 3; ++a) {
      unit += static_cast<std::uint32_t>(at[a]) * pitch_[a];
      wraps |= static_cast<int>(a) < Lattice::dimensions && nodes.geometry().periodic[a] &&
               (at[a] == 0 || at[a] == box_[a] - 1);
    }
    unitOfNode_[node] = unit;
    all[unit] = nodes.wallLinks(node) | (wraps ? std::uint32_t{1} << unsigned{wrapBit} : 0U);
  });
  constexpr std::uint64_t sectorNodes = 32 / bytesOfPopulation;
  for (std::uint64_t first = 0; first < units_; first += sectorNodes)
    sectors_ += std::any_of(&all[first], &all[first] + sectorNodes,
                            [](std::uint32_t mask) { return (mask & solid) == 0; })
                    ? 1U
                    : 0U;
  for (std::uint64_t first = 0; first < units_; first += runNodes) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + runNodes;
    if (std::all_of(begin, end, [](std::uint32_t mask) { return mask == 0; })) {
      runs_.push_back(runOfFluid);
    } else if (std::all_of(begin, end, [](std::uint32_t mask) { return mask == solid; })) {
      runs_.push_back(runOfSolid);
    } else {
      runs_.push_back(static_cast<std::int32_t>(masks_.size() / runNodes));
      masks_.insert(masks_.end(), begin, end);
    }
  }
}

}  // namespace tessera::solver::comparators
