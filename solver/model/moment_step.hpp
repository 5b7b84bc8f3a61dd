// SPDX-License-Identifier: GPL-3.0-or-later
// Step on moments from the populations that a node has gathered: sums over these, then the
// regularised collision of solver/model/collision/regularised.hpp on these. T is a number or a
// vector of numbers, Real the number.
#pragma once

#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/collision/regularised.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/moments.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::model {

// The ten moments of a node, on which the regularised collision alone is closed.
struct MomentState {
  static constexpr StateId id = StateId::Moments;
  template <LatticeModel Lattice>
  static constexpr unsigned values() {
    return moment::count;
  }
  // Populations rebuilt from moments one by one, summed to moments, collided.
  template <LatticeModel Lattice, class Collision, EquilibriumModel Equilibrium>
  static constexpr int flops() requires(Lattice::q == 19 &&
                                        std::is_same_v<Collision, Regularised>) {
    return 252 + Equilibrium::flops;
  }
  template <LatticeModel Lattice>
  TESSERA_HOST_DEVICE static constexpr std::uint64_t index(std::uint32_t slot, int value,
                                                           int local) {
    return momentIndex(slot, value, local);
  }
};

// r, momentum and second moments of deviations from rest.
template <class T>
struct MomentSums {
  T r;
  T j[3];
  T a[6];
};

// arrived(i): f_i / w_i of direction i, asked for once each; rest: f_0. By groups of directions as
// in solver/model/lattice/pair_groups.hpp, so that mirror images have the same bits: the three
// axes, then in each of three planes the two diagonals.
template <LatticeModel Lattice, class Real, class T, class Arrived>
TESSERA_HOST_DEVICE MomentSums<T> sumUp(const T& rest, const Arrived& arrived) {
  static_assert(Lattice::q == 19, "three pairs along axes, then two in each plane");
  constexpr Real axis = Real(weight<Lattice>(1));
  constexpr Real diagonal = Real(weight<Lattice>(7));
  MomentSums<T> sums;
  forEach<3>([&](auto a) {
    constexpr int i = 2 * a + 1;
    static_assert(Lattice::c[i][a] == 1);
    const T plus = arrived(std::integral_constant<int, i>{});
    const T minus = arrived(std::integral_constant<int, i + 1>{});
    sums.a[a] = (axis / diagonal) * (plus + minus);
    sums.j[a] = (axis / diagonal) * (plus - minus);
  });
  sums.r = sums.a[0] + sums.a[1] + sums.a[2];
  forEach<3>([&](auto plane) {
    constexpr int i = 4 * plane + 7;
    constexpr int a = stressRow[3 + plane];
    constexpr int b = stressColumn[3 + plane];
    static_assert(Lattice::c[i][a] == 1 && Lattice::c[i][b] == 1 && Lattice::c[i + 2][a] == 1 &&
                  Lattice::c[i + 2][b] == -1);
    const T f[4] = {arrived(std::integral_constant<int, i>{}),
                    arrived(std::integral_constant<int, i + 1>{}),
                    arrived(std::integral_constant<int, i + 2>{}),
                    arrived(std::integral_constant<int, i + 3>{})};
    const T along = f[0] + f[1];
    const T across = f[2] + f[3];
    const T both = along + across;
    sums.r += both;
    sums.a[a] += both;
    sums.a[b] += both;
    sums.a[3 + plane] = diagonal * (along - across);
    const T one = f[0] - f[1];
    const T two = f[2] - f[3];
    sums.j[a] += one + two;
    sums.j[b] += one - two;
  });
  forEach<3>([&](auto a) {
    sums.a[a] *= diagonal;
    sums.j[a] *= diagonal;
  });
  sums.r = diagonal * sums.r + rest;
  return sums;
}

// Momentum with half the force, and velocity, of the gathered populations.
template <class Equilibrium, bool forced, class T, class Real>
TESSERA_HOST_DEVICE Macroscopic<T> macroscopicOf(const MomentSums<T>& sums,
                                                 const Real (&halfForce)[3]) {
  Macroscopic<T> n;
  n.r = sums.r;
  const T one = (sums.r - sums.r) + Real(1);
  const T inverse = one / Equilibrium::inertialDensity(sums.r, one);
  forEach<3>([&](auto d) {
    n.m[d] = sums.j[d];
    if constexpr (forced) n.m[d] += halfForce[d];
    n.u[d] = n.m[d] * inverse;
  });
  return n;
}

// The ten values of a field of solver/model/step.hpp's observe(), before the collision.
template <class Equilibrium, class Real, class Put>
TESSERA_HOST_DEVICE void observeSums(const MomentSums<Real>& sums, const StepParameters<Real>& p,
                                     Put&& put) {
  const Macroscopic<Real> n = macroscopicOf<Equilibrium, true>(sums, p.halfForce);
  Real stress[6];
  forEach<6>([&](auto e) {
    constexpr int a = stressRow[e];
    constexpr int b = stressColumn[e];
    stress[e] = -(Real(1) - Real(0.5) * p.omegaEven) *
                (sums.a[e] - n.m[a] * n.u[b] + n.u[a] * p.halfForce[b] + n.u[b] * p.halfForce[a]);
  });
  const Real trace = (stress[0] + stress[1] + stress[2]) / 3;
  forEach<3>([&](auto a) { stress[a] -= trace; });
  put(std::integral_constant<int, 0>{}, n.r);
  forEach<3>([&](auto a) { put(std::integral_constant<int, 1 + a>{}, n.u[a]); });
  forEach<6>([&](auto e) { put(std::integral_constant<int, 4 + e>{}, stress[e]); });
}

// The stored values of the node after the collision.
template <class Equilibrium, bool forced, class T, class Real>
TESSERA_HOST_DEVICE void collideMoments(const MomentSums<T>& sums, const StepParameters<Real>& p,
                                        T (&stored)[moment::count]) {
  const Macroscopic<T> n = macroscopicOf<Equilibrium, forced>(sums, p.halfForce);
  const T third = n.r * Real(1.0 / 3.0);
  const Real rest = Real(1) - p.omegaEven;
  T a[6];
  forEach<6>([&](auto e) {
    constexpr int row = stressRow[e];
    constexpr int column = stressColumn[e];
    const T equilibrium = n.m[row] * n.u[column];
    T pi = sums.a[e] - equilibrium;
    if constexpr (row == column) pi -= third;
    if constexpr (forced) {
      const T uF = n.u[row] * p.halfForce[column] + n.u[column] * p.halfForce[row];
      a[e] = equilibrium + rest * (pi + uF) + uF;
    } else {
      a[e] = equilibrium + rest * pi;
    }
  });
  T j[3] = {n.m[0], n.m[1], n.m[2]};
  if constexpr (forced) forEach<3>([&](auto d) { j[d] += p.halfForce[d]; });
  storedMoments<Real>(n.r, j, a, stored);
}

}  // namespace tessera::solver::model
