// SPDX-License-Identifier: GPL-3.0-or-later
// Cumulant collision on D3Q27 (Geier, Schoenherr, Pasquali & Krafczyk 2015), every rate 1 but that
// of the shear stress. All cumulants of third and higher order then vanish in the collision: what
// leaves it has the central moments of a Gaussian, whose covariance is the incoming one with its
// deviatoric part times 1 - omega, its trace that of rest, and the paper's terms of velocity
// gradients (eqs. 58-65), which keep the viscosity from depending on the velocity. The populations
// follow from these moments axis by axis.
// Everything is a deviation from rest (the paper's appendix), so nothing is lost to the 1/3, 1/9
// and 1/27 of rest. The force acts on the cumulants of first order, one half of it before and one
// half after the collision; those of higher order do not know of the mean. So the covariance is
// taken about (m - F/2) / rho, the Gaussian put about (m + F/2) / rho: exact for a uniform force.
#pragma once

#include <type_traits>

#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/equilibrium/equilibrium.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::model {

// Three values along each axis, at 0, 1, -1, or moments of order 0, 1, 2: where they are kept, the
// place of the direction (x, y, z).
constexpr int cumulantPlace(int a, int b, int c) {
  const auto component = [](int order) { return order == 2 ? -1 : order; };
  return directionIndex<D3Q27>(component(a), component(b), component(c));
}

struct Cumulant {
  static constexpr CollisionId id = CollisionId::Cumulant;
  template <LatticeModel Lattice, EquilibriumModel Equilibrium>
  static constexpr int flops() requires(Lattice::q == 27 &&
                                        std::is_same_v<Equilibrium, QuasiCompressible>) {
    return 588 + Equilibrium::flops;
  }
  template <LatticeModel>
  static constexpr LaunchWeight launchWeight() {
    return LaunchWeight::Heavy;
  }
  static double omegaOdd(double tau, double) { return 1.0 / tau; }
  template <class T, class Real>
  TESSERA_HOST_DEVICE static T oddRate(const T& excess, Real) {  // not used by the collision
    return Real(1) / (Real(0.5) + excess);
  }

  // Moments of rest along one axis, and its populations.
  static constexpr double restMoment(int order) {
    return order == 0 ? 1.0 : order == 1 ? 0.0 : 1.0 / 3.0;
  }
  static constexpr double restWeight(int place) { return place == 0 ? 2.0 / 3.0 : 1.0 / 6.0; }

  // Density times covariance about m / rho, less rho / 3: xx yy zz xy xz yz.
  template <class T, class Real>
  TESSERA_HOST_DEVICE static void covariance(const T (&f)[27], const T& r, const T (&m)[3],
                                             const T& inverse, Real third, T (&s)[6]) {
    forEach<6>([&](auto e) {
      constexpr int a = stressRow[e];
      constexpr int b = stressColumn[e];
      s[e] = secondMoment<D3Q27, a, b>(f);
      s[e] -= m[a] * m[b] * inverse;
      if constexpr (a == b) s[e] -= third * r;
    });
  }

  // The covariance after the collision (eqs. 58-65); u: velocity with half of the force.
  template <class T, class Real, class Rate>
  TESSERA_HOST_DEVICE static void relax(T (&s)[6], const T& rho, const T& inverse, const T (&u)[3],
                                        const StepParameters<Real, Rate>& p) {
    const T trace = s[0] + s[1] + s[2];
    // du/dx, dv/dy, dw/dz, then times velocities squared and density.
    const T shear = Real(1.5) * p.omegaEven * inverse;
    const T first = Real(1.0 / 3.0) * shear * trace - shear * s[0] - Real(0.5) * inverse * trace;
    const T x = rho * u[0] * u[0] * first;
    const T y = rho * u[1] * u[1] * (first + shear * (s[0] - s[1]));
    const T z = rho * u[2] * u[2] * (first + shear * (s[0] - s[2]));
    const auto rest = Real(1) - p.omegaEven;
    const auto mend = Real(3) - Real(1.5) * p.omegaEven;
    const T xy = rest * (s[0] - s[1]) - mend * (x - y);
    const T xz = rest * (s[0] - s[2]) - mend * (x - z);
    s[0] = Real(1.0 / 3.0) * (xy + xz - Real(1.5) * (x + y + z));
    s[1] = s[0] - xy;
    s[2] = s[0] - xz;
    forEach<3>([&](auto e) { s[3 + e] *= rest; });
  }

