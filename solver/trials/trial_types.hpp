// SPDX-License-Identifier: GPL-3.0-or-later
// The variants whose step leaves the collision out, and one whose populations stay where they are:
// "propagation only" and "read/write only" of Tomczak & Szafran 2017, section 4.1.
#pragma once

#include "solver/equilibrium/equilibrium.hpp"
#include "solver/layouts/paper_layouts.hpp"
#include "solver/precision/precision.hpp"
#include "solver/step.hpp"
#include "solver/viscosity/viscosity.hpp"

namespace tessera {

// Populations go back as they came.
struct NoCollision {
  template <LatticeModel, EquilibriumModel>
  static constexpr int flops() {
    return 0;
  }
  template <LatticeModel>
  static constexpr LaunchWeight launchWeight() {
    return LaunchWeight::Light;
  }
  static double omegaOdd(double tau, double) { return 1.0 / tau; }
  template <class Lattice, class Equilibrium, bool forced, class T, class Real, class Rate>
  TESSERA_ANY static void collide(T (&)[Lattice::q], const StepParameters<Real, Rate>&) {}
};

// As many populations as D3Q19, none of which goes anywhere. No link leaves, so of a mask only
// "solid" counts.
struct D3Q19InPlace : D3Q19 {
  static constexpr std::array<std::array<int, 3>, q> c{};
};

template <class Lattice, class Precision>
using TrialVariant =
    Variant<Lattice, NoCollision, QuasiCompressible, ConstantViscosity, Precision, OneMesh>;

}  // namespace tessera
