// SPDX-License-Identifier: GPL-3.0-or-later
// Variants without collision, and one whose populations stay in place: "propagation only" and
// "read/write only" of Tomczak & Szafran 2017, section 4.1.
#pragma once

#include "solver/bench/paper_layouts.hpp"
#include "solver/bench/trial.hpp"
#include "solver/model/equilibrium/equilibrium.hpp"
#include "solver/model/precision/precision.hpp"
#include "solver/model/step.hpp"
#include "solver/model/viscosity/viscosity.hpp"

namespace tessera::solver::bench {

// Collision that leaves populations unchanged.
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
  TESSERA_HOST_DEVICE static void collide(T (&)[Lattice::q],
                                          const model::StepParameters<Real, Rate>&) {}
};

// D3Q19 with all velocities zero. No link leaves, so masks matter for solid nodes only.
struct D3Q19InPlace : model::D3Q19 {
  static constexpr std::array<std::array<int, 3>, q> c{};
};

template <class Lattice, class Precision>
using TrialVariant = model::Variant<Lattice, NoCollision, model::QuasiCompressible,
                                    model::ConstantViscosity, Precision, model::AlignedTiling>;

// Interface of trial_cuda.cu, for builds with CUDA.

template <class Lattice, class Precision>
std::unique_ptr<TrialState> makeCudaTrial(const tiles::TileOrder& order);

}  // namespace tessera::solver::bench
