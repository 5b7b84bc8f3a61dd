// SPDX-License-Identifier: GPL-3.0-or-later
// Correction of mass at interpolated walls, host and device. Interpolated bounce-back lets a node's
// wall links bring in more or less than they took out. Most of that is the flow along the wall
// through the steps that the lattice makes of it, which the next nodes give back; what remains, of
// second order, would be lost. Made up node by node, the correction would block the flow through
// the steps, and the wall shear would not converge (error of the flow rate of a slanted pipe of 12
// nodes across 1.4 %, where it is 0.1 % without); so each node shares its excess evenly with the
// nodes of the wall one link away, and those again, twice in 3D (0.15 %) and five times in 2D,
// where a node has few neighbours; tiles limit how far other ranks can be read. The rest
// populations take it: mass is exact in every step, momentum does not change, and forces need no
// term for it. At walls that move the excess is counted from what moving halfway walls bring in, -6
// w_i c_i . u(x + c_i / 2), whose sum over a rigid body is exactly 0. Traffic per node: 1
// population per link read again, 1 exchanged, some 10 neighbours a share.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/model/device_arithmetic.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::boundary {

// A node with links of Walls::links, and its neighbours along the wall.
struct WallNode {
  std::uint32_t slot;
  std::uint32_t firstLink;
  std::uint32_t firstNear;  // in WallMass::near; of the farthest nodes of other ranks: unused
  std::uint8_t local;
  std::uint8_t links;
  std::uint8_t nears;  // the node itself included
  std::uint8_t unused;
};
static_assert(sizeof(WallNode) == 16);

constexpr int timesShared(int dimensions) {
  return dimensions == 2 ? 5 : 2;
}

// Own nodes first, then those of other ranks one link away, then two, and so on.
struct WallMass {
  std::vector<WallNode> nodes;
  std::vector<std::uint32_t> near;  // indices of nodes
  std::vector<double> expected;     // of walls that move, at full ramp, one a node; empty: none do
  std::vector<std::uint32_t> within;  // numbers of nodes within 0, 1, ... links of own ones
  std::uint64_t ownLinks = 0;         // of Walls::links, which those of other nodes follow

  [[nodiscard]] std::uint32_t own() const { return within.empty() ? 0 : within.front(); }
};

// Pointers into the memory of a backend.
template <class Variant>
struct WallMassView {
  const WallNode* nodes;
  const std::uint32_t* near;
  const double* expected;  // or null
  // By node, share of the excess that each neighbour takes; after each time the other one.
  typename Variant::Real* shares[2];
  typename Variant::Storage* values;  // by own node: rest populations, then those they replaced

  // A choice, not an index, for which the array would lie in local memory.
  [[nodiscard]] TESSERA_HOST_DEVICE typename Variant::Real* sharesAfter(int times) const {
    return times % 2 == 0 ? shares[0] : shares[1];
  }
};

// Mass that a link brings in beyond what it takes out.
template <class Variant, class Link>
TESSERA_HOST_DEVICE typename Variant::Real excessOfLink(const Link& link,
                                                        typename Variant::Storage reflected,
                                                        const typename Variant::Storage* state) {
  using Real = typename Variant::Real;
  const std::uint64_t out =
      model::populationIndex<typename Variant::Lattice>(link.slot, link.direction, link.local);
  return Real(reflected) - Real(state[out]);
}

// Share of a node's excess. excess(k): excessOfLink() of link k.
template <class Variant, class Excess>
TESSERA_HOST_DEVICE void findExcess(const WallMassView<Variant>& mass, std::uint64_t n,
                                    typename Variant::Real ramp, const Excess& excess) {
  using Real = typename Variant::Real;
  const WallNode& node = mass.nodes[n];
  Real sum =
      mass.expected == nullptr ? Real(0) : model::multiplyRounded(-Real(mass.expected[n]), ramp);
  for (std::uint32_t k = node.firstLink; k < node.firstLink + node.links; ++k) sum += excess(k);
  mass.shares[0][n] = sum / Real(node.nears);
}

// nears: WallMass::near.
template <class Real>
TESSERA_HOST_DEVICE Real sumOfNear(const std::uint32_t* nears, const WallNode& node,
                                   const Real* values) {
  constexpr int together = 8;  // so that a device waits once for all of them
  Real sum(0);
  const std::uint32_t end = node.firstNear + node.nears;
  for (std::uint32_t first = node.firstNear; first < end; first += together) {
    Real near[together];
    model::forEach<together>(
        [&](auto k) { near[k] = values[nears[first + k < end ? first + k : end - 1]]; });
    model::forEach<together>([&](auto k) {
      if (first + k < end) sum += near[k];
    });
  }
  return sum;
}

// within: WallMass::within.
inline int timesBeforeLast(const std::vector<std::uint32_t>& within) {
  return within.empty() ? 0 : static_cast<int>(within.size()) - 1;
}

// Calls body(times, nodes) for each time but the last that the excess is shared: the first so many
// nodes take part.
template <class Body>
void forTimesBeforeLast(const std::vector<std::uint32_t>& within, const Body& body) {
  const int last = timesBeforeLast(within);
  for (int times = 1; times <= last; ++times)
    body(times, within[static_cast<std::size_t>(last + 1 - times)]);
}

// The share of a node after its excess was shared `times` times, from that of the time before.
template <class Variant>
TESSERA_HOST_DEVICE void shareExcess(const WallMassView<Variant>& mass, int times,
                                     std::uint64_t n) {
  const WallNode& node = mass.nodes[n];
  mass.sharesAfter(times)[n] =
      sumOfNear(mass.near, node, mass.sharesAfter(times + 1)) / typename Variant::Real(node.nears);
}

template <class Variant>
TESSERA_HOST_DEVICE std::uint64_t restIndex(const WallNode& node) {
  return model::populationIndex<typename Variant::Lattice>(node.slot, 0, node.local);
}

// The corrected rest population: the excess is shared a last time, after `times` others.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Storage correctedRest(
    const WallMassView<Variant>& mass, int times, std::uint64_t n,
    const typename Variant::Storage* state) {
  using Real = typename Variant::Real;
  const WallNode& node = mass.nodes[n];
  const Real rest(state[restIndex<Variant>(node)]);
  return typename Variant::Storage(rest - sumOfNear(mass.near, node, mass.sharesAfter(times)));
}

// Exchanges the corrected rest population with the node's own; applied twice, it restores the
// state.
template <class Variant>
TESSERA_HOST_DEVICE void exchangeRest(const WallMassView<Variant>& mass, std::uint64_t n,
                                      typename Variant::Storage* state) {
  const std::uint64_t place = restIndex<Variant>(mass.nodes[n]);
  const typename Variant::Storage kept = state[place];
  state[place] = mass.values[n];
  mass.values[n] = kept;
}

}  // namespace tessera::solver::boundary
