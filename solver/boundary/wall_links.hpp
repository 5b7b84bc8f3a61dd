// SPDX-License-Identifier: GPL-3.0-or-later
// Moving and curved walls (interpolated bounce-back), and symmetry planes. At a wall link the
// gather of the step takes the node's own population f_i, i out of the fluid, as the reflected one
// along o, the opposite of i (halfway bounce-back). Before each step that population is replaced by
// the one to be reflected; no other node reads it, since there is no fluid at its other end. With q
// the distance to the wall along the link and f after the last collision, at x unless stated:
//   Bouzidi, Firdaouss & Lallemand 2001 (linear), eq. 5,
//     q < 1/2:  2 q f_i + (1 - 2 q) a - 6 w_i c_i . u_w
//     q >= 1/2: (f_i + (2 q - 1) f_o - 6 w_i c_i . u_w) / (2 q)
//     with a = f_i of x - c_i, the population that will arrive at x along i;
//   single-node: the same with a = the arrival at x along i in the step before, the scheme of
//     Zhao, Huang & Yong 2019 (Multiscale Model. Simul. 17:854) with l = max(0, 2 q - 1). It needs
//     a of the step before to be kept, and nothing of x - c_i;
//   multireflection, Ginzburg & d'Humieres 2003 (Phys. Rev. E 68:066614), MR1 without its
//     correction of third order: with K = 2 / (1 + q)^2, A = (1 - 2 q - 2 q^2) K / 2,
//     B = q^2 K / 2,
//     f_i + A (f_i(x - c_i) - f_o) + B (f_i(x - 2 c_i) - f_o(x - c_i)) - 6 K w_i c_i . u_w,
//     where there is fluid that deep, else Bouzidi's. Its error for a parabola does not depend
//     on q nor on the viscosity, and vanishes with the magic parameter, so the flow is smooth up to
//     the wall. By itself it never damps oscillations from one step to the next between curved
//     walls; 1/32 of Bouzidi's value mixed in does within some hundred steps.
// u_w is the wall's velocity where the link meets it (Ladd 1994; density 1 by definition). Where
// both i and o of a node end on walls, a is the population reflected by the other wall: Bouzidi's
// two equations are then solved together. Populations are deviations from rest: all weights add up
// to 1 so that nothing changes. Symmetry planes halfway between nodes reflect: f_i of x and f_m of
// y change places, where y is x moved by the tangential part of c_i and m is c_i with that part
// turned round. Mass: wall_mass.hpp. First all values are found, then they change places with the
// populations, so the order of links does not matter, and done again it is undone. A population
// that leaves through a wall is read by the links of its own node alone. Traffic per
// link: 16 B of record, 2 populations read and 1 exchanged, of Bouzidi at q < 1/2 one in a
// neighbour; with walls that move 8 B more, single-node two more numbers, multireflection 4 B more
// and five populations. A CPU reads three of Bouzidi for any q (cpu/link_group.hpp).
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "solver/boundary/wall_mass.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::boundary {

// A link i of the node `local` of `slot` that ends on a wall.
struct WallLink {
  std::uint32_t slot;
  std::uint32_t fromSlot;  // location of the population that arrives along the link: f_i of x - c_i
                           // where fluid is there
  std::uint16_t distance;  // q = (distance + 1) / 65536
  std::uint8_t local;
  std::uint8_t direction;  // i
  std::uint8_t fromLocal;  // not used for pairs
  std::uint8_t fromDirection;
  std::uint8_t pair;  // 1: the next link is o of the same node; 2: the one before is; 0: neither
  std::uint8_t farLocal;  // of x - 2 c_i, where its slot is known (Walls::farSlots)
};
static_assert(sizeof(WallLink) == 16);

// In Walls::farSlots: the two nodes behind are not fluid, or not known here.
constexpr std::uint32_t notDeep = 0xffffffffU;

// Two populations that change places.
struct PopulationPair {
  std::uint64_t a;
  std::uint64_t b;
};

// Result of planWalls(), in the order of the tiles of the file; then the links of nodes of other
// ranks that share their excess of mass with own ones, whose populations are not exchanged.
struct Walls {
  std::vector<WallLink> links;  // those of a node follow each other
  std::vector<double> push;     // -6 w_i c_i . u_w at full ramp, one a link; empty: no wall moves
  // Multireflection: slot of x - 2 c_i, or notDeep, one a link; else empty.
  std::vector<std::uint32_t> farSlots;
  std::vector<PopulationPair> mirrored;
  std::vector<double> outflow;  // by label, of own nodes at full ramp, lattice units
  WallMass mass;                // no nodes: reflected populations keep mass by themselves
  bool remembers = false;       // single-node: arrivals are kept until the next step
};

