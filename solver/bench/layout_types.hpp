// SPDX-License-Identifier: GPL-3.0-or-later
// Variants for the comparison of layouts, and conversion between XYZ and their order.
#pragma once

#include "solver/bench/layout_trial.hpp"
#include "solver/bench/paper_layouts.hpp"
#include "solver/model/collision/bgk.hpp"
#include "solver/model/equilibrium/equilibrium.hpp"
#include "solver/model/precision/precision.hpp"
#include "solver/model/step.hpp"
#include "solver/model/viscosity/viscosity.hpp"

namespace tessera::solver::bench {

template <class Lattice, class Precision>
using LayoutVariant = model::Variant<Lattice, model::Bgk, model::QuasiCompressible,
                                     model::ConstantViscosity, Precision, model::AlignedTiling>;

// Calls visit(index in XYZ, index in the lattice's layout) for each population of `slots` slots.
template <class Lattice, class Visit>
void forEachIndex(std::uint32_t slots, const Visit& visit) {
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    for (int i = 0; i < Lattice::q; ++i)
      for (int l = 0; l < 64; ++l)
        visit(model::populationIndex<model::D3Q19>(slot, i, l),
              model::populationIndex<Lattice>(slot, i, l));
}

template <class Variant>
std::vector<typename Variant::Storage> laidOut(std::span<const double> xyz, std::uint32_t slots) {
  std::vector<typename Variant::Storage> state(xyz.size());
  forEachIndex<typename Variant::Lattice>(slots, [&](std::uint64_t from, std::uint64_t to) {
    state[to] = typename Variant::Storage(xyz[from]);
  });
  return state;
}

template <class Variant>
std::vector<double> inXyz(const std::vector<typename Variant::Storage>& state,
                          std::uint32_t slots) {
  std::vector<double> xyz(state.size());
  forEachIndex<typename Variant::Lattice>(slots, [&](std::uint64_t to, std::uint64_t from) {
    xyz[to] = static_cast<double>(state[from]);
  });
  return xyz;
}

// Interface of layout_cuda.cu, for builds with CUDA.

LayoutResult runXyzF64OnCuda(const tiles::TileOrder& order, const LayoutRequest& request);
LayoutResult runXyzF32OnCuda(const tiles::TileOrder& order, const LayoutRequest& request);
LayoutResult runPaperF64OnCuda(const tiles::TileOrder& order, const LayoutRequest& request);
LayoutResult runPaperF32OnCuda(const tiles::TileOrder& order, const LayoutRequest& request);

}  // namespace tessera::solver::bench
