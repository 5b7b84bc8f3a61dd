// SPDX-License-Identifier: GPL-3.0-or-later
// Many relaxation times in the orthogonal moments of Lallemand & Luo 2000 (D2Q9) and d'Humieres,
// Ginzburg, Krafczyk, Lallemand & Luo 2002 (D3Q19), towards the moments of the same equilibrium as
// LBGK. Stresses relax with 1 / tau; energy, its square and the fourth-order stresses with the
// rates of those papers; the odd moments with the rate of the magic parameter, so that halfway
// bounce-back puts walls where TRT puts them, whatever the viscosity. Forcing after Guo, Zheng &
// Shi 2002, each moment with its own rate. On D3Q27: hermite_moments.hpp.
#pragma once

#include "solver/model/collision/hermite_moments.hpp"
#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/device_arithmetic.hpp"
#include "solver/model/lattice/d2q9.hpp"
#include "solver/model/lattice/d3q19.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::model {

// Which rate a moment relaxes with.
enum class MomentRate { Energy, EnergySquared, Stress, FourthStress, Odd };

struct MomentRow {
  MomentRate rate;
  int value;  // of the moment's polynomial for one direction
};

// The moments that collisions change, as polynomials of a direction's components.
template <class Lattice>
struct MomentBasis;

template <>
struct MomentBasis<D2Q9> {
  static constexpr double energyRate = 1.64;
  static constexpr double energySquaredRate = 1.54;
  static constexpr double fourthStressRate = 1.0;  // there is none
  static constexpr int evenRows = 4;
  static constexpr int oddRows = 2;
  static constexpr MomentRow even(int row, const std::array<int, 3>& c) {
    const int cc = c[0] * c[0] + c[1] * c[1];
    switch (row) {
      case 0:
        return {MomentRate::Energy, 3 * cc - 4};
      case 1:
        return {MomentRate::EnergySquared, (9 * cc * cc - 21 * cc + 8) / 2};
      case 2:
        return {MomentRate::Stress, c[0] * c[0] - c[1] * c[1]};
      default:
        return {MomentRate::Stress, c[0] * c[1]};
    }
  }
  static constexpr MomentRow odd(int row, const std::array<int, 3>& c) {
    const int cc = c[0] * c[0] + c[1] * c[1];
    return {MomentRate::Odd, (3 * cc - 5) * c[static_cast<std::size_t>(row)]};
  }
};

template <>
struct MomentBasis<D3Q19> {
  static constexpr double energyRate = 1.19;
  static constexpr double energySquaredRate = 1.4;
  static constexpr double fourthStressRate = 1.4;
  static constexpr int evenRows = 9;
  static constexpr int oddRows = 6;
  static constexpr MomentRow even(int row, const std::array<int, 3>& c) {
    const int xx = c[0] * c[0];
    const int yy = c[1] * c[1];
    const int zz = c[2] * c[2];
    const int cc = xx + yy + zz;
    switch (row) {
      case 0:
        return {MomentRate::Energy, 19 * cc - 30};
      case 1:
        return {MomentRate::EnergySquared, (21 * cc * cc - 53 * cc + 24) / 2};
      case 2:
        return {MomentRate::Stress, 3 * xx - cc};
      case 3:
        return {MomentRate::FourthStress, (3 * cc - 5) * (3 * xx - cc)};
      case 4:
        return {MomentRate::Stress, yy - zz};
      case 5:
        return {MomentRate::FourthStress, (3 * cc - 5) * (yy - zz)};
      case 6:
        return {MomentRate::Stress, c[0] * c[1]};
      case 7:
        return {MomentRate::Stress, c[1] * c[2]};
      default:
        return {MomentRate::Stress, c[0] * c[2]};
    }
  }
  static constexpr MomentRow odd(int row, const std::array<int, 3>& c) {
    const auto a = static_cast<std::size_t>(row % 3);
    if (row < 3) {
      const int cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
      return {MomentRate::Odd, (5 * cc - 9) * c[a]};
    }
    const int next = c[(a + 1) % 3];
    const int last = c[(a + 2) % 3];
    return {MomentRate::Odd, (next * next - last * last) * c[a]};
  }
};

