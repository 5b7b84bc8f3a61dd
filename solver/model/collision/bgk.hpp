// SPDX-License-Identifier: GPL-3.0-or-later
// LBGK: one relaxation time (Qian, d'Humieres & Lallemand 1992).
#pragma once

#include "solver/model/collision/relax_pairs.hpp"

namespace tessera::solver::model {

struct Bgk {
  static constexpr CollisionId id = CollisionId::Bgk;
  template <LatticeModel Lattice, EquilibriumModel Equilibrium>
  static constexpr int flops() {
    return relaxPairsFlops<Lattice, Equilibrium>();
  }
  template <LatticeModel>
  static constexpr LaunchWeight launchWeight() {
    return LaunchWeight::Light;
  }
  static double omegaOdd(double tau, double) { return 1.0 / tau; }
  template <class Lattice, class Equilibrium, bool forced, class T, class Real, class Rate>
  TESSERA_HOST_DEVICE static void collide(T (&f)[Lattice::q], const StepParameters<Real, Rate>& p) {
    relaxPairs<Lattice, Equilibrium, forced>(f, p);
  }
};

}  // namespace tessera::solver::model
