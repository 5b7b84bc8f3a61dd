// SPDX-License-Identifier: GPL-3.0-or-later
// Ten moments in place of 19 populations. After the regularised collision (Latt & Chopard 2006)
// populations are fully determined by density, momentum and second moments,
//   f_i = w_i (r + 3 c_i . j + 4.5 c_i . A c_i - 1.5 tr A),
// with r = rho - 1, j the momentum and A the second moments less those of rest, so a node stores
// these: 80 bytes where populations take 152 (fp64). They are mixed so that what crosses a face on
// x, of whose sectors of memory only a quarter is used, needs five values and not ten:
//   P+- = r + 3 Axx - 1.5 (Ayy + Azz) +- 3 jx    Y+- = jy +- 3 Axy    Z+- = jz +- 3 Axz
// and Axx, Ayy, Azz, Ayz. T is a number or a vector of numbers, Real the number.
#pragma once

#include <cstdint>

#include "solver/model/device_arithmetic.hpp"
#include "solver/model/lattice/lattice.hpp"

namespace tessera::solver::model {

// Positions among a node's stored values.
namespace moment {
constexpr int p = 0;  // P+, P-
constexpr int y = 2;  // Y+, Y-
constexpr int z = 4;  // Z+, Z-
constexpr int xx = 6;
constexpr int yy = 7;
constexpr int zz = 8;
constexpr int yz = 9;
constexpr int count = 10;
// The place of the value whose sign is that of c: P+ for c > 0.
constexpr int ofSign(int first, int c) {
  return c > 0 ? first : first + 1;
}
}  // namespace moment

// The stored values of a node.
template <class Real>
struct AllMoments {
  Real of[moment::count];
};

// Orders of a tile's 64 x 10 values in memory: at(m, l) is the position of value m of local node l,
// load() reads those of a node.

// Value after value, each of the 64 nodes: on the CPU, whose vectors are of nodes, and in files.
struct MomentsByValue {
  TESSERA_HOST_DEVICE static constexpr unsigned at(int m, int l) {
    return static_cast<unsigned>(m) * 64U + static_cast<unsigned>(l);
  }
  template <class Real>
  TESSERA_HOST_DEVICE static AllMoments<Real> load(const Real* tile, int l) {
    AllMoments<Real> all;
    for (int m = 0; m < moment::count; ++m) all.of[m] = tile[at(m, l)];
    return all;
  }
};

// Plane after plane on z, as columns of tiles are marched on a GPU; in a plane group after group of
// values, in a group the 16 bytes of node after node, two values in fp64 and four in fp32. A node
// is read by five or three loads; of what crosses a face on x, P, Y, Z of one sign and yy, zz, all
// lies in three or two groups.
template <class Real>
struct MomentsByPlane {
  static constexpr int group = 16 / static_cast<int>(sizeof(Real));
  static constexpr int plane = 16 * moment::count;
  // P+ Y+ Z+ zz, P- Y- Z- yy, xx yz in pairs; P+ Y+ Z+ yy, P- Y- Z- zz, xx yz in fours: both with
  // values of a sign together.
  TESSERA_HOST_DEVICE static constexpr int rank(int m) {
    // Digits of the ranks of values 9, 8, ... 0: an array, indexed at run time, would lie in local
    // memory.
    constexpr std::uint64_t pairs = 0x9378625140;
    constexpr std::uint64_t fours = 0x9738625140;
    return static_cast<int>((group == 2 ? pairs : fours) >> (4 * m) & 15U);
  }
  // Values of a node in the group of a rank.
  TESSERA_HOST_DEVICE static constexpr int width(int rank) {
    const int left = moment::count - rank / group * group;
    return left < group ? left : group;
  }
  TESSERA_HOST_DEVICE static constexpr unsigned at(int m, int l) {
    const int r = rank(m);
    return static_cast<unsigned>((l >> 4) * plane + r / group * group * 16 + (l & 15) * width(r) +
                                 r % group);
  }
  // By groups, whose loads the compiler leaves out where none of their values is used.
  TESSERA_HOST_DEVICE static AllMoments<Real> load(const Real* tile, int l) {
    AllMoments<Real> all;
    forEach<(moment::count + group - 1) / group>([&](auto g) {
      constexpr int first = g * group;
      struct alignas(sizeof(Real) * width(first)) Group {
        Real of[width(first)];
      };
      const Real* from = tile + (l >> 4) * plane + first * 16 + (l & 15) * width(first);
      const Group values = *reinterpret_cast<const Group*>(from);
      forEach<moment::count>([&](auto m) {
        constexpr int r = rank(m);
        if constexpr (r / group == g) all.of[m] = values.of[r % group];
      });
    });
    return all;
  }
};

// Start of the values of the tile in a slot; 64-bit, so right beyond 2^32 elements.
TESSERA_HOST_DEVICE constexpr std::uint64_t momentTile(std::uint32_t slot) {
  return static_cast<std::uint64_t>(slot) * moment::count * 64U;
}
// Index of value m of local node l of the tile in a slot.
template <class Order = MomentsByValue>
TESSERA_HOST_DEVICE constexpr std::uint64_t momentIndex(std::uint32_t slot, int m, int l) {
  return momentTile(slot) + Order::at(m, l);
}

// A node's stored values from r, j and A (xx yy zz xy xz yz).
template <class Real, class T>
TESSERA_HOST_DEVICE void storedMoments(const T& r, const T (&j)[3], const T (&a)[6],
                                       T (&m)[moment::count]) {
  const T e = multiplyAdd(Real(3), a[0], multiplyAdd(Real(-1.5), T(a[1] + a[2]), r));
  m[moment::p] = multiplyAdd(Real(3), j[0], e);
  m[moment::p + 1] = multiplyAdd(Real(-3), j[0], e);
  m[moment::y] = multiplyAdd(Real(3), a[3], j[1]);
  m[moment::y + 1] = multiplyAdd(Real(-3), a[3], j[1]);
  m[moment::z] = multiplyAdd(Real(3), a[4], j[2]);
  m[moment::z + 1] = multiplyAdd(Real(-3), a[4], j[2]);
  m[moment::xx] = a[0];
  m[moment::yy] = a[1];
  m[moment::zz] = a[2];
  m[moment::yz] = a[5];
}

// r - 1.5 tr A, the population at rest by its weight.
template <class Real, class T>
TESSERA_HOST_DEVICE T restMoment(const T& pPlus, const T& pMinus, const T& xx) {
  return multiplyAdd(Real(-4.5), xx, T(Real(0.5) * (pPlus + pMinus)));
}
template <class Real, class T>
TESSERA_HOST_DEVICE T restMoment(const T (&m)[moment::count]) {
  return restMoment<Real>(m[moment::p], m[moment::p + 1], m[moment::xx]);
}

// f_i / w_i of a node, as a deviation from rest; reversed: that of the opposite direction. get(n):
// its stored value n; asked for no more than three to ten of them, by the direction. Directions of
// a node share their first operations.
template <LatticeModel Lattice, int i, class Real, class Get>
TESSERA_HOST_DEVICE auto populationByWeight(const Get& get, bool reversed = false) {
  constexpr auto c = Lattice::c[i];
  const Real sign = reversed ? Real(-1) : Real(1);
  if constexpr (c[0] != 0) {
    const int side = reversed ? -c[0] : c[0];
    auto sum = get(moment::ofSign(moment::p, side));
    if constexpr (c[1] != 0) {
      sum = multiplyAdd(Real(4.5), get(moment::yy), sum);
      sum = multiplyAdd(sign * Real(3 * c[1]), get(moment::ofSign(moment::y, side)), sum);
    }
    if constexpr (c[2] != 0) {
      sum = multiplyAdd(Real(4.5), get(moment::zz), sum);
      sum = multiplyAdd(sign * Real(3 * c[2]), get(moment::ofSign(moment::z, side)), sum);
    }
    return sum;
  } else {
    auto sum = restMoment<Real>(get(moment::p), get(moment::p + 1), get(moment::xx));
    using Value = decltype(sum);
    if constexpr (c[1] != 0) sum = multiplyAdd(Real(4.5), get(moment::yy), sum);
    if constexpr (c[2] != 0) sum = multiplyAdd(Real(4.5), get(moment::zz), sum);
    if constexpr (c[1] * c[2] != 0) {
      sum = multiplyAdd(Real(9 * c[1] * c[2]), get(moment::yz), sum);
      const Value y = get(moment::y) + get(moment::y + 1);
      const Value z = get(moment::z) + get(moment::z + 1);
      sum = multiplyAdd(sign * Real(1.5 * c[1]), Value(c[1] * c[2] > 0 ? y + z : y - z), sum);
    } else if constexpr (c[1] != 0) {
      sum = multiplyAdd(sign * Real(1.5 * c[1]), Value(get(moment::y) + get(moment::y + 1)), sum);
    } else if constexpr (c[2] != 0) {
      sum = multiplyAdd(sign * Real(1.5 * c[2]), Value(get(moment::z) + get(moment::z + 1)), sum);
    }
    return sum;
  }
}

template <LatticeModel Lattice, int i, class Real, class T>
TESSERA_HOST_DEVICE T populationOf(const T (&m)[moment::count]) {
  return Real(weight<Lattice>(i)) *
         populationByWeight<Lattice, i, Real>([&](int n) { return m[n]; });
}

}  // namespace tessera::solver::model
