// SPDX-License-Identifier: GPL-3.0-or-later
// Step of a node, or of as many nodes as a vector holds: gather, boundary, collide, scatter.
// Nodes knows where populations lie: gather<i>() pulls f_i from the neighbour behind direction i,
// or, where that link ends on a wall, the node's own opposite population (halfway bounce-back);
// boundary populations of openings and periodic faces lie in the neighbour's place by then.
// Populations are in units of storage, multiplied by Precision::scale: the density at rest is then
// that scale, and forces are given in it. Collisions linear in f and F need not know the scale;
// cumulants do. Traffic per node: q reads, q writes of the storage type; flops: those
// that the collision declares.
#pragma once

#include "solver/model/collision/relax_pairs.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/tiling.hpp"
#include "solver/model/viscosity/viscosity.hpp"

namespace tessera::solver::model {

template <LatticeModel L, class C, EquilibriumModel E, class V, PrecisionModel P, TilingModel M>
requires CollisionModel<C, L, E>
struct Variant {
  using Lattice = L;
  using Collision = C;
  using Equilibrium = E;
  using Viscosity = V;
  using Precision = P;
  using Tiling = M;
  using Storage = typename P::Storage;
  using Real = typename P::Arithmetic;
  static constexpr int q = L::q;
};

// For the launch configuration of kernels.
template <VariantModel Variant>
constexpr bool isHeavy =
    Variant::Collision::template launchWeight<typename Variant::Lattice>() == LaunchWeight::Heavy;

// The equilibrium of populations multiplied by a factor.
template <EquilibriumModel Equilibrium, int factor>
struct ScaledEquilibrium {
  template <class T>
  TESSERA_HOST_DEVICE static T inertialDensity(const T& r, const T& one) {
    return Equilibrium::inertialDensity(r, one * factor);
  }
};

template <VariantModel Variant>
using StoredEquilibrium =
    std::conditional_t<Variant::Precision::scale == 1, typename Variant::Equilibrium,
                       ScaledEquilibrium<typename Variant::Equilibrium, Variant::Precision::scale>>;

// For step and observe.
template <VariantModel Variant>
StepParameters<typename Variant::Real> inUnitsOfStorage(
    StepParameters<typename Variant::Real> parameters) {
  for (auto& component : parameters.halfForce) component *= Variant::Precision::scale;
  return parameters;
}

template <VariantModel Variant, bool forced, StepNodes<typename Variant::Lattice> Nodes>
TESSERA_HOST_DEVICE void step(const Nodes& nodes,
                              const StepParameters<typename Variant::Real>& parameters) {
  using Lattice = typename Variant::Lattice;
  typename Nodes::Value f[Lattice::q];
  if constexpr (GatherAllNodes<Nodes, Lattice>)
    nodes.gatherAll(f);
  else
    forEach<Lattice::q>([&](auto i) { f[i] = nodes.template gather<i>(); });
  const auto& rates = Variant::Viscosity::template at<Variant, forced>(f, parameters);
  Variant::Collision::template collide<Lattice, StoredEquilibrium<Variant>, forced>(f, rates);
  forEach<Lattice::q>([&](auto i) { nodes.template scatter<i>(f[i]); });
}

// The ten values of a field: r = rho - 1, u[3], deviatoric stress[6], before the collision of the
// step that would follow. put<e>(value) takes them.
template <VariantModel Variant, bool forced, GatherNodes Nodes, class Put>
TESSERA_HOST_DEVICE void observe(const Nodes& nodes,
                                 const StepParameters<typename Variant::Real>& parameters,
                                 Put&& put) {
  using Lattice = typename Variant::Lattice;
  using T = typename Nodes::Value;
  T f[Lattice::q];
  forEach<Lattice::q>([&](auto i) { f[i] = nodes.template gather<i>(); });
  const Macroscopic<T> n =
      macroscopic<Lattice, StoredEquilibrium<Variant>, forced>(f, parameters.halfForce);
  T stress[6];
  const auto& rates = Variant::Viscosity::template at<Variant, forced>(f, parameters);
  deviatoricStress<Lattice, forced>(f, n, parameters.halfForce, rates.omegaEven, stress);
  constexpr auto unit = typename Variant::Real(1) / Variant::Precision::scale;
  put(std::integral_constant<int, 0>{}, n.r * unit);
  forEach<3>([&](auto a) { put(std::integral_constant<int, 1 + a>{}, n.u[a]); });
  forEach<6>([&](auto e) { put(std::integral_constant<int, 4 + e>{}, stress[e] * unit); });
}

}  // namespace tessera::solver::model
