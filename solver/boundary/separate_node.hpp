// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes of a state of moments that are stepped separately from their tiles, whose step knows
// halfway walls at rest and no openings: nodes at openings, nodes at other walls, and, for two
// steps in a pass, the nodes around these (domain/separate_nodes.hpp). Populations that enter
// through openings (moment_openings.hpp) and that walls reflect (moment_walls.hpp) are known before
// a node is stepped; all others are rebuilt from the moments of the node that they come from.
#pragma once

#include <cstdint>

#include "solver/boundary/moment_openings.hpp"
#include "solver/boundary/wall_mass.hpp"
#include "solver/model/moment_node.hpp"

namespace tessera::solver::boundary {

// A set of nodes of tiles; its nodes are numbered along the tiles.
struct NodeSetView {
  const std::uint64_t* bits;     // by slot, a bit a node
  const std::uint32_t* earlier;  // by slot: nodes of the slots before

  [[nodiscard]] TESSERA_HOST_DEVICE bool has(std::uint32_t slot, int local) const {
    return (bits[slot] >> local & 1U) != 0;
  }
  [[nodiscard]] TESSERA_HOST_DEVICE std::uint32_t indexOf(std::uint32_t slot, int local) const {
    return earlier[slot] + model::bitsOf(bits[slot] & ((std::uint64_t{1} << local) - 1));
  }
};

// The place of a node, 64 slot + local.
TESSERA_HOST_DEVICE constexpr std::uint32_t placeOf(std::uint32_t slot, int local) {
  return slot * 64U + static_cast<std::uint32_t>(local);
}

// Stored moments of a node.
template <class Order>
struct NodeMoments {
  using Real = typename Order::Real;
  const typename Order::Word* tile;
  int local;
  TESSERA_HOST_DEVICE Real operator()(int n) const { return Order::value(tile, n, local); }
  [[nodiscard]] TESSERA_HOST_DEVICE model::AllMoments<Real> load() const {
    return Order::load(tile, local);
  }
  // f_i / w_i, or with reversed that of the opposite direction. Directions across x need three
  // values at most, chosen by their sign; the others nearly all, which are read in few loads.
  template <class Lattice, int i>
  [[nodiscard]] TESSERA_HOST_DEVICE Real populationByWeight(bool reversed) const {
    if constexpr (Lattice::c[i][0] != 0) {
      return model::populationByWeight<Lattice, i, Real>(*this, reversed);
    } else {
      const model::AllMoments<Real> all = load();
      return model::populationByWeight<Lattice, i, Real>([&](int n) { return all.of[n]; },
                                                         reversed);
    }
  }
};
// Moments that separate nodes read: of a state, or of the nodes of a set, 64 to a tile in their
// order.
template <class Order>
struct StateMoments {
  using Real = typename Order::Real;
  const typename Order::Word* words;
  [[nodiscard]] TESSERA_HOST_DEVICE NodeMoments<Order> at(std::uint32_t slot, int local) const {
    return {words + model::momentTile<Order>(slot), local};
  }
};
template <class Order>
struct ListedMoments {
  using Real = typename Order::Real;
  const typename Order::Word* words;
  NodeSetView set;
  [[nodiscard]] TESSERA_HOST_DEVICE NodeMoments<Order> at(std::uint32_t slot, int local) const {
    const std::uint32_t k = set.indexOf(slot, local);
    return {words + model::momentTile<Order>(k >> 6U), static_cast<int>(k & 63U)};
  }
};

// A node at openings, at walls, or of the openings' stencils alone.
struct SeparateNode {
  std::uint32_t incoming;        // bit i: f_i comes in through an opening
  std::uint32_t reflected;       // bit i: f_i leaves through a wall of MomentWalls
  std::uint32_t firstReflected;  // the first of these in MomentWalls::links, the others follow
  std::int32_t opening;          // index in MomentOpenings::nodes, or -1
  std::int32_t wall;             // index in WallMass::nodes, or -1 where mass is not corrected
};

// Pointers into the memory of a backend.
template <class Variant>
struct SeparateView {
  using Real = typename Variant::Real;
  NodeSetView set;
  const SeparateNode* nodes;
  SmallState<Real> small;
  const Real* reflected;  // populations, by link of MomentWalls
  const WallNode* wallNodes;
  const std::uint32_t* near;
  const Real* shares;  // of the excess of mass, after all times but the last
};

// Moments of what arrives at a node. view: its tiles; from: where moments are read.
template <class Variant, class View, class Source>
TESSERA_HOST_DEVICE model::MomentSums<typename Variant::Real> sumsOfSeparateNode(
    const View& view, const Source& from, const SeparateView<Variant>& separate, std::uint32_t slot,
    int local) {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  const model::MomentNode<Lattice, View> node(view, slot, local);
  SeparateNode at{0, 0, 0, -1, -1};
  if (separate.set.has(slot, local)) at = separate.nodes[separate.set.indexOf(slot, local)];
  Real arrived[Lattice::q];
  model::forEach<Lattice::q - 1>([&](auto n) {
    constexpr int i = n + 1;
    auto source = node.template source<i>();
    if ((at.incoming >> i & 1U) != 0) source = {slot, local, false};  // no node is there
    arrived[i] =
        from.at(source.slot, source.local).template populationByWeight<Lattice, i>(source.reversed);
  });
  Real rest = from.at(slot, local).template populationByWeight<Lattice, 0>(false);
  model::forEach<Lattice::q - 1>([&](auto n) {
    constexpr int i = n + 1;
    constexpr Real inverse = Real(1.0 / model::weight<Lattice>(i));
    if ((at.incoming >> i & 1U) != 0)
      arrived[i] = model::multiplyRounded(
          inverse, separate.small.populations[separate.small.template arriving<Lattice>(
                       static_cast<std::uint32_t>(at.opening), i)]);
  });
  if (at.reflected != 0) {
    std::uint32_t link = at.firstReflected;
    model::forEach<Lattice::q - 1>([&](auto n) {
      constexpr int i = n + 1;
      constexpr Real inverse = Real(1.0 / model::weight<Lattice>(i));
      if ((at.reflected >> i & 1U) != 0)
        arrived[model::opposite(i)] = model::multiplyRounded(inverse, separate.reflected[link++]);
    });
    if (at.wall >= 0)
      rest = model::multiplyAdd(
          Real(-1.0 / model::weight<Lattice>(0)),
          sumOfNear(separate.near, separate.wallNodes[at.wall], separate.shares), rest);
  }
  return model::sumUp<Lattice, Real>(rest, [&](auto i) { return arrived[i]; });
}

}  // namespace tessera::solver::boundary
