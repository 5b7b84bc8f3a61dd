// SPDX-License-Identifier: GPL-3.0-or-later
// Step on moments from the populations that a node has gathered: sums over these, then the
// regularised collision of solver/model/collision/regularised.hpp on these. T is a number or a
// vector of numbers, Real the number.
#pragma once

#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/collision/regularised.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/moment_format.hpp"
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
  template <LatticeModel Lattice, PrecisionModel Precision>
  static constexpr unsigned words() {
    return FormatOfMoments<Precision>::type::words;
  }
  // Populations rebuilt from moments one by one, summed to moments, collided.
  template <LatticeModel Lattice, class Collision, EquilibriumModel Equilibrium>
  static constexpr int flops() requires(Lattice::q == 19 &&
                                        std::is_same_v<Collision, Regularised>) {
    return 231 + Equilibrium::flops;
  }
  template <LatticeModel Lattice>
  TESSERA_HOST_DEVICE static constexpr std::uint64_t index(std::uint32_t slot, int value,
                                                           int local) {
    return momentIndex(slot, value, local);
  }
};

// r, momentum and second moments of deviations from rest, the last in units of the weight of a
// diagonal (unitOfSums), as they are summed.
template <class T>
struct MomentSums {
  T r;
  T j[3];
  T a[6];
};
template <LatticeModel Lattice, class Real>
constexpr Real unitOfSums = Real(weight<Lattice>(7));

// Sums over populations that stay in a plane z = const, and over those that cross it in one sense,
// in units of the weight of a diagonal. Kept apart, and added up + down at the end, so that mirror
// images have the same bits, and so that planes may be summed one after the other.
template <class T>
struct InPlaneSums {
  T r, jx, jy, xx, yy, xy;
};
template <class T>
struct CrossingSums {
  T all, jx, jy, xx, yy;
};

// f(i): f_i / w_i of direction i, asked for once each; rest: f_0 / w_0.
template <LatticeModel Lattice, class Real, class T, class Arrived>
TESSERA_HOST_DEVICE InPlaneSums<T> sumInPlane(const T& rest, const Arrived& f) {
  constexpr Real twice = Real(weight<Lattice>(1) / weight<Lattice>(7));
  constexpr Real atRest = Real(weight<Lattice>(0) / weight<Lattice>(7));
  const auto at = [&](auto x, auto y) {
    constexpr int i = directionIndex<Lattice>(decltype(x)::value, decltype(y)::value, 0);
    return f(std::integral_constant<int, i>{});
  };
  constexpr std::integral_constant<int, 0> no{};
  constexpr std::integral_constant<int, 1> plus{};
  constexpr std::integral_constant<int, -1> minus{};
  const T x[2] = {at(plus, no), at(minus, no)};
  const T y[2] = {at(no, plus), at(no, minus)};
  const T along[2] = {at(plus, plus), at(minus, minus)};
  const T across[2] = {at(plus, minus), at(minus, plus)};
  const T sumAlong = along[0] + along[1];
  const T sumAcross = across[0] + across[1];
  const T diagonals = sumAlong + sumAcross;
  const T one = along[0] - along[1];
  const T two = across[0] - across[1];
  const T yPair = y[0] + y[1];
  InPlaneSums<T> sums;
  sums.xy = sumAlong - sumAcross;
  sums.xx = multiplyAdd(twice, T(x[0] + x[1]), diagonals);
  sums.yy = multiplyAdd(twice, yPair, diagonals);
  sums.r = multiplyAdd(atRest, rest, multiplyAdd(twice, yPair, sums.xx));
  sums.jx = multiplyAdd(twice, T(x[0] - x[1]), T(one + two));
  sums.jy = multiplyAdd(twice, T(y[0] - y[1]), T(one - two));
  return sums;
}

