// SPDX-License-Identifier: GPL-3.0-or-later
// Requirements on the types that make up a step, one concept per axis of solver/variants.def. A new
// collision, equilibrium, precision ... is a type that models its concept; a combination that does
// not fit is refused where it is named, with the requirement that fails. T is the type that a step
// computes with, a number or a vector of numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "solver/model/step_parameters.hpp"

namespace tessera::solver::model {

// Velocity set D{dimensions}Q{q}: direction 0 at rest, 2k - 1 and 2k opposite to each other,
// weights by the number of axes that a direction moves along.
template <class L>
concept LatticeModel = requires {
  requires L::dimensions == 2 || L::dimensions == 3;
  requires L::q % 2 == 1;
  { L::c[0][0] } -> std::convertible_to<int>;
  requires L::c.size() == std::size_t{L::q} && L::c[0].size() == 3;
  requires L::weightByLength.size() == 4;
};

// Density that multiplies the velocity terms of the equilibrium, from r = rho - 1 and a one in the
// units of the populations. flops: operations of inertialDensity().
template <class E>
concept EquilibriumModel = requires(const double& number) {
  { E::inertialDensity(number, number) } -> std::same_as<double>;
  { E::flops } -> std::convertible_to<int>;
};

// Registers that a collision needs beyond its populations. Heavy: more values of a node live at
// once than populations, so that a kernel runs with fewer blocks, or on one node per thread.
enum class LaunchWeight { Light, Heavy };

// Relaxes the deviations f of one node from rest. omegaOdd(tau, magic): rate of the odd moments.
// flops<L, E>(): additions, subtractions, multiplications and divisions per node without force, as
// the source has them (counted by tests/solver/model/test_flops.cpp); declared for the lattices and
// equilibria that the collision is made for, and for no other.
template <class C, class L, class E>
concept CollisionModel = LatticeModel<L> && EquilibriumModel<E> &&
    requires(double (&f)[L::q], const StepParameters<double>& p, double tau, double magic) {
  { C::omegaOdd(tau, magic) } -> std::same_as<double>;
  { C::template flops<L, E>() } -> std::same_as<int>;
  { C::template launchWeight<L>() } -> std::same_as<LaunchWeight>;
  C::template collide<L, E, false>(f, p);
  C::template collide<L, E, true>(f, p);
};

// A collision whose rates may differ from node to node: oddRate(tau - 1/2, magic) is omegaOdd
// there.
template <class C>
concept LocalCollisionModel = requires(double excess, double magic) {
  { C::oddRate(excess, magic) } -> std::same_as<double>;
};

// Storage type and arithmetic type of populations; a step works on `scale` times the deviations.
template <class P>
concept PrecisionModel = std::floating_point<typename P::Arithmetic> &&
    requires(typename P::Storage stored, typename P::Arithmetic value) {
  { P::widen(stored) } -> std::same_as<typename P::Arithmetic>;
  { P::narrow(value) } -> std::same_as<typename P::Storage>;
  requires P::scale >= 1 && (P::scale & (P::scale - 1)) == 0;
};

// Arrangement of tiles: all aligned, or layers and rows shifted against each other.
template <class M>
concept TilingModel = requires {
  { M::isShifted } -> std::convertible_to<bool>;
};

// Types that make up a variant of the step, see Variant in solver/model/step.hpp.
template <class V>
concept VariantTypes =
    CollisionModel<typename V::Collision, typename V::Lattice, typename V::Equilibrium> &&
    PrecisionModel<typename V::Precision> && TilingModel<typename V::Tiling> &&
    std::same_as<typename V::Real, typename V::Precision::Arithmetic> &&
    std::same_as<typename V::Storage, typename V::Precision::Storage> && V::q == V::Lattice::q;

// Relaxation rates of a node: those of all nodes, or its own from its populations f.
template <class N, class V>
concept ViscosityModel = VariantTypes<V> &&
    requires(const typename V::Real (&f)[V::q], const StepParameters<typename V::Real>& p) {
  { N::template at<V, false>(f, p).omegaEven } -> std::convertible_to<typename V::Real>;
  { N::template at<V, true>(f, p).omegaOdd } -> std::convertible_to<typename V::Real>;
  requires !N::local || LocalCollisionModel<typename V::Collision>;
};

// One combination that a step can be compiled for.
template <class V>
concept VariantModel = VariantTypes<V> && ViscosityModel<typename V::Viscosity, V>;

// Values that a node keeps between two steps, on lattice L with collision C and equilibrium E, and
// the words of sizeof(P::Storage) bytes that they take in precision P;
// index(): where value `value` of node `local` of the tile in a slot lies.
template <class S, class L, class C, class E, class P>
concept StateModel = CollisionModel<C, L, E> && PrecisionModel<P> &&
    requires(std::uint32_t slot, int value, int local) {
  { S::template values<L>() } -> std::same_as<unsigned>;
  { S::template words<L, P>() } -> std::same_as<unsigned>;
  { S::template flops<L, C, E>() } -> std::same_as<int>;
  { S::template index<L>(slot, value, local) } -> std::same_as<std::uint64_t>;
};

// Access to the populations of one node, or of as many nodes as Value has numbers. gather<i>()
// pulls f_i with bounce-back and boundary populations applied, gatherAll(f) all of them at once;
// scatter<i>(f_i) stores.
template <class N>
concept GatherNodes = requires(const N& nodes) {
  { nodes.template gather<1>() } -> std::convertible_to<typename N::Value>;
};
template <class N, class L>
concept GatherAllNodes = requires(const N& nodes, typename N::Value (&f)[L::q]) {
  nodes.gatherAll(f);
};
template <class N>
concept ScatterNodes = requires(const N& nodes, const typename N::Value& value) {
  nodes.template scatter<1>(value);
};
template <class N, class L>
concept StepNodes = ScatterNodes<N> &&(GatherNodes<N> || GatherAllNodes<N, L>);

}  // namespace tessera::solver::model
