// SPDX-License-Identifier: GPL-3.0-or-later
// Walls of a state of moments other than halfway ones at rest: the links and formulas of a state of
// populations (wall_links.hpp), whose populations are rebuilt from the moments of the nodes. What a
// link reflects is kept by link, since moments have no place for it, and read where the node is
// stepped (separate_node.hpp). Traffic per link: 16 B of record, the moments of three nodes, 1
// number written; with walls that move 8 B more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/boundary/moment_openings.hpp"
#include "solver/boundary/separate_node.hpp"
#include "solver/boundary/wall_links.hpp"

namespace tessera::solver::boundary {

// Origin of the population that arrives at the node of a link along it.
enum class ArrivalAtLink : std::uint8_t {
  FromBehind,     // f_i of the node behind
  ThroughOpening  // f_i that enters at an opening
};

// Link i of a node; places are 64 slot + local.
struct MomentWallLink {
  std::uint32_t node;        // x
  std::uint32_t behind;      // x - c_i; ThroughOpening: index of x in MomentOpenings::nodes
  std::uint32_t far;         // x - 2 c_i, where deep
  std::uint16_t distance;    // as WallLink::distance
  std::uint8_t direction;    // i
  std::uint8_t pair : 2;     // as WallLink::pair
  std::uint8_t arrival : 1;  // ArrivalAtLink
  std::uint8_t deep : 1;     // multireflection has its nodes
};
static_assert(sizeof(MomentWallLink) == 16);

// In the order of Walls, from which they are taken.
struct MomentWalls {
  std::vector<MomentWallLink> links;
  std::vector<double> push;     // Walls::push
  std::vector<WallNode> nodes;  // with the links of each; own ones first
  std::uint32_t own = 0;        // nodes of this rank
  WallMass mass;                // without its nodes; empty where mass is not corrected
};

// walls: without symmetry planes and without memory of arrivals. openings: of the same domain.
MomentWalls takeWalls(Walls walls, const MomentOpenings& openings);

// Pointers into the memory of a backend.
template <class Variant>
struct MomentWallView {
  using Real = typename Variant::Real;
  const MomentWallLink* links;
  const double* push;  // or null
  Real* values;        // reflected populations, by link
  static constexpr const Real* memory = nullptr;
  static constexpr Real* memoryNext = nullptr;

  [[nodiscard]] TESSERA_HOST_DEVICE bool isDeep(std::uint64_t k) const {
    return links[k].deep != 0;
  }
};

// Components of the velocity of direction i, by two bits each: indexed at run time, an array would
// lie in local memory.
template <class Lattice>
struct PackedVelocities {
  static constexpr std::uint64_t pack(std::size_t axis) {
    static_assert(Lattice::q <= 32);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < Lattice::q; ++i)
      all |= static_cast<std::uint64_t>(Lattice::c[i][axis] + 1) << (2 * i);
    return all;
  }
  TESSERA_HOST_DEVICE static int component(std::uint64_t axis, int i) {
    return static_cast<int>(axis >> (2 * i) & 3U) - 1;
  }
  static constexpr std::uint64_t x = pack(0);
  static constexpr std::uint64_t y = pack(1);
  static constexpr std::uint64_t z = pack(2);
};

// f_i and f_o of a node, o opposite to i, from its moments.
template <class Real>
struct OppositePopulations {
  Real along;
  Real against;
};
template <class Lattice, class Real, class Get>
TESSERA_HOST_DEVICE OppositePopulations<Real> oppositePopulations(const Get& m, int i) {
  using Packed = PackedVelocities<Lattice>;
  namespace moment = model::moment;
  const int x = Packed::component(Packed::x, i);
  const int y = Packed::component(Packed::y, i);
  const int z = Packed::component(Packed::z, i);
  const Real sixth = Real(1) / Real(6);
  Real even = model::restMoment<Real>(m(moment::p), m(moment::p + 1), m(moment::xx));
  even = model::multiplyAdd(Real(4.5 * (x * x)), m(moment::xx), even);
  even = model::multiplyAdd(Real(4.5 * (y * y)), m(moment::yy), even);
  even = model::multiplyAdd(Real(4.5 * (z * z)), m(moment::zz), even);
  even = model::multiplyAdd(Real(9 * y * z), m(moment::yz), even);
  even = model::multiplyAdd(Real(9 * x * y) * sixth, Real(m(moment::y) - m(moment::y + 1)), even);
  even = model::multiplyAdd(Real(9 * x * z) * sixth, Real(m(moment::z) - m(moment::z + 1)), even);
  Real odd = model::multiplyRounded(Real(0.5 * x), Real(m(moment::p) - m(moment::p + 1)));
  odd = model::multiplyAdd(Real(1.5 * y), Real(m(moment::y) + m(moment::y + 1)), odd);
  odd = model::multiplyAdd(Real(1.5 * z), Real(m(moment::z) + m(moment::z + 1)), odd);
  const Real weight = x * x + y * y + z * z == 1 ? Real(model::weight<Lattice>(1))
                                                 : Real(model::weight<Lattice>(7));
  return {model::multiplyRounded(weight, Real(even + odd)),
          model::multiplyRounded(weight, Real(even - odd))};
}

// Populations that a link reads, as LinkPopulations; each node's moments are read once.
template <class Variant, class Source>
class LinkMoments {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using Both = OppositePopulations<Real>;

 public:
  TESSERA_HOST_DEVICE LinkMoments(const MomentWallLink& link, const Source& from,
                                  const SmallState<Real>& small)
      : direction_(link.direction), own_(at(from, link.node)), behind_{}, far_{} {
    if (link.pair != 0) return;
    if (link.arrival == static_cast<std::uint8_t>(ArrivalAtLink::FromBehind))
      behind_ = at(from, link.behind);
    else
      behind_.along =
          small.populations[small.template arriving<Lattice>(link.behind, link.direction)];
    if (link.deep != 0) far_ = at(from, link.far);
  }
  [[nodiscard]] TESSERA_HOST_DEVICE Real along() const { return own_.along; }
  [[nodiscard]] TESSERA_HOST_DEVICE Real against() const { return own_.against; }
  [[nodiscard]] TESSERA_HOST_DEVICE Real arriving() const { return behind_.along; }
  [[nodiscard]] TESSERA_HOST_DEVICE Real againstBehind() const { return behind_.against; }
  [[nodiscard]] TESSERA_HOST_DEVICE Real alongFar() const { return far_.along; }

 private:
  [[nodiscard]] TESSERA_HOST_DEVICE Both at(const Source& from, std::uint32_t place) const {
    const auto node = from.at(place >> 6U, static_cast<int>(place & 63U));
    const model::AllMoments<Real> all = node.load();
    return oppositePopulations<Lattice, Real>([&](int n) { return all.of[n]; }, direction_);
  }

  int direction_;
  Both own_;
  Both behind_;
  Both far_;
};

// Finds the population that link k reflects; returns the mass that it brings in beyond what it
// takes out.
template <class Variant, class Source>
TESSERA_HOST_DEVICE typename Variant::Real reflectMoments(
    const MomentWallView<Variant>& walls, std::uint64_t k, const Source& from,
    const SmallState<typename Variant::Real>& small, typename Variant::Real ramp) {
  using Real = typename Variant::Real;
  const LinkMoments<Variant, Source> own(walls.links[k], from, small);
  const Real value = reflectedAt<Real>(
      walls, k,
      [&](std::uint64_t link) {
        return link == k ? own : LinkMoments<Variant, Source>(walls.links[link], from, small);
      },
      ramp);
  walls.values[k] = value;
  return value - own.along();
}

}  // namespace tessera::solver::boundary
