// SPDX-License-Identifier: GPL-3.0-or-later
// Fluid index array (Nita et al. 2013, in Tomczak & Szafran 2016): populations of fluid nodes
// alone, and one index for each node of the box, fluid or solid, by which a node finds itself and
// its neighbours. The box has a layer of nodes around it: solid, or the images of nodes across
// periodic faces. One thread a node of the box; stream and collision in one kernel, unlike the two
// of Nita et al. Traffic: 38 populations for each fluid node, 4 bytes for each node of the box
// (each index from memory once).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <tuple>
#include <vector>

#include "solver/comparators/structure.hpp"

namespace tessera::solver::comparators {

// Bit of an index: the node is an image, or solid (noNode), and is not stepped where it stands.
constexpr std::uint32_t notStepped = std::uint32_t{1} << 31U;

template <model::LatticeModel Lattice>
struct FluidIndexView {
  static constexpr bool inPlace = false;
  static constexpr bool streams = false;
  static constexpr bool storesSolid = false;
  static constexpr bool readsBlockFirst = false;
  using BlockData = NoBlockData;
  static constexpr int q = Lattice::q;

  const std::uint32_t* index;  // of the box and the layer around it
  std::uint64_t stride;
  std::uint32_t first;     // unit 0, the first node of the box
  std::uint32_t pitch[3];  // units between neighbours on each axis

  template <int>
  struct Node {
    std::uint64_t stride;
    bool fluid;
    std::uint32_t own;
    std::uint32_t found[q];  // of the node behind each direction

    template <int i>
    TESSERA_HOST_DEVICE std::uint64_t source() const {
      return found[i] == noNode ? model::opposite(i) * stride + own
                                : i * stride + (found[i] & ~notStepped);
    }
    template <int i>
    TESSERA_HOST_DEVICE std::uint64_t target() const {
      return i * stride + own;
    }
  };

  TESSERA_HOST_DEVICE void loadBlock(std::uint32_t, unsigned, BlockData&) const {}
  template <int phase>
  TESSERA_HOST_DEVICE Node<phase> node(std::uint32_t unit, const BlockData&) const {
    const std::uint32_t at = first + unit;
    Node<phase> node;
    node.stride = stride;
    node.own = index[at];
    node.fluid = (node.own & notStepped) == 0;
    if (!node.fluid) return node;
    model::forEach<q>([&](auto i) {
      constexpr auto c = Lattice::c[i];
      const std::uint32_t behind = at - static_cast<std::uint32_t>(c[0]) * pitch[0] -
                                   static_cast<std::uint32_t>(c[1]) * pitch[1] -
                                   static_cast<std::uint32_t>(c[2]) * pitch[2];
      node.found[i] = index[behind];
    });
    return node;
  }
};

template <model::LatticeModel Lattice>
class FluidIndex {
  static constexpr int q = Lattice::q;

 public:
  using View = FluidIndexView<Lattice>;

  // Throws StageError(Usage) for walls between two fluid nodes, which an index a node cannot say,
  // and for a box of 2^32 nodes or more.
  explicit FluidIndex(const FluidNodes& nodes);

  [[nodiscard]] std::uint32_t units() const { return units_; }
  [[nodiscard]] std::uint64_t values() const { return q * stride_; }
  [[nodiscard]] std::uint32_t unitOf(std::uint32_t node) const { return unitOfNode_[node]; }
  [[nodiscard]] auto arrays() const { return std::tie(index_); }
  [[nodiscard]] View view(const std::uint32_t* index) const {
    return {index, stride_, first_, {pitch_[0], pitch_[1], pitch_[2]}};
  }
  [[nodiscard]] double traffic(unsigned bytes) const {
    return 2.0 * q * bytes * static_cast<double>(unitOfNode_.size()) +
           4.0 * static_cast<double>(index_.size());
  }

 private:
  std::array<std::uint32_t, 3> pitch_{};
  std::uint32_t first_ = 0;
  std::uint32_t units_ = 0;
  std::uint64_t stride_ = 0;
  std::vector<std::uint32_t> unitOfNode_;
  std::vector<std::uint32_t> index_;
};

// Whether a wall lies between two fluid nodes, on a link of the lattice.
inline bool hasThinWalls(const FluidNodes& nodes) {
  std::atomic<bool> any = false;
  forNodes(nodes, [&](std::uint32_t node) {
    const Int3 at = nodes.position(node);
    for (const auto& c : nodes.velocities())
      if (nodes.source(node, c) == noNode &&
          nodes.nodeAt({at[0] - c[0], at[1] - c[1], at[2] - c[2]}) != noNode)
        any = true;
  });
  return any;
}

template <model::LatticeModel Lattice>
FluidIndex<Lattice>::FluidIndex(const FluidNodes& nodes) : stride_(strideOf(nodes.count())) {
  const tiler::TiledGeometry& geometry = nodes.geometry();
  const Int3& box = geometry.nodes;
  if (hasThinWalls(nodes))
    stage::fail(stage::ExitCode::Usage,
                "a fluid index array has no walls between two fluid nodes, and this geometry has; "
                "use one without thin walls");
  // Layers of nodes around the box: none across a plane.
  constexpr int margin = Lattice::dimensions == 3 ? 1 : 0;
  const std::uint64_t row = static_cast<std::uint64_t>(box[0]) + 2;
  const std::uint64_t layer = row * (static_cast<std::uint64_t>(box[1]) + 2);
  const std::uint64_t all = layer * static_cast<std::uint64_t>(box[2] + 2 * margin);
  if (all + 64 >= std::uint64_t{1} << 32U)
    stage::fail(stage::ExitCode::Usage,
                "a fluid index array is measured in boxes of less than 2^32 nodes; use a smaller "
                "box");
  pitch_ = {1, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(layer)};
  first_ = static_cast<std::uint32_t>(margin * layer + row + 1);
  // Up to the last node of the box, and to the end of a block in memory of its own.
  units_ = static_cast<std::uint32_t>(roundUp(all - std::uint64_t{2} * first_, 64));
  index_.assign(std::max<std::uint64_t>(all, std::uint64_t{first_} + units_), noNode);
  unitOfNode_.resize(nodes.count());
  forNodes(nodes, [&](std::uint32_t node) {
    const Int3 at = nodes.position(node);
    std::uint32_t unit = 0;
    for (std::size_t a = 0; a < 3; ++a) unit += static_cast<std::uint32_t>(at[a]) * pitch_[a];
    unitOfNode_[node] = unit;
    index_[first_ + unit] = node;
  });
  // Images across periodic faces.
  std::size_t at = 0;
  for (int z = -margin; z < box[2] + margin; ++z)
    for (int y = -1; y <= box[1]; ++y)
      for (int x = -1; x <= box[0]; ++x, ++at) {
        const bool inside = x >= 0 && y >= 0 && z >= 0 && x < box[0] && y < box[1] && z < box[2];
        const std::uint32_t image = inside ? noNode : nodes.nodeAt({x, y, z});
        if (image != noNode) index_[at] = image | notStepped;
      }
}

}  // namespace tessera::solver::comparators