  // Central moments of the Gaussian of even order, less those of rest, to their places in f.
  template <class T, class Real>
  TESSERA_HOST_DEVICE static void gaussian(const T& r, const T& inverse, Real third,
                                           const T (&s)[6], T (&f)[27]) {
    const auto at = [&f](auto a, auto b, auto c) -> T& {
      return f[cumulantPlace(decltype(a)::value, decltype(b)::value, decltype(c)::value)];
    };
    constexpr std::integral_constant<int, 0> o{};
    constexpr std::integral_constant<int, 1> i{};
    constexpr std::integral_constant<int, 2> j{};
    const T ninth = Real(1.0 / 9.0) * r;
    const T xx = s[0] * inverse;
    const T yy = s[1] * inverse;
    const T xy = s[3] * inverse;
    const T xz = s[4] * inverse;
    const T yz = s[5] * inverse;
    at(o, o, o) = r;
    at(j, o, o) = s[0] + third * r;
    at(o, j, o) = s[1] + third * r;
    at(o, o, j) = s[2] + third * r;
    at(i, i, o) = s[3];
    at(i, o, i) = s[4];
    at(o, i, i) = s[5];
    at(j, j, o) = ninth + third * (s[0] + s[1]) + xx * s[1] + Real(2) * xy * s[3];
    at(j, o, j) = ninth + third * (s[0] + s[2]) + xx * s[2] + Real(2) * xz * s[4];
    const T of022 = third * (s[1] + s[2]) + yy * s[2] + Real(2) * yz * s[5];
    at(o, j, j) = ninth + of022;
    at(j, i, i) = third * s[5] + xx * s[5] + Real(2) * xy * s[4];
    const T of121 = third * s[4] + yy * s[4] + Real(2) * xy * s[5];
    const T of112 = third * s[3] + s[2] * xy + Real(2) * xz * s[5];
    at(i, j, i) = of121;
    at(i, i, j) = of112;
    at(j, j, j) = third * (ninth + of022) + Real(1.0 / 9.0) * s[0] + xx * of022 +
                  Real(2) * (xy * of112 + xz * of121);
  }

  // From central moments to populations along one axis, for each pair of what is along the others:
  // moments, if that axis comes later, or populations.
  template <int axis, class T, class Real>
  TESSERA_HOST_DEVICE static void spread(const T& u, T (&f)[27], Real) {
    const T twice = u + u;
    const T square = u * u;
    forEach<9>([&](auto line) {
      constexpr int first = line % 3;
      constexpr int second = line / 3;
      constexpr int x = axis == 0 ? 0 : first;
      constexpr int y = axis == 0 ? first : axis == 1 ? 0 : second;
      constexpr int z = axis == 2 ? 0 : second;
      constexpr int at0 = cumulantPlace(x, y, z);
      constexpr int at1 = cumulantPlace(axis == 0 ? 1 : x, axis == 1 ? 1 : y, axis == 2 ? 1 : z);
      constexpr int at2 = cumulantPlace(axis == 0 ? 2 : x, axis == 1 ? 2 : y, axis == 2 ? 2 : z);
      constexpr double base = (axis > 0 ? restWeight(x) : 1.0) *
                              (axis > 1    ? restWeight(y)
                               : axis == 0 ? restMoment(y)
                                           : 1.0) *
                              (axis < 2 ? restMoment(z) : 1.0);
      // The Gaussian's central moments of odd order vanish; only the first axis meets them as such.
      constexpr bool even = axis > 0 || (y + z) % 2 == 0;
      constexpr bool odd = axis > 0 || !even;
      T one, two;
      if constexpr (even) {
        const T whole = base == 0.0 ? f[at0] : f[at0] + Real(base);
        one = u * whole;
        two = f[at2] + square * whole;
        if constexpr (odd) {
          one += f[at1];
          two += twice * f[at1];
        }
        f[at0] -= two;
      } else {
        one = f[at1];
        two = twice * f[at1];
        f[at0] = -two;
      }
      f[at1] = Real(0.5) * (two + one);
      f[at2] = Real(0.5) * (two - one);
    });
  }

  template <class Lattice, class Equilibrium, bool forced, class T, class Real, class Rate>
  TESSERA_HOST_DEVICE static void collide(T (&f)[Lattice::q], const StepParameters<Real, Rate>& p) {
    static_assert(Lattice::q == 27, "the cumulant collision is made for D3Q27");
    static_assert(std::is_same_v<Equilibrium, QuasiCompressible>,
                  "cumulants are those of a density that varies");
    constexpr Real third = Real(1.0 / 3.0);
    const Macroscopic<T> n = macroscopic<Lattice, Equilibrium, forced>(f, p.halfForce);
    const T one = n.r - n.r + Real(1);
    const T rho = one + n.r;
    const T inverse = one / rho;
    T before[3], mean[3];
    forEach<3>([&](auto a) {
      before[a] = n.m[a];
      mean[a] = n.u[a];
      if constexpr (forced) {
        before[a] -= p.halfForce[a];
        mean[a] += p.halfForce[a] * inverse;
      }
    });
    T s[6];
    covariance(f, n.r, before, inverse, third, s);
    relax(s, rho, inverse, n.u, p);
    gaussian(n.r, inverse, third, s, f);
    spread<0>(mean[0], f, third);
    spread<1>(mean[1], f, third);
    spread<2>(mean[2], f, third);
  }
};

}  // namespace tessera::solver::model
