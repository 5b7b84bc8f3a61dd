// SPDX-License-Identifier: GPL-3.0-or-later
// Regularised LBGK (Latt & Chopard 2006): only the stress of the non-equilibrium part is kept,
//   f_i = f_i^eq + 4.5 w_i (c_i c_i - 1/3) : ((1 - omega) Pi_neq + (u F + F u) / 2) + 1.5 w_i c_i .
//   F
// with Pi_neq the second moments out of equilibrium, the force's share (u F + F u) / 2 put back
// (Guo, Zheng & Shi 2002). Density, momentum and stress determine it.
#pragma once

#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::model {

struct Regularised {
  static constexpr CollisionId id = CollisionId::Regularised;
  template <LatticeModel Lattice, EquilibriumModel Equilibrium>
  static constexpr int flops() requires(Lattice::q == 19) {
    return 222 + Equilibrium::flops;
  }
  template <LatticeModel>
  static constexpr LaunchWeight launchWeight() {
    return LaunchWeight::Light;
  }
  static double omegaOdd(double tau, double) { return 1.0 / tau; }

  template <class Lattice, class Equilibrium, bool forced, class T, class Real>
  TESSERA_HOST_DEVICE static void collide(T (&f)[Lattice::q], const StepParameters<Real>& p) {
    const Macroscopic<T> n = macroscopic<Lattice, Equilibrium, forced>(f, p.halfForce);
    T pi[6];
    secondMomentsOutOfEquilibrium<Lattice>(f, n, pi);
    forEach<6>([&](auto e) {
      constexpr int a = stressRow[e];
      constexpr int b = stressColumn[e];
      if constexpr (isStressOf<Lattice>(e)) {
        const Real rest = Real(1) - p.omegaEven;
        if constexpr (forced) {
          const T uF = n.u[a] * p.halfForce[b] + n.u[b] * p.halfForce[a];
          pi[e] = rest * (pi[e] + uF) + uF;
        } else {
          pi[e] = rest * pi[e];
        }
      }
    });
    const T base = n.r - Real(1.5) * (n.m[0] * n.u[0] + n.m[1] * n.u[1] + n.m[2] * n.u[2]) -
                   Real(1.5) * (pi[0] + pi[1] + pi[2]);
    constexpr double w0 = weight<Lattice>(0);
    f[0] = Real(w0) * base;
    forEach<(Lattice::q - 1) / 2>([&](auto k) {
      constexpr int i = 2 * k + 1;
      constexpr double w = weight<Lattice>(i);
      const T cm = along<Lattice, i>(n.m);
      const T cu = along<Lattice, i>(n.u);
      const T even = Real(w) * (base + Real(4.5) * (cm * cu + twiceAlong<Lattice, i>(pi)));
      T odd = Real(3 * w) * cm;
      if constexpr (forced) {
        const T zero = cm - cm;
        const T force[3] = {zero + p.halfForce[0], zero + p.halfForce[1], zero + p.halfForce[2]};
        odd += Real(3 * w) * along<Lattice, i>(force);
      }
      f[i] = even + odd;
      f[i + 1] = even - odd;
    });
  }
};

}  // namespace tessera::solver::model
