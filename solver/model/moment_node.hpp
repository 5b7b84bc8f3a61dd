// SPDX-License-Identifier: GPL-3.0-or-later
// Single node of a state of moments, for openings and observation. Finds its neighbours through the
// neighbour table that populations use too.
#pragma once

#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::model {

// Arrays of the state that it reads. Order: of a tile's words (solver/model/moment_format.hpp).
template <class OrderType>
struct MomentView {
  using Order = OrderType;
  using Real = typename Order::Real;
  const typename Order::Word* now;
  const std::int32_t* neighbourTable;
  const std::uint32_t* masks;
};

template <LatticeModel Lattice, class View>
struct MomentNode {
  using Real = typename View::Real;
  using Order = typename View::Order;
  View view;
  std::uint32_t slot;
  int local;
  std::uint32_t mask;  // of walls

  TESSERA_HOST_DEVICE MomentNode(const View& v, std::uint32_t s, int l)
      : view(v), slot(s), local(l), mask(0) {
    const std::int32_t index =
        view.neighbourTable[static_cast<std::uint64_t>(slot) * neighbourStride + maskEntry];
    if (index >= 0)
      mask = view.masks[static_cast<std::uint64_t>(index) * 64U + static_cast<unsigned>(local)];
  }
  [[nodiscard]] TESSERA_HOST_DEVICE bool isSolid() const { return (mask >> solidBit & 1U) != 0; }

  // f_i of the node itself, after its last collision.
  template <int i>
  TESSERA_HOST_DEVICE Real own() const {
    return Real(weight<Lattice>(i)) * byWeight<i>(slot, local);
  }
  // Where f_i arrives from: the node at x - c_i, or, at a wall, the node itself, whose opposite
  // population comes back.
  struct Source {
    std::uint32_t slot;
    int local;
    bool reversed;
  };
  template <int i>
  TESSERA_HOST_DEVICE Source source() const {
    constexpr auto c = Lattice::c[i];
    const int x = (local & 3) - c[0];
    const int y = (local >> 2 & 3) - c[1];
    const int z = (local >> 4) - c[2];
    const int n = 13 + (x >> 2) + 3 * (y >> 2) + 9 * (z >> 2);
    const auto from = static_cast<std::uint32_t>(
        view.neighbourTable[static_cast<std::uint64_t>(slot) * neighbourStride +
                            static_cast<unsigned>(n)]);
    const bool fromWall = (mask >> linkBit<Lattice>(opposite(i)) & 1U) != 0;
    return {fromWall ? slot : from, fromWall ? local : (x & 3) + 4 * (y & 3) + 16 * (z & 3),
            fromWall};
  }
  // f_i / w_i that arrives; from openings: whatever their ghosts hold. A choice of address, not of
  // loads, so that those of all directions are in flight at once.
  template <int i>
  TESSERA_HOST_DEVICE Real arrivesByWeight() const {
    const Source from = source<i>();
    return byWeight<i>(from.slot, from.local, from.reversed);
  }
  [[nodiscard]] TESSERA_HOST_DEVICE Real restByWeight() const { return byWeight<0>(slot, local); }
  // r, momentum and second moments of its populations after its last collision.
  [[nodiscard]] TESSERA_HOST_DEVICE MomentSums<Real> stored() const {
    const auto* tile = view.now + momentTile<Order>(slot);
    const auto m = [&](int n) { return Order::value(tile, n, local); };
    const Real half = Real(0.5);
    const Real third = Real(1) / Real(3);
    const Real sixth = Real(1) / Real(6);
    const Real e = half * (m(moment::p) + m(moment::p + 1));
    MomentSums<Real> sums;
    sums.a[0] = m(moment::xx);
    sums.a[1] = m(moment::yy);
    sums.a[2] = m(moment::zz);
    sums.a[3] = sixth * (m(moment::y) - m(moment::y + 1));
    sums.a[4] = sixth * (m(moment::z) - m(moment::z + 1));
    sums.a[5] = m(moment::yz);
    sums.r = e - Real(3) * sums.a[0] + Real(1.5) * (sums.a[1] + sums.a[2]);
    forEach<3>([&](auto d) { sums.a[d] += third * sums.r; });
    sums.j[0] = half * third * (m(moment::p) - m(moment::p + 1));
    sums.j[1] = half * (m(moment::y) + m(moment::y + 1));
    sums.j[2] = half * (m(moment::z) + m(moment::z + 1));
    return sums;
  }

 private:
  template <int i>
  TESSERA_HOST_DEVICE Real byWeight(std::uint32_t s, int l, bool reversed = false) const {
    const auto* tile = view.now + momentTile<Order>(s);
    return populationByWeight<Lattice, i, Real>([&](int n) { return Order::value(tile, n, l); },
                                                reversed);
  }
};

}  // namespace tessera::solver::model