// By weight: along z, then with a step along +x, -x, +y, -y.
template <LatticeModel Lattice, class Real, class T>
TESSERA_HOST_DEVICE CrossingSums<T> sumCrossing(const T& straight, const T& xPlus, const T& xMinus,
                                                const T& yPlus, const T& yMinus) {
  constexpr Real twice = Real(weight<Lattice>(1) / weight<Lattice>(7));
  CrossingSums<T> sums;
  sums.xx = xPlus + xMinus;
  sums.jx = xPlus - xMinus;
  sums.yy = yPlus + yMinus;
  sums.jy = yPlus - yMinus;
  sums.all = multiplyAdd(twice, straight, T(sums.xx + sums.yy));
  return sums;
}

template <LatticeModel Lattice, class Real, class T>
TESSERA_HOST_DEVICE MomentSums<T> addSums(const InPlaneSums<T>& plane, const CrossingSums<T>& up,
                                          const CrossingSums<T>& down) {
  constexpr Real unit = unitOfSums<Lattice, Real>;
  const T crossing = up.all + down.all;
  MomentSums<T> sums;
  sums.r = multiplyRounded(unit, T(plane.r + crossing));
  sums.j[0] = multiplyRounded(unit, T(plane.jx + (up.jx + down.jx)));
  sums.j[1] = multiplyRounded(unit, T(plane.jy + (up.jy + down.jy)));
  sums.j[2] = multiplyRounded(unit, T(up.all - down.all));
  sums.a[0] = plane.xx + (up.xx + down.xx);
  sums.a[1] = plane.yy + (up.yy + down.yy);
  sums.a[2] = crossing;
  sums.a[3] = plane.xy;
  sums.a[4] = up.jx - down.jx;
  sums.a[5] = up.jy - down.jy;
  return sums;
}

// Moments of what arrives at a node. arrived(i): f_i / w_i of direction i, asked for once each;
// rest: f_0 / w_0.
template <LatticeModel Lattice, class Real, class T, class Arrived>
TESSERA_HOST_DEVICE MomentSums<T> sumUp(const T& rest, const Arrived& arrived) {
  static_assert(Lattice::q == 19, "a plane of nine, five up and five down");
  const auto crossing = [&](auto z) {
    const auto at = [&](auto x, auto y) {
      constexpr int i =
          directionIndex<Lattice>(decltype(x)::value, decltype(y)::value, decltype(z)::value);
      return arrived(std::integral_constant<int, i>{});
    };
    constexpr std::integral_constant<int, 0> no{};
    constexpr std::integral_constant<int, 1> plus{};
    constexpr std::integral_constant<int, -1> minus{};
    return sumCrossing<Lattice, Real, T>(at(no, no), at(plus, no), at(minus, no), at(no, plus),
                                         at(no, minus));
  };
  return addSums<Lattice, Real, T>(sumInPlane<Lattice, Real, T>(rest, arrived),
                                   crossing(std::integral_constant<int, 1>{}),
                                   crossing(std::integral_constant<int, -1>{}));
}

// A number, or a vector of it.
template <class T, class Real>
TESSERA_HOST_DEVICE T filled(Real value) {
  if constexpr (std::is_convertible_v<Real, T>)
    return value;
  else
    return T{} + value;
}

// Momentum with half the force, and velocity, of the gathered populations.
template <class Equilibrium, bool forced, class T, class Real>
TESSERA_HOST_DEVICE Macroscopic<T> macroscopicOf(const MomentSums<T>& sums,
                                                 const Real (&halfForce)[3]) {
  Macroscopic<T> n;
  n.r = sums.r;
  const T inverse = reciprocal<Real>(Equilibrium::inertialDensity(sums.r, filled<T>(Real(1))));
  forEach<3>([&](auto d) {
    n.m[d] = sums.j[d];
    if constexpr (forced) n.m[d] += halfForce[d];
    n.u[d] = multiplyRounded(n.m[d], inverse);
  });
  return n;
}

