// SPDX-License-Identifier: GPL-3.0-or-later
// The variants whose step leaves the collision out, and one whose populations stay where they are:
// "propagation only" and "read/write only" of Tomczak & Szafran 2017, section 4.1.
#pragma once

#include "solver/bench/paper_layouts.hpp"
#include "solver/model/equilibrium/equilibrium.hpp"
#include "solver/model/precision/precision.hpp"
#include "solver/model/step.hpp"
#include "solver/model/viscosity/viscosity.hpp"

namespace tessera::solver::bench {

// Populations go back as they came.
struct NoCollision {
  template <model::LatticeModel, model::EquilibriumModel>
  static constexpr int flops() {
    return 0;
  }
  template <model::LatticeModel>
  static constexpr model::LaunchWeight launchWeight() {
    return model::LaunchWeight::Light;
  }
  static double omegaOdd(double tau, double) { return 1.0 / tau; }
  template <class Lattice, class Equilibrium, bool forced, class T, class Real, class Rate>
  TESSERA_ANY static void collide(T (&)[Lattice::q], const model::StepParameters<Real, Rate>&) {}
};

// As many populations as D3Q19, none of which goes anywhere. No link leaves, so of a mask only
// "solid" counts.
struct D3Q19InPlace : model::D3Q19 {
  static constexpr std::array<std::array<int, 3>, q> c{};
};

template <class Lattice, class Precision>
using TrialVariant = model::Variant<Lattice, NoCollision, model::QuasiCompressible,
                                    model::ConstantViscosity, Precision, model::OneMesh>;

}  // namespace tessera::solver::bench