template <class Lattice>
constexpr int momentValue(bool odd, int row, int i) {
  const auto& c = Lattice::c[static_cast<std::size_t>(i)];
  return odd ? MomentBasis<Lattice>::odd(row, c).value : MomentBasis<Lattice>::even(row, c).value;
}

// Sum of the squares of a row.
template <class Lattice>
constexpr int momentNorm(bool odd, int row) {
  int sum = 0;
  for (int i = 0; i < Lattice::q; ++i) {
    const int value = momentValue<Lattice>(odd, row, i);
    sum += value * value;
  }
  return sum;
}

// sum += factor * x for a factor known at compile time.
template <int factor, class Real, class T>
TESSERA_HOST_DEVICE void addMultiple(T& sum, const T& x) {
  if constexpr (factor == 1)
    sum += x;
  else if constexpr (factor == -1)
    sum -= x;
  else if constexpr (factor != 0)
    sum += Real(factor) * x;
}

struct Mrt {
  static constexpr CollisionId id = CollisionId::Mrt;
  template <LatticeModel Lattice, EquilibriumModel Equilibrium>
  static constexpr int flops() {
    return (Lattice::q == 9    ? 193
            : Lattice::q == 19 ? 561
                               : relaxHermiteFlops) +
           Equilibrium::flops;
  }
  // On D3Q19 the pairs' sums and differences and the moment's change are live with the populations.
  template <LatticeModel Lattice>
  static constexpr LaunchWeight launchWeight() {
    return Lattice::q == 19 ? LaunchWeight::Heavy : LaunchWeight::Light;
  }
  static double omegaOdd(double tau, double magic) { return 1.0 / (0.5 + magic / (tau - 0.5)); }

  template <class Lattice, class Real, int row, bool odd>
  TESSERA_HOST_DEVICE static Real rate(const StepParameters<Real>& p) {
    using Basis = MomentBasis<Lattice>;
    constexpr MomentRate kind =
        odd ? Basis::odd(row, Lattice::c[1]).rate : Basis::even(row, Lattice::c[1]).rate;
    if constexpr (kind == MomentRate::Energy) return Real(Basis::energyRate);
    if constexpr (kind == MomentRate::EnergySquared) return Real(Basis::energySquaredRate);
    if constexpr (kind == MomentRate::FourthStress) return Real(Basis::fourthStressRate);
    if constexpr (kind == MomentRate::Odd) return p.omegaOdd;
    return p.omegaEven;
  }

  // The polynomial's values for the pairs of a group differ in their sign alone.
  template <class Lattice, class Real, int row, bool odd, int first, int count, class T>
  TESSERA_HOST_DEVICE static void addGroup(const T (&ofPair)[(Lattice::q - 1) / 2], T& sum) {
    constexpr int value = momentValue<Lattice>(odd, row, 2 * first + 1);
    if constexpr (value != 0)
      addMultiple<value, Real>(
          sum, sumTwoByTwo<first, count>([&](auto k) {
            return withSign<momentValue<Lattice>(odd, row, 2 * k + 1) / value>(ofPair[k]);
          }));
  }

  // Moment `row` of values given for rest and for half sums (even) or half differences (odd) of the
  // pairs.
  template <class Lattice, class Real, int row, bool odd, class T>
  TESSERA_HOST_DEVICE static T moment(const T& atRest, const T (&ofPair)[(Lattice::q - 1) / 2]) {
    T sum = atRest - atRest;
    forPairGroups<Lattice>([&](auto first, auto count) {
      addGroup<Lattice, Real, row, odd, first, count>(ofPair, sum);
    });
    sum += sum;
    if constexpr (!odd) addMultiple<momentValue<Lattice>(false, row, 0), Real>(sum, atRest);
    return sum;
  }

  template <class Lattice, class Equilibrium, bool forced, class T, class Real>
  TESSERA_HOST_DEVICE static void collide(T (&f)[Lattice::q], const StepParameters<Real>& p) {
    if constexpr (Lattice::q == 27)
      relaxHermite<Equilibrium, forced>(f, p);
    else
      relaxOrthogonal<Lattice, Equilibrium, forced>(f, p);
  }

