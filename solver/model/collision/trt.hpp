// SPDX-License-Identifier: GPL-3.0-or-later
// Two relaxation times (Ginzburg, Verhaeghe & d'Humieres 2008): the magic parameter
// (tau - 1/2) (tauOdd - 1/2) fixes where halfway bounce-back puts the wall; 3/16 is midway.
#pragma once

#include "solver/model/collision/relax_pairs.hpp"

namespace tessera::solver::model {

struct Trt {
  static constexpr CollisionId id = CollisionId::Trt;
  template <LatticeModel Lattice, EquilibriumModel Equilibrium>
  static constexpr int flops() {
    return relaxPairsFlops<Lattice, Equilibrium>();
  }
  template <LatticeModel>
  static constexpr LaunchWeight launchWeight() {
    return LaunchWeight::Light;
  }
  static double omegaOdd(double tau, double magic) { return 1.0 / (0.5 + magic / (tau - 0.5)); }
  template <class T, class Real>
  TESSERA_HOST_DEVICE static T oddRate(const T& excess, Real magic) {  // excess: tau - 1/2
    return Real(1) / (Real(0.5) + magic / excess);
  }
  template <class Lattice, class Equilibrium, bool forced, class T, class Real, class Rate>
  TESSERA_HOST_DEVICE static void collide(T (&f)[Lattice::q], const StepParameters<Real, Rate>& p) {
    relaxPairs<Lattice, Equilibrium, forced>(f, p);
  }
};

}  // namespace tessera::solver::model
