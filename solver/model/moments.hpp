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

#include <array>
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

// Below, scale: a power of two by which all second moments have been multiplied (a format's,
// solver/model/moment_format.hpp); it goes into the factors and changes no bit.

// A node's stored values from r, j and A (xx yy zz xy xz yz).
template <class Real, int scale = 1, class T>
TESSERA_HOST_DEVICE void storedMoments(const T& r, const T (&j)[3], const T (&a)[6],
                                       T (&m)[moment::count]) {
  const T e =
      multiplyAdd(Real(3.0 / scale), a[0], multiplyAdd(Real(-1.5 / scale), T(a[1] + a[2]), r));
  m[moment::p] = multiplyAdd(Real(3), j[0], e);
  m[moment::p + 1] = multiplyAdd(Real(-3), j[0], e);
  m[moment::y] = multiplyAdd(Real(3.0 / scale), a[3], j[1]);
  m[moment::y + 1] = multiplyAdd(Real(-3.0 / scale), a[3], j[1]);
  m[moment::z] = multiplyAdd(Real(3.0 / scale), a[4], j[2]);
  m[moment::z + 1] = multiplyAdd(Real(-3.0 / scale), a[4], j[2]);
  m[moment::xx] = a[0];
  m[moment::yy] = a[1];
  m[moment::zz] = a[2];
  m[moment::yz] = a[5];
}

// r - 1.5 tr A, the population at rest by its weight.
template <class Real, int scale = 1, class T>
TESSERA_HOST_DEVICE T restMoment(const T& pPlus, const T& pMinus, const T& xx) {
  return multiplyAdd(Real(-4.5 / scale), xx, T(Real(0.5) * (pPlus + pMinus)));
}
template <class Real, int scale = 1, class T>
TESSERA_HOST_DEVICE T restMoment(const T (&m)[moment::count]) {
  return restMoment<Real, scale>(m[moment::p], m[moment::p + 1], m[moment::xx]);
}

// f_i / w_i of a node, as a deviation from rest; reversed: that of the opposite direction. get(n):
// its stored value n; asked for no more than three to ten of them, by the direction. Directions of
// a node share their first operations.
template <LatticeModel Lattice, int i, class Real, int scale = 1, class Get>
TESSERA_HOST_DEVICE auto populationByWeight(const Get& get, bool reversed = false) {
  constexpr auto c = Lattice::c[i];
  const Real sign = reversed ? Real(-1) : Real(1);
  if constexpr (c[0] != 0) {
    const int side = reversed ? -c[0] : c[0];
    auto sum = get(moment::ofSign(moment::p, side));
    if constexpr (c[1] != 0) {
      sum = multiplyAdd(Real(4.5 / scale), get(moment::yy), sum);
      sum = multiplyAdd(sign * Real(3 * c[1]), get(moment::ofSign(moment::y, side)), sum);
    }
    if constexpr (c[2] != 0) {
      sum = multiplyAdd(Real(4.5 / scale), get(moment::zz), sum);
      sum = multiplyAdd(sign * Real(3 * c[2]), get(moment::ofSign(moment::z, side)), sum);
    }
    return sum;
  } else {
    auto sum = restMoment<Real, scale>(get(moment::p), get(moment::p + 1), get(moment::xx));
    using Value = decltype(sum);
    if constexpr (c[1] != 0) sum = multiplyAdd(Real(4.5 / scale), get(moment::yy), sum);
    if constexpr (c[2] != 0) sum = multiplyAdd(Real(4.5 / scale), get(moment::zz), sum);
    if constexpr (c[1] * c[2] != 0) {
      sum = multiplyAdd(Real(9.0 * c[1] * c[2] / scale), get(moment::yz), sum);
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

// Whether populationByWeight() of the direction c asks for stored value n.
constexpr bool readsMoment(const std::array<int, 3>& c, int n) {
  const auto ofPair = [&](int first, int along) {
    return along != 0 && (c[0] == 0 || n == moment::ofSign(first, c[0]));
  };
  if (n < moment::y) return ofPair(moment::p, 1);
  if (n < moment::z) return ofPair(moment::y, c[1]);
  if (n < moment::xx) return ofPair(moment::z, c[2]);
  if (n == moment::xx) return c[0] == 0;
  if (n == moment::yz) return c[1] * c[2] != 0;
  return c[n == moment::yy ? 1 : 2] != 0;
}

template <LatticeModel Lattice, int i, class Real, class T>
TESSERA_HOST_DEVICE T populationOf(const T (&m)[moment::count]) {
  return Real(weight<Lattice>(i)) *
         populationByWeight<Lattice, i, Real>([&](int n) { return m[n]; });
}

}  // namespace tessera::solver::model