  // Which products are fused into sums is written out, so that a device's compiler does the same
  // for a direction and its mirror image.
  template <class Lattice, class Equilibrium, bool forced, class T, class Real>
  TESSERA_HOST_DEVICE static void relaxOrthogonal(T (&f)[Lattice::q],
                                                  const StepParameters<Real>& p) {
    constexpr int pairs = (Lattice::q - 1) / 2;
    using Basis = MomentBasis<Lattice>;
    const Macroscopic<T> n = macroscopic<Lattice, Equilibrium, forced>(f, p.halfForce);
    const T base = n.r - Real(1.5) * (n.m[0] * n.u[0] + n.m[1] * n.u[1] + n.m[2] * n.u[2]);
    const T zero = n.r - n.r;
    const T force[3] = {zero + p.halfForce[0], zero + p.halfForce[1], zero + p.halfForce[2]};
    const T uF = n.u[0] * force[0] + n.u[1] * force[1] + n.u[2] * force[2];
    constexpr double w0 = weight<Lattice>(0);
    // Non-equilibrium part, and half of the source term of the force (Guo, Zheng & Shi 2002).
    T even0 = f[0] - Real(w0) * base;
    T source0 = Real(-3 * w0) * uF;
    T even[pairs], odd[pairs], evenSource[pairs], oddSource[pairs];
    forEach<pairs>([&](auto k) {
      constexpr int i = 2 * k + 1;
      constexpr double w = weight<Lattice>(i);
      const T cm = along<Lattice, i>(n.m);
      const T cu = along<Lattice, i>(n.u);
      even[k] =
          multiplyAdd(Real(-w), T(base + Real(4.5) * cm * cu), T(Real(0.5) * (f[i] + f[i + 1])));
      odd[k] = multiplyAdd(Real(-3 * w), cm, T(Real(0.5) * (f[i] - f[i + 1])));
      if constexpr (forced) {
        const T cF = along<Lattice, i>(force);
        evenSource[k] = multiplyRounded(Real(w), multiplyAdd(Real(-3), uF, T(Real(9) * cu * cF)));
        oddSource[k] = multiplyRounded(Real(3 * w), cF);
      }
    });
    forEach<Basis::evenRows>([&](auto row) {
      const Real s = rate<Lattice, Real, row, false>(p);
      T change = -s * moment<Lattice, Real, row, false>(even0, even);
      if constexpr (forced)
        change += (Real(2) - s) * moment<Lattice, Real, row, false>(source0, evenSource);
      change = multiplyRounded(Real(1.0 / momentNorm<Lattice>(false, row)), change);
      addMultiple<momentValue<Lattice>(false, row, 0), Real>(f[0], change);
      forEach<pairs>([&](auto k) {
        constexpr int value = momentValue<Lattice>(false, row, 2 * k + 1);
        addMultiple<value, Real>(f[2 * k + 1], change);
        addMultiple<value, Real>(f[2 * k + 2], change);
      });
    });
    forEach<Basis::oddRows>([&](auto row) {
      const Real s = rate<Lattice, Real, row, true>(p);
      T change = -s * moment<Lattice, Real, row, true>(zero, odd);
      if constexpr (forced)
        change += (Real(2) - s) * moment<Lattice, Real, row, true>(zero, oddSource);
      change = multiplyRounded(Real(1.0 / momentNorm<Lattice>(true, row)), change);
      forEach<pairs>([&](auto k) {
        constexpr int value = momentValue<Lattice>(true, row, 2 * k + 1);
        addMultiple<value, Real>(f[2 * k + 1], change);
        addMultiple<-value, Real>(f[2 * k + 2], change);
      });
    });
    if constexpr (forced) addMomentum<Lattice, Real>(f, force);
  }

  // Momentum changes by exactly the force, twice half of it, whatever the rates.
  template <class Lattice, class Real, class T>
  TESSERA_HOST_DEVICE static void addMomentum(T (&f)[Lattice::q], const T (&halfForce)[3]) {
    constexpr int norm = Lattice::dimensions == 2 ? 6 : 10;  // sum of c_x^2
    forEach<(Lattice::q - 1) / 2>([&](auto k) {
      constexpr int i = 2 * k + 1;
      const T change = multiplyRounded(Real(2.0 / norm), along<Lattice, i>(halfForce));
      f[i] += change;
      f[i + 1] -= change;
    });
  }
};

}  // namespace tessera::solver::model
