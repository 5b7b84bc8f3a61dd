// SPDX-License-Identifier: GPL-3.0-or-later
// Force of the fluid on walls by momentum exchange: f_i leaves a node along a link that ends on the
// wall, f_o comes back along the opposite o in the next gather, and the wall receives (Ladd 1994)
//   c_i (f_i + f_o),
// where f_o is the population that the scheme of the wall reflects, as it is stored: all momentum
// that the fluid loses at walls is counted, whatever the scheme, so in steady flow the forces and
// those of the openings add up to the body force on all nodes. Populations are deviations from
// rest, so the pressure is relative to that of density 1; what that leaves out, the reference
// pressure times the area vector, is added in SI units (WallForces::areas).
// A wall that moves with u_w takes along the fluid that crosses its links, f_i - f_o, whose
// momentum is no force: in the frame of the wall (Galilean invariant momentum exchange, Wen, Zhang,
// Tu, Wang & Fang 2014, J. Comput. Phys. 266:161) the wall receives
//   (c_i - u_w) f_i - (c_o - u_w) f_o = c_i (f_i + f_o) - u_w (f_i - f_o).
// Symmetry planes exchange f_i with the node beside: the tangential parts of two such links cancel,
// and the plane receives the normal momentum as a wall does.
// Halfway walls leave oscillations from one step to the next undamped (staggered momenta, Zanetti
// 1989, Phys. Rev. A 40:1539), so a sample is the mean over the step before it and the one after.
// Sums are of integers, so they do not depend on their order: threads, ranks, blocks of a device.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/boundary/moment_walls.hpp"
#include "solver/boundary/wall_links.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "solver/model/moment_node.hpp"

namespace tessera::solver::boundary {

// Links of one node that end on one wall. Bit i: lattice direction i.
struct WallForceNode {
  std::uint32_t slot;
  std::uint32_t links;
  std::uint32_t reflected;  // of these, those whose f_o is in WallView::values, from `first` on
  std::uint32_t first;
  std::uint8_t local;
  std::uint8_t unused[3];
};
static_assert(sizeof(WallForceNode) == 20);

// Link at a symmetry plane, whose f_o is a population of another node.
struct WallForceMirror {
  std::uint32_t slot;
  std::uint32_t fromSlot;
  std::uint8_t local;
  std::uint8_t direction;
  std::uint8_t fromLocal;
  std::uint8_t fromDirection;
  std::int8_t c[3];  // c_i
  std::uint8_t unused;
};
static_assert(sizeof(WallForceMirror) == 16);

// Nodes, or mirrored links, of one wall, added up together.
struct WallForceChunk {
  std::uint32_t first;
  std::uint32_t count;
  std::uint16_t label;
  std::uint16_t isMirrored;
};

// Velocity of a wall at full ramp: velocity + rate x (at - centre), lattice units and axes.
struct WallMotion {
  double velocity[3];
  double rate[3];
  double centre[3];
  double moves;  // 0: at rest
};

// Sum of numbers up to 2^30 in multiples of 1, 2^-30 and 2^-60.
struct ExactSum {
  std::int64_t part[3];

  // Numbers out of range occur only after divergence.
  TESSERA_HOST_DEVICE void add(double value) {
    double rest = std::fabs(value) < 0x1p30 ? value : 0.0;
    for (int k = 0; k < 3; ++k) {
      const double whole = std::trunc(rest);  // exact, whatever the sign
      part[k] += static_cast<std::int64_t>(whole);
      rest = (rest - whole) * 0x1p30;
    }
  }
  TESSERA_HOST_DEVICE void add(const ExactSum& other) {
    for (int k = 0; k < 3; ++k) part[k] += other.part[k];
  }
  [[nodiscard]] double value() const {
    return double(part[0]) + double(part[1]) * 0x1p-30 + double(part[2]) * 0x1p-60;
  }
};

// Force and torque about a point, lattice units and axes.
struct WallForceSum {
  ExactSum force[3];
  ExactSum torque[3];