inline std::uint64_t ownLinks(const Walls& walls) {
  return walls.mass.nodes.empty() ? walls.links.size() : walls.mass.ownLinks;
}

// Pointers into the memory of a backend.
template <class Variant>
struct WallView {
  const WallLink* links;
  const double* push;                    // or null
  const std::uint32_t* farSlots;         // or null
  const typename Variant::Real* memory;  // arrivals of the step before; null: not known
  typename Variant::Real* memoryNext;    // arrivals of this step; null: not needed
  typename Variant::Storage* values;     // reflected populations, then those they replaced

  // Whether multireflection has the nodes that it reads.
  [[nodiscard]] TESSERA_HOST_DEVICE bool isDeep(std::uint64_t k) const {
    return farSlots != nullptr && farSlots[k] != notDeep;
  }
};

// Reads populations of the nodes at a wall.
template <class Variant>
struct PopulationsAt {
  using Real = typename Variant::Real;
  const typename Variant::Storage* state;
  TESSERA_HOST_DEVICE Real operator()(std::uint32_t slot, int direction, int local) const {
    return Real(state[model::populationIndex<typename Variant::Lattice>(slot, direction, local)]);
  }
};

TESSERA_HOST_DEVICE int turned(int direction) {
  return direction % 2 == 1 ? direction + 1 : direction - 1;
}

template <class Variant>
TESSERA_HOST_DEVICE std::uint64_t ownIndex(const WallLink& link) {
  return model::populationIndex<typename Variant::Lattice>(link.slot, link.direction, link.local);
}

// Populations that link k reads: f_i and f_o of its node, of the one behind and of the one behind
// that.
template <class Variant>
struct LinkPopulations {
  using Real = typename Variant::Real;
  const WallView<Variant>& walls;
  std::uint64_t k;
  PopulationsAt<Variant> at;

  [[nodiscard]] TESSERA_HOST_DEVICE const WallLink& link() const { return walls.links[k]; }
  [[nodiscard]] TESSERA_HOST_DEVICE int turnedBack() const { return turned(link().direction); }

  [[nodiscard]] TESSERA_HOST_DEVICE Real along() const {
    return at(link().slot, link().direction, link().local);
  }
  [[nodiscard]] TESSERA_HOST_DEVICE Real against() const {
    return at(link().slot, turnedBack(), link().local);
  }
  [[nodiscard]] TESSERA_HOST_DEVICE Real arriving() const {
    return at(link().fromSlot, link().fromDirection, link().fromLocal);
  }
  [[nodiscard]] TESSERA_HOST_DEVICE Real againstBehind() const {
    return at(link().fromSlot, turnedBack(), link().fromLocal);
  }
  [[nodiscard]] TESSERA_HOST_DEVICE Real alongFar() const {
    return at(walls.farSlots[k], link().direction, link().farLocal);
  }
};

// q of WallLink::distance.
template <class Real>
TESSERA_HOST_DEVICE Real fractionOf(std::uint16_t distance) {
  return (Real(distance) + Real(1)) / Real(65536);
}

// at: as LinkPopulations. T: Real, or a vector of links; without branches, for vectors.
template <class Real, class T, class At>
TESSERA_HOST_DEVICE T multireflected(const T& q, const At& at, const T& push) {
  const T scale = Real(1) / ((Real(1) + q) * (Real(1) + q));
  const T near = model::multiplyAdd(T(Real(-2) * q), q, T(Real(1) - Real(2) * q)) * scale;
  const T far = q * q * scale;
  const T own = model::multiplyAdd(T(Real(2) * scale), push, T(at.along()));
  return model::multiplyAdd(far, T(at.alongFar() - at.againstBehind()),
                            model::multiplyAdd(near, T(at.arriving() - at.against()), own));
}

constexpr double shareOfBouzidi = 1.0 / 32.0;

template <class Real, class T>
TESSERA_HOST_DEVICE T mixedWithBouzidi(const T& multireflected, const T& bouzidi) {
  return model::multiplyAdd(Real(1.0 - shareOfBouzidi), T(multireflected - bouzidi), bouzidi);
}

