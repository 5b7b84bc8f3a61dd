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

// Index of value m of local node l of the tile in a slot; 64-bit, so right beyond 2^32 elements.
TESSERA_HOST_DEVICE constexpr std::uint64_t momentIndex(std::uint32_t slot, int m, int l) {
  return (static_cast<std::uint64_t>(slot) * moment::count + static_cast<unsigned>(m)) * 64U +
         static_cast<unsigned>(l);
}

// A node's stored values from r, j and A (xx yy zz xy xz yz).
template <class Real, class T>
TESSERA_HOST_DEVICE void storedMoments(const T& r, const T (&j)[3], const T (&a)[6],
                                       T (&m)[moment::count]) {
  const T e = r + Real(3) * a[0] - Real(1.5) * (a[1] + a[2]);
  m[moment::p] = e + Real(3) * j[0];
  m[moment::p + 1] = e - Real(3) * j[0];
  m[moment::y] = j[1] + Real(3) * a[3];
  m[moment::y + 1] = j[1] - Real(3) * a[3];
  m[moment::z] = j[2] + Real(3) * a[4];
  m[moment::z + 1] = j[2] - Real(3) * a[4];
  m[moment::xx] = a[0];
  m[moment::yy] = a[1];
  m[moment::zz] = a[2];
  m[moment::yz] = a[5];
}

// a b + c. On a device always one rounding, so that a population is the same bits wherever it is
// rebuilt: in its node's own thread, in a halo's, in any shape of block.
template <class Real, class T>
TESSERA_HOST_DEVICE T multiplyAdd(Real a, const T& b, const T& c) {
#if defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

// r - 1.5 tr A.
template <class Real, class T>
TESSERA_HOST_DEVICE T restMoment(const T& pPlus, const T& pMinus, const T& xx) {
  return multiplyAdd(Real(-4.5), xx, T(Real(0.5) * (pPlus + pMinus)));
}
template <class Real, class T>
TESSERA_HOST_DEVICE T restMoment(const T (&m)[moment::count]) {
  return restMoment<Real>(m[moment::p], m[moment::p + 1], m[moment::xx]);
}

// f_i / w_i of a node, as a deviation from rest; reversed: that of the opposite direction. get(n):
// its stored value n; asked for no more than three to ten of them, by the direction.
template <LatticeModel Lattice, int i, class Real, class Get>
TESSERA_HOST_DEVICE auto populationByWeight(const Get& get, bool reversed = false) {
  constexpr auto c = Lattice::c[i];
  const Real sign = reversed ? Real(-1) : Real(1);
  if constexpr (c[0] != 0) {
    const int side = reversed ? -c[0] : c[0];
    auto sum = get(moment::ofSign(moment::p, side));
    if constexpr (c[1] != 0) {
      sum = multiplyAdd(sign * Real(3 * c[1]), get(moment::ofSign(moment::y, side)), sum);
      sum = multiplyAdd(Real(4.5), get(moment::yy), sum);
    }
    if constexpr (c[2] != 0) {
      sum = multiplyAdd(sign * Real(3 * c[2]), get(moment::ofSign(moment::z, side)), sum);
      sum = multiplyAdd(Real(4.5), get(moment::zz), sum);
    }
    return sum;
  } else {
    auto sum = restMoment<Real>(get(moment::p), get(moment::p + 1), get(moment::xx));
    if constexpr (c[1] != 0) {
      sum = multiplyAdd(Real(4.5), get(moment::yy), sum);
      sum = multiplyAdd(sign * Real(1.5 * c[1]), decltype(sum)(get(moment::y) + get(moment::y + 1)),
                        sum);
    }
    if constexpr (c[2] != 0) {
      sum = multiplyAdd(Real(4.5), get(moment::zz), sum);
      sum = multiplyAdd(sign * Real(1.5 * c[2]), decltype(sum)(get(moment::z) + get(moment::z + 1)),
                        sum);
    }
    if constexpr (c[1] * c[2] != 0) sum = multiplyAdd(Real(9 * c[1] * c[2]), get(moment::yz), sum);
    return sum;
  }
}

template <LatticeModel Lattice, int i, class Real, class T>
TESSERA_HOST_DEVICE T populationOf(const T (&m)[moment::count]) {
  return Real(weight<Lattice>(i)) *
         populationByWeight<Lattice, i, Real>([&](int n) { return m[n]; });
}

}  // namespace tessera::solver::model