  TESSERA_HOST_DEVICE void add(const WallForceSum& other) {
    for (int a = 0; a < 3; ++a) {
      force[a].add(other.force[a]);
      torque[a].add(other.torque[a]);
    }
  }
};

// Force and torque, lattice units and axes.
struct LatticeForce {
  std::array<double, 3> force{};
  std::array<double, 3> torque{};
};

// Result of planWallForces().
struct WallForces {
  std::vector<WallForceNode> nodes;      // by label
  std::vector<WallForceMirror> mirrors;  // by label
  std::vector<WallForceChunk> chunks;
  std::vector<WallMotion> motions;                   // by label
  std::vector<std::array<std::int32_t, 3>> corners;  // lattice position of node 0 of each slot
  std::array<double, 3> about{};                     // lattice coordinates
  bool reflected = false;  // on any rank: populations must be reflected before they are summed
  std::vector<LatticeForce> areas;  // by label, of all ranks: of a pressure of 1

  [[nodiscard]] std::size_t labels() const { return motions.size(); }
};

// Pointers into the memory of a backend.
struct WallForceView {
  const WallForceNode* nodes;
  const WallForceMirror* mirrors;
  const WallForceChunk* chunks;
  const WallMotion* motions;
  const std::array<std::int32_t, 3>* corners;
  double about[3];
};

inline WallForceView viewOf(const WallForces& plan) {
  return {plan.nodes.data(),   plan.mirrors.data(), plan.chunks.data(),
          plan.motions.data(), plan.corners.data(), {plan.about[0], plan.about[1], plan.about[2]}};
}

// Sums of chunks by label.
inline std::vector<WallForceSum> sumsByLabel(std::span<const WallForceChunk> chunks,
                                             std::span<const WallForceSum> sums,
                                             std::size_t labels) {
  std::vector<WallForceSum> all(labels, WallForceSum{});
  for (std::size_t c = 0; c < chunks.size(); ++c) all[chunks[c].label].add(sums[c]);
  return all;
}

// Populations that a link exchanges with the wall, and the wall's distance.
struct ExchangedPair {
  double out;
  double back;
  double distance;
};

// Exchange of a state of populations after bounceWall().
template <class Variant>
struct ExchangedPopulations {
  using Lattice = typename Variant::Lattice;
  const typename Variant::Storage* state;
  WallView<Variant> walls;

  [[nodiscard]] TESSERA_HOST_DEVICE double at(std::uint32_t slot, int i, int local) const {
    return double(PopulationsAt<Variant>{state}(slot, i, local));
  }
  // reflected: index in WallView::values; negative: halfway, at rest.
  template <int i>
  TESSERA_HOST_DEVICE ExchangedPair of(const WallForceNode& node, std::int64_t reflected) const {
    const double out = at(node.slot, i, node.local);
    if (reflected < 0) return {out, out, 0.5};
    return {out, double(typename Variant::Real(walls.values[reflected])),
            (walls.links[reflected].distance + 1) / 65536.0};
  }
  [[nodiscard]] TESSERA_HOST_DEVICE ExchangedPair of(const WallForceMirror& link) const {
    return {at(link.slot, link.direction, link.local),
            at(link.fromSlot, link.fromDirection, link.fromLocal), 0.5};
  }
};

// Exchange of a state of moments after reflectMoments(). It has no symmetry planes.
template <class Variant, class View>
struct ExchangedMoments {
  using Lattice = typename Variant::Lattice;
  View view;
  MomentWallView<Variant> walls;

