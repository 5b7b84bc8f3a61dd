// SPDX-License-Identifier: GPL-3.0-or-later
// Many relaxation times on D3Q27 in its Hermite moments, products over the axes of 1, c and
// c^2 - 1/3, towards the equilibrium of second order. Stresses relax with 1 / tau, moments of third
// order with the rate of the magic parameter, higher ones go to equilibrium (regularised, Latt &
// Chopard 2006, but for the third order).
// Correction of the advection. Steady flow obeys the momentum equation of a two-relaxation-time
// model but for (magic - 1/12) d_b d_c d_d R_abcd with the fourth moments R of the equilibrium
// (Ginzburg, Verhaeghe & d'Humieres 2008, Commun. Comput. Phys. 3:427). R_aaaa is u_a u_a, where
// isotropy requires 2 u_a u_a; so flow oblique to the axes is off in proportion to Re / nodes^2
// (on D3Q19, where mixed components of R are wrong as well, five times as much), and magic = 1/12,
// which cures it, is unstable at low viscosity. The moments of fourth order arrive as h = L- times
// second derivatives of u u, with L- = 1 / omegaOdd - 1/2: of (c_a^2 - 1/3)(c_b^2 - 1/3)
//   h_aabb = 2/9 L- (d_a d_a u_b u_b + d_b d_b u_a u_a + 4 d_a d_b u_a u_b),
// of c_a c_b (c_c^2 - 1/3) h_abcc alike. Flow along any axis, u = n U(x) with n . grad U = 0, is
// exact to this order when the stresses relax towards
//   D_ab = k h_abcc,  D_aa = 4/3 k (h_aabb + h_aacc) - 8/3 k h_bbcc,  k = (1 - 12 magic) / (32 L-)
// in place of zero. Forcing after Guo, Zheng & Shi 2002.
#pragma once

#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/lattice/d3q27.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::model {

// Where the moment of orders a, b, c along the axes is kept.
constexpr int hermitePlace(int a, int b, int c) {
  const auto component = [](int order) { return order == 2 ? -1 : order; };
  return directionIndex<D3Q27>(component(a), component(b), component(c));
}

// line(at0, at1, at2) for the three places along an axis of each of its nine lines.
template <int axis, class Line>
TESSERA_HOST_DEVICE void forHermiteLines(Line&& line) {
  forEach<9>([&](auto n) {
    constexpr int a = n % 3;
    constexpr int b = n / 3;
    constexpr auto at = [](int k) {
      return axis == 0   ? hermitePlace(k, a, b)
             : axis == 1 ? hermitePlace(a, k, b)
                         : hermitePlace(a, b, k);
    };
    line(std::integral_constant<int, at(0)>{}, std::integral_constant<int, at(1)>{},
         std::integral_constant<int, at(2)>{});
  });
}

// Populations at 0, 1, -1 to moments of order 0, 1, 2.
template <int axis, class T, class Real>
TESSERA_HOST_DEVICE void toHermite(T (&f)[27], Real third) {
  forHermiteLines<axis>([&](auto at0, auto at1, auto at2) {
    const T sum = f[at1] + f[at2];
    f[at1] -= f[at2];
    f[at0] += sum;
    f[at2] = sum - third * f[at0];
  });
}

template <int axis, class T, class Real>
TESSERA_HOST_DEVICE void fromHermite(T (&f)[27], Real half) {
  forHermiteLines<axis>([&](auto at0, auto at1, auto at2) {
    const T even = Real(1.0 / 6.0) * f[at0] + half * f[at2];
    const T odd = half * f[at1];
    f[at0] -= even + even;
    f[at1] = even + odd;
    f[at2] = even - odd;
  });
}

// Operations of relaxHermite(), without those of the equilibrium.
constexpr int relaxHermiteFlops = 27 * 5 + 27 * 8 + 5 + 12 + 6 * 5 + 7;

// D of the stresses, xx yy zz xy xz yz, from the moments in f.
template <class T, class Real>
TESSERA_HOST_DEVICE void advectionCorrection(const T (&f)[27], Real k, T (&d)[6]) {
  const T& yyzz = f[hermitePlace(0, 2, 2)];
  const T& xxzz = f[hermitePlace(2, 0, 2)];
  const T& xxyy = f[hermitePlace(2, 2, 0)];
  const T all = Real(4.0 / 3.0) * k * (yyzz + xxzz + xxyy);
  d[0] = all - Real(4) * k * yyzz;
  d[1] = all - Real(4) * k * xxzz;
  d[2] = all - Real(4) * k * xxyy;
  d[3] = k * f[hermitePlace(1, 1, 2)];
  d[4] = k * f[hermitePlace(1, 2, 1)];
  d[5] = k * f[hermitePlace(2, 1, 1)];
}

template <class Equilibrium, bool forced, class T, class Real>
TESSERA_HOST_DEVICE void relaxHermite(T (&f)[27], const StepParameters<Real>& p) {
  toHermite<0>(f, Real(1.0 / 3.0));
  toHermite<1>(f, Real(1.0 / 3.0));
  toHermite<2>(f, Real(1.0 / 3.0));
  const T one = T{} + Real(1);
  const T inverse = one / Equilibrium::inertialDensity(f[0], one);
  T m[3], u[3], correction[6];
  forEach<3>([&](auto a) {
    constexpr int at = hermitePlace(a == 0, a == 1, a == 2);
    m[a] = f[at];
    if constexpr (forced) {
      m[a] += p.halfForce[a];
      f[at] = m[a] + p.halfForce[a];
    }
    u[a] = m[a] * inverse;
  });
  const Real excessOdd = Real(1) / p.omegaOdd - Real(0.5);
  advectionCorrection(f, (Real(1) - Real(12) * p.magic) / (Real(32) * excessOdd), correction);
  forEach<6>([&](auto e) {
    constexpr int a = stressRow[e];
    constexpr int b = stressColumn[e];
    constexpr auto order = [](int axis) { return (axis == a) + (axis == b); };
    constexpr int at = hermitePlace(order(0), order(1), order(2));
    T excess = f[at] - m[a] * u[b] - correction[e];
    if constexpr (forced) {
      const T uF = u[a] * p.halfForce[b] + u[b] * p.halfForce[a];
      excess += uF;
      f[at] += uF + uF;
    }
    f[at] -= p.omegaEven * excess;
  });
  forEach<27>([&](auto n) {
    constexpr int order = n % 3 + n / 3 % 3 + n / 9;
    constexpr int at = hermitePlace(n % 3, n / 3 % 3, n / 9);
    if constexpr (order == 3) f[at] *= Real(1) - p.omegaOdd;
    if constexpr (order > 3) f[at] = T{};
  });
  fromHermite<0>(f, Real(0.5));
  fromHermite<1>(f, Real(0.5));
  fromHermite<2>(f, Real(0.5));
}

}  // namespace tessera::solver::model