// Reflected population, f = own + share * a.
template <class T>
struct Returning {
  T own;
  T share;
};

template <class Real, class T, class At>
TESSERA_HOST_DEVICE Returning<T> returning(const T& q, const At& at, const T& push) {
  const T twice = Real(2) * q;
  const T out = at.along();
  const auto isNear = twice < Real(1);
  const auto near = [&] { return model::multiplyAdd(twice, out, push); };
  const auto far = [&] {
    return T((model::multiplyAdd(T(twice - Real(1)), T(at.against()), out) + push) / twice);
  };
  if constexpr (std::is_same_v<T, Real>) {
    if (isNear) return {near(), Real(1) - twice};
    return {far(), Real(0)};
  } else {
    return {isNear ? near() : far(), isNear ? T(Real(1) - twice) : T{}};
  }
}

// The population reflected at link k; changes none, but remembers the arrival. Written with
// multiplyAdd(), so that its bits do not depend on the kernel. walls: a view of
// wall links; atLink(k): its populations, as LinkPopulations.
template <class Real, class View, class AtLink>
TESSERA_HOST_DEVICE Real reflectedAt(const View& walls, std::uint64_t k, const AtLink& atLink,
                                     Real ramp) {
  const auto pushOf = [&](std::uint64_t link) {
    return walls.push == nullptr ? Real(0) : model::multiplyRounded(Real(walls.push[link]), ramp);
  };
  const auto& link = walls.links[k];
  const auto at = atLink(k);
  const Real push = pushOf(k);
  const Real q = fractionOf<Real>(link.distance);
  const Returning<Real> one = returning<Real>(q, at, push);
  Real value = one.own;
  if (link.pair == 0) {
    const Real arriving = one.share == Real(0) ? Real(0) : at.arriving();
    value =
        model::multiplyAdd(one.share, walls.memory == nullptr ? arriving : walls.memory[k], value);
    if (walls.isDeep(k)) value = mixedWithBouzidi<Real>(multireflected<Real>(q, at, push), value);
    if (walls.memoryNext != nullptr) walls.memoryNext[k] = arriving;
  } else {
    const std::uint64_t other = link.pair == 1 ? k + 1 : k - 1;
    const Returning<Real> two = returning<Real>(fractionOf<Real>(walls.links[other].distance),
                                                atLink(other), pushOf(other));
    value = walls.memory == nullptr ? model::multiplyAdd(one.share, two.own, one.own) /
                                          model::multiplyAdd(-one.share, two.share, Real(1))
                                    : model::multiplyAdd(one.share, walls.memory[k], one.own);
    if (walls.memoryNext != nullptr)
      walls.memoryNext[k] = model::multiplyAdd(
          two.share, walls.memory == nullptr ? value : walls.memory[other], two.own);
  }
  return value;
}

template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Storage bouncedWall(const WallView<Variant>& walls,
                                                          std::uint64_t k,
                                                          const typename Variant::Storage* state,
                                                          typename Variant::Real ramp) {
  return typename Variant::Storage(reflectedAt<typename Variant::Real>(
      walls, k,
      [&](std::uint64_t link) {
        return LinkPopulations<Variant>{walls, link, {state}};
      },
      ramp));
}

template <class Variant>
TESSERA_HOST_DEVICE void bounceWall(const WallView<Variant>& walls, std::uint64_t k,
                                    const typename Variant::Storage* state,
                                    typename Variant::Real ramp) {
  walls.values[k] = bouncedWall<Variant>(walls, k, state, ramp);
}

// Exchanges the reflected population with the node's own; applied twice, it restores the state.
template <class Variant>
TESSERA_HOST_DEVICE void exchangeWall(const WallView<Variant>& walls, std::uint64_t k,
                                      typename Variant::Storage* state) {
  const std::uint64_t place = ownIndex<Variant>(walls.links[k]);
  const typename Variant::Storage kept = state[place];
  state[place] = walls.values[k];
  walls.values[k] = kept;
}

// Applied twice, it restores the state.
template <class Storage>
TESSERA_HOST_DEVICE void mirror(const PopulationPair& pair, Storage* state) {
  const Storage kept = state[pair.a];
  state[pair.a] = state[pair.b];
  state[pair.b] = kept;
}

}  // namespace tessera::solver::boundary
