// SPDX-License-Identifier: GPL-3.0-or-later
// Density, momentum and stress of a node from its populations, which are stored as deviations from
// rest: f[i] here means f_i - w_i. Lattice units. T is a number or a vector of numbers.
#pragma once

#include "solver/model/lattice/lattice.hpp"
#include "solver/model/lattice/pair_groups.hpp"

namespace tessera::solver::model {

template <class T>
struct Macroscopic {
  T r;     // rho - 1
  T m[3];  // momentum rho u, force term included (Guo, Zheng & Shi 2002, eq. 16)
  T u[3];
};

// The six values of a symmetric tensor: xx yy zz xy xz yz.
constexpr int stressRow[6] = {0, 1, 2, 0, 0, 1};
constexpr int stressColumn[6] = {0, 1, 2, 1, 2, 2};

// scale * x, where scale is a compile-time whole number in {-1, 0, 1}: no arithmetic for 0.
template <int scale, class T>
TESSERA_HOST_DEVICE void accumulate(T& sum, const T& x) {
  if constexpr (scale == 1) sum += x;
  if constexpr (scale == -1) sum -= x;
}

template <LatticeModel Lattice, int i, class T>
TESSERA_HOST_DEVICE T along(const T (&v)[3]) {
  constexpr auto c = Lattice::c[i];
  T sum = T{};
  if constexpr (c[0] != 0) {
    sum = c[0] > 0 ? v[0] : -v[0];
    accumulate<c[1]>(sum, v[1]);
    accumulate<c[2]>(sum, v[2]);
  } else if constexpr (c[1] != 0) {
    sum = c[1] > 0 ? v[1] : -v[1];
    accumulate<c[2]>(sum, v[2]);
  } else if constexpr (c[2] != 0) {
    sum = c[2] > 0 ? v[2] : -v[2];
  }
  return sum;
}

// Momentum along an axis of the pairs of a group: added, or put there by the first that has any.
template <LatticeModel Lattice, int first, int count, int axis, class T>
TESSERA_HOST_DEVICE void addMomentumOfGroup(const T (&f)[Lattice::q], T& momentum) {
  if constexpr (componentOfPair<Lattice>(first, axis) != 0) {
    const T sum = sumTwoByTwo<first, count>([&](auto k) {
      return withSign<componentOfPair<Lattice>(k, axis)>(f[2 * k + 1] - f[2 * k + 2]);
    });
    momentum = firstPairAlong<Lattice>(axis) == first ? sum : momentum + sum;
  }
}

// halfForce: F / 2 in lattice units, added to the momentum when forced.
template <LatticeModel Lattice, class Equilibrium, bool forced, class T, class Real>
TESSERA_HOST_DEVICE Macroscopic<T> macroscopic(const T (&f)[Lattice::q],
                                               const Real (&halfForce)[3]) {
  Macroscopic<T> n;
  const T one = T{} + Real(1);
  n.r = f[0];
  n.m[0] = n.m[1] = n.m[2] = T{};
  forPairGroups<Lattice>([&](auto first, auto count) {
    n.r += sumTwoByTwo<first, count>([&](auto k) { return f[2 * k + 1] + f[2 * k + 2]; });
    addMomentumOfGroup<Lattice, first, count, 0>(f, n.m[0]);
    addMomentumOfGroup<Lattice, first, count, 1>(f, n.m[1]);
    addMomentumOfGroup<Lattice, first, count, 2>(f, n.m[2]);
  });
  const T inverse = one / Equilibrium::inertialDensity(n.r, one);
  forEach<3>([&](auto a) {
    if constexpr (forced) n.m[a] += halfForce[a];
    n.u[a] = n.m[a] * inverse;
  });
  return n;
}

// Whether value e of a symmetric tensor has only components that the lattice has.
template <LatticeModel Lattice>
constexpr bool isStressOf(int e) {
  return Lattice::dimensions == 3 || (e != 2 && e < 4);
}

// Sum of c_ia c_ib f_i.
template <LatticeModel Lattice, int a, int b, class T>
TESSERA_HOST_DEVICE T secondMoment(const T (&f)[Lattice::q]) {
  T sum = T{};
  forPairGroups<Lattice>([&](auto first, auto count) {
    if constexpr (componentOfPair<Lattice>(first, a) * componentOfPair<Lattice>(first, b) != 0) {
      const T more = sumTwoByTwo<first, count>([&](auto k) {
        return withSign<componentOfPair<Lattice>(k, a) * componentOfPair<Lattice>(k, b)>(
            f[2 * k + 1] + f[2 * k + 2]);
      });
      sum = firstPairAlong<Lattice>(a, b) == first ? more : sum + more;
    }
  });
  return sum;
}

// Sum of c_i c_i f_i less its equilibrium r / 3 + m u: xx yy zz xy xz yz, 0 for what a lattice in
// 2D does not have.
template <LatticeModel Lattice, class T>
TESSERA_HOST_DEVICE void secondMomentsOutOfEquilibrium(const T (&f)[Lattice::q],
                                                       const Macroscopic<T>& n, T (&pi)[6]) {
  const T third = n.r / 3;
  forEach<6>([&](auto e) {
    constexpr int a = stressRow[e];
    constexpr int b = stressColumn[e];
    pi[e] = T{};
    if constexpr (isStressOf<Lattice>(e)) {
      pi[e] = secondMoment<Lattice, a, b>(f);
      pi[e] -= n.m[a] * n.u[b];
      if constexpr (a == b) pi[e] -= third;
    }
  });
}

// c_i c_i : pi.
template <LatticeModel Lattice, int i, class T>
TESSERA_HOST_DEVICE T twiceAlong(const T (&pi)[6]) {
  constexpr auto c = Lattice::c[i];
  constexpr int products[3] = {c[0] * c[1], c[0] * c[2], c[1] * c[2]};
  constexpr int first = c[0] != 0 ? 0 : c[1] != 0 ? 1 : 2;
  constexpr int firstMixed = products[0] != 0 ? 0 : products[1] != 0 ? 1 : 2;
  T sum = pi[first];
  forEach<3>([&](auto e) {
    if constexpr (e > first) accumulate<c[e] * c[e]>(sum, pi[e]);
  });
  if constexpr (products[firstMixed] != 0) {
    T mixed = withSign<products[firstMixed]>(pi[3 + firstMixed]);
    forEach<3>([&](auto e) {
      if constexpr (e > firstMixed) accumulate<products[e]>(mixed, pi[3 + e]);
    });
    sum += mixed + mixed;
  }
  return sum;
}

// Deviatoric stress xx yy zz xy xz yz from pre-collision populations (Krueger et al. 2009), with
// the force's share: -(1 - omega / 2) (Pi_neq + (u F + F u) / 2), trace removed.
template <LatticeModel Lattice, bool forced, class T, class Real, class Rate>
TESSERA_HOST_DEVICE void deviatoricStress(const T (&f)[Lattice::q], const Macroscopic<T>& n,
                                          const Real (&halfForce)[3], const Rate& omega,
                                          T (&stress)[6]) {
  const Rate factor = -(Real(1) - Real(0.5) * omega);
  forEach<6>([&](auto e) {
    constexpr int a = stressRow[e];
    constexpr int b = stressColumn[e];
    T pi = secondMoment<Lattice, a, b>(f);
    pi -= n.m[a] * n.u[b];
    if constexpr (forced) pi += n.u[a] * halfForce[b] + n.u[b] * halfForce[a];
    stress[e] = pi * factor;
  });
  // The pressure's share of Pi is isotropic, so it goes with the trace.
  const Real share = Real(1) / Real(Lattice::dimensions);
  T trace = stress[0] + stress[1];
  if constexpr (Lattice::dimensions == 3) trace += stress[2];
  trace *= share;
  stress[0] -= trace;
  stress[1] -= trace;
  if constexpr (Lattice::dimensions == 3)
    stress[2] -= trace;
  else
    stress[2] = T{};
}

}  // namespace tessera::solver::model
