// SPDX-License-Identifier: GPL-3.0-or-later
// Openings of a state of moments. Opening nodes keep a scratch copy of their populations, because
// boundary conditions are formulated on these: their own, rebuilt from the moments before each
// step, and those entering from outside, set by the same conditions as in a state of populations
// (incoming.hpp, outlets.hpp). These nodes are stepped and stored apart from their tiles, whose
// step ignores openings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/boundary/link.hpp"
#include "solver/model/moment_node.hpp"

namespace tessera::solver::boundary {

struct OpeningNodeLocation {
  std::uint32_t slot;
  std::uint8_t local;
  std::uint8_t links;       // of openings, neighbours in the list
  std::uint32_t incoming;   // bit i: f_i comes in through an opening
  std::uint32_t firstLink;  // the next node at openings has the next links
};

// A node that takes another's moments before each step, across a periodic face.
struct NodeCopy {
  std::uint32_t fromSlot;
  std::uint32_t toSlot;
  std::uint8_t fromLocal;
  std::uint8_t toLocal;
};

struct MomentOpenings {
  std::vector<OpeningNodeLocation> nodes;  // at openings, then others of the stencils
  std::size_t stepped = 0;                 // those at openings
  std::vector<std::int32_t> stencilOf;     // by node: its index in stencilNodes, or -1
  std::vector<NodeCopy> copies;
  std::uint32_t smallSlots = 0;  // of the small state, its own and arriving populations together
};

// Moves links, whose nodes and targets are indices in a state of populations of q directions, to
// the scratch state: node k has slot k / 64 and local k % 64 of its first half, and arriving
// populations the same of its second. stencilNodes likewise.
MomentOpenings takeOpenings(std::vector<IncomingLink>& links,
                            std::vector<std::uint64_t>& stencilNodes,
                            std::span<const PopulationCopy> copies, int q);

// Pointers into the memory of a backend.
template <class Real>
struct SmallState {
  Real* populations;
  std::uint32_t half;  // slots of its first half

  template <class Lattice>
  TESSERA_HOST_DEVICE std::uint64_t own(std::uint32_t k, int i) const {
    return model::populationIndex<Lattice>(k >> 6U, i, static_cast<int>(k & 63U));
  }
  template <class Lattice>
  TESSERA_HOST_DEVICE std::uint64_t arriving(std::uint32_t k, int i) const {
    return model::populationIndex<Lattice>(half + (k >> 6U), i, static_cast<int>(k & 63U));
  }
};

// The populations of opening node k after the last collision.
template <class Lattice, class View>
TESSERA_HOST_DEVICE void rebuildOpeningNode(const View& view, const OpeningNodeLocation& place,
                                            std::uint32_t k,
                                            const SmallState<typename View::Real>& small) {
  const model::MomentNode<Lattice, View> node(view, place.slot, place.local);
  model::forEach<Lattice::q>([&](auto i) {
    small.populations[small.template own<Lattice>(k, i)] = node.template own<i>();
  });
}

// The same from its moments.
template <class Lattice, class Real>
TESSERA_HOST_DEVICE void rebuildOpeningNode(const model::AllMoments<Real>& moments, std::uint32_t k,
                                            const SmallState<Real>& small) {
  model::forEach<Lattice::q>([&](auto i) {
    small.populations[small.template own<Lattice>(k, i)] =
        Real(model::weight<Lattice>(i)) *
        model::populationByWeight<Lattice, i, Real>([&](int n) { return moments.of[n]; });
  });
}

template <class Lattice, class View, class Real = typename View::Real>
TESSERA_HOST_DEVICE model::MomentSums<Real> sumsOfNode(
    const model::MomentNode<Lattice, View>& node) {
  return model::sumUp<Lattice, Real>(node.restByWeight(),
                                     [&](auto i) { return node.template arrivesByWeight<i>(); });
}

template <class Order>
TESSERA_HOST_DEVICE void copyNode(const NodeCopy& copy, typename Order::Word* state) {
  for (int k = 0; k < Order::Format::words; ++k)
    state[model::momentIndex<Order>(copy.toSlot, k, copy.toLocal)] =
        state[model::momentIndex<Order>(copy.fromSlot, k, copy.fromLocal)];
}

}  // namespace tessera::solver::boundary