  // reflected: index in MomentWallView::values; negative: halfway, at rest.
  template <int i>
  TESSERA_HOST_DEVICE ExchangedPair of(const WallForceNode& node, std::int64_t reflected) const {
    const double out =
        double(model::MomentNode<Lattice, View>(view, node.slot, node.local).template own<i>());
    if (reflected < 0) return {out, out, 0.5};
    return {out, double(walls.values[reflected]), (walls.links[reflected].distance + 1) / 65536.0};
  }
  [[nodiscard]] TESSERA_HOST_DEVICE ExchangedPair of(const WallForceMirror&) const {
    return {0.0, 0.0, 0.5};
  }
};

TESSERA_HOST_DEVICE void addCross(const double (&a)[3], const double (&b)[3], double (&sum)[3]) {
  sum[0] += a[1] * b[2] - a[2] * b[1];
  sum[1] += a[2] * b[0] - a[0] * b[2];
  sum[2] += a[0] * b[1] - a[1] * b[0];
}

// Position of a node of a tile of these sides.
template <class Lattice>
TESSERA_HOST_DEVICE void positionOf(const std::array<std::int32_t, 3>& corner, int local,
                                    double (&at)[3]) {
  using Shape = model::TileShape<Lattice>;
  at[0] = corner[0] + (local & (Shape::x - 1));
  at[1] = corner[1] + (local >> Shape::log2X & (Shape::y - 1));
  at[2] = corner[2] + (local >> (Shape::log2X + Shape::log2Y));
}

// Momentum of the fluid that a moving wall takes along, and its torque about the node.
template <class Lattice, int i>
TESSERA_HOST_DEVICE void addCarried(const WallMotion& wall, const double (&at)[3],
                                    const ExchangedPair& pair, double ramp, double (&force)[3],
                                    double (&torque)[3]) {
  constexpr auto c = Lattice::c[i];
  const double arm[3] = {pair.distance * c[0], pair.distance * c[1], pair.distance * c[2]};
  const double fromCentre[3] = {at[0] + arm[0] - wall.centre[0], at[1] + arm[1] - wall.centre[1],
                                at[2] + arm[2] - wall.centre[2]};
  double u[3] = {wall.velocity[0], wall.velocity[1], wall.velocity[2]};
  addCross(wall.rate, fromCentre, u);
  double carried[3];
  for (int a = 0; a < 3; ++a) {
    carried[a] = (pair.back - pair.out) * ramp * u[a];
    force[a] += carried[a];
  }
  addCross(arm, carried, torque);
}

TESSERA_HOST_DEVICE void addForceAt(const WallForceView& view, const double (&at)[3],
                                    const double (&force)[3], double (&torque)[3],
                                    WallForceSum& sum) {
  const double arm[3] = {at[0] - view.about[0], at[1] - view.about[1], at[2] - view.about[2]};
  addCross(arm, force, torque);
  for (int a = 0; a < 3; ++a) {
    sum.force[a].add(force[a]);
    sum.torque[a].add(torque[a]);
  }
}

// Adds the force of a node's links. r x c_i is the same anywhere on a link, so what is exchanged
// along it acts at the node.
template <class Exchanged>
TESSERA_HOST_DEVICE void addNodeForce(const WallForceView& view, const WallForceNode& node,
                                      const WallMotion& wall, const Exchanged& exchanged,
                                      double ramp, WallForceSum& sum) {
  using Lattice = typename Exchanged::Lattice;
  double at[3], force[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.0};
  positionOf<Lattice>(view.corners[node.slot], node.local, at);
  std::int64_t next = node.first;
  model::forEach<Lattice::q>([&](auto i) {
    if ((node.links >> i & 1U) == 0) return;
    const bool isReflected = (node.reflected >> i & 1U) != 0;
    const ExchangedPair pair = exchanged.template of<i>(node, isReflected ? next : -1);
    if (isReflected) ++next;
    constexpr auto c = Lattice::c[i];
    model::forEach<3>([&](auto a) { force[a] += c[a] * (pair.out + pair.back); });
    if (wall.moves != 0.0) addCarried<Lattice, i>(wall, at, pair, ramp, force, torque);
  });
  addForceAt(view, at, force, torque, sum);
}

template <class Exchanged>
TESSERA_HOST_DEVICE void addMirrorForce(const WallForceView& view, const WallForceMirror& link,
                                        const Exchanged& exchanged, WallForceSum& sum) {
  const ExchangedPair pair = exchanged.of(link);
  double at[3], force[3], torque[3] = {0.0, 0.0, 0.0};
  positionOf<typename Exchanged::Lattice>(view.corners[link.slot], link.local, at);
  for (int a = 0; a < 3; ++a) force[a] = link.c[a] * (pair.out + pair.back);
  addForceAt(view, at, force, torque, sum);
}

// Adds entry k of a chunk, counted from its first.
template <class Exchanged>
TESSERA_HOST_DEVICE void addToWallForce(const WallForceView& view, const WallForceChunk& chunk,
                                        std::uint32_t k, const Exchanged& exchanged, double ramp,
                                        WallForceSum& sum) {
  if (chunk.isMirrored != 0)
    addMirrorForce(view, view.mirrors[chunk.first + k], exchanged, sum);
  else
    addNodeForce(view, view.nodes[chunk.first + k], view.motions[chunk.label], exchanged, ramp,
                 sum);
}

}  // namespace tessera::solver::boundary