// The ten values of a field of solver/model/step.hpp's observe(), before the collision.
template <LatticeModel Lattice, class Equilibrium, class Real, class Put>
TESSERA_HOST_DEVICE void observeSums(const MomentSums<Real>& sums, const StepParameters<Real>& p,
                                     Put&& put) {
  const Macroscopic<Real> n = macroscopicOf<Equilibrium, true>(sums, p.halfForce);
  Real stress[6];
  forEach<6>([&](auto e) {
    constexpr int a = stressRow[e];
    constexpr int b = stressColumn[e];
    stress[e] = -(Real(1) - Real(0.5) * p.omegaEven) *
                (unitOfSums<Lattice, Real> * sums.a[e] - n.m[a] * n.u[b] + n.u[a] * p.halfForce[b] +
                 n.u[b] * p.halfForce[a]);
  });
  const Real trace = (stress[0] + stress[1] + stress[2]) / 3;
  forEach<3>([&](auto a) { stress[a] -= trace; });
  put(std::integral_constant<int, 0>{}, n.r);
  forEach<3>([&](auto a) { put(std::integral_constant<int, 1 + a>{}, n.u[a]); });
  forEach<6>([&](auto e) { put(std::integral_constant<int, 4 + e>{}, stress[e]); });
}

// Constants of the collision on moments, made once: a kernel takes them as operands. Those that the
// second moments are products of are Format::scale times the ones named.
template <class Real>
struct MomentRelaxation {
  Real omega;
  Real keptUnit;    // (1 - omega) unitOfSums
  Real keptThird;   // (1 - omega) / 3
  Real forceShare;  // 2 - omega
  Real halfForce[3];
};
template <LatticeModel Lattice, class Format, class Real>
MomentRelaxation<Real> momentRelaxation(const StepParameters<Real>& p) {
  constexpr Real scale = Format::scale;
  const Real kept = Real(1) - p.omegaEven;
  return {scale * p.omegaEven,
          scale * (kept * unitOfSums<Lattice, Real>),
          scale * (kept / Real(3)),
          scale * (Real(2) - p.omegaEven),
          {p.halfForce[0], p.halfForce[1], p.halfForce[2]}};
}

// The node after the collision: second moments relax with omega towards m u, forces enter by halves
// (Guo, Zheng & Shi 2002).
template <class Equilibrium, bool forced, class T, class Real>
TESSERA_HOST_DEVICE RelaxedMoments<T> collideMoments(const MomentSums<T>& sums,
                                                     const MomentRelaxation<Real>& p) {
  const T inverse = reciprocal<Real>(Equilibrium::inertialDensity(sums.r, filled<T>(Real(1))));
  const T rate = multiplyRounded(p.omega, inverse);
  const T isotropic = multiplyRounded(p.keptThird, sums.r);
  RelaxedMoments<T> node;
  auto& m = node.j;  // momentum with half the force
  T u[3];            // velocity times omega
  forEach<3>([&](auto d) {
    m[d] = sums.j[d];
    if constexpr (forced) m[d] += p.halfForce[d];
    u[d] = multiplyRounded(rate, m[d]);
  });
  auto& a = node.a;
  forEach<6>([&](auto e) {
    constexpr int row = stressRow[e];
    constexpr int column = stressColumn[e];
    const T kept = row == column ? multiplyAdd(p.keptUnit, sums.a[e], T(-isotropic))
                                 : multiplyRounded(p.keptUnit, sums.a[e]);
    a[e] = multiplyAdd(u[row], m[column], kept);
    if constexpr (forced) {
      const T uF =
          multiplyAdd(p.halfForce[column], multiplyRounded(inverse, m[row]),
                      multiplyRounded(p.halfForce[row], multiplyRounded(inverse, m[column])));
      a[e] = multiplyAdd(p.forceShare, uF, a[e]);
    }
  });
  if constexpr (forced) forEach<3>([&](auto d) { m[d] += p.halfForce[d]; });
  node.r = sums.r;
  return node;
}

// The words of the node after the collision.
template <class Format, class Equilibrium, bool forced, class T, class Real>
TESSERA_HOST_DEVICE void collideToWords(const MomentSums<T>& sums, const MomentRelaxation<Real>& p,
                                        typename Format::Word (&words)[Format::words]) {
  Format::pack(collideMoments<Equilibrium, forced>(sums, p), words);
}

}  // namespace tessera::solver::model
