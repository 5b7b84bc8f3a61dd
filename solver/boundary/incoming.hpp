// SPDX-License-Identifier: GPL-3.0-or-later
// What comes in through a link that ends on an opening. Link by link, so at any orientation; the
// value is put where the step's gather looks for it, in the place of the node beyond the opening.
//   velocity: the regularised population (Latt & Chopard 2006) with the node's density and stress
//             and the plane's velocity v,
//             f_o = w_i (r - 3 c_i . v + rho E_i(v) + 4.5 (c_i c_i - 1/3) : Pi_neq) + w_i s,
//             where s makes the mass that crosses the links of one node exactly the sum of
//             6 w_i c_i . v, as bounce-back from a moving plane (Ladd 1994) does
//   pressure: anti-bounce-back (Ginzburg, Verhaeghe & d'Humieres 2008),
//             f_o = -f_i + 2 w_i (r_p + rho E_i(u))
// with i the direction out of the fluid, o its opposite, E_i(u) = 4.5 (c_i . u)^2 - 1.5 u^2, u of
// the node, all populations deviations from rest. Plain bounce-back at an inlet sends the node's
// own momentum flux and ghost moments back in; at low viscosity they grow there.
#pragma once

#include <cstdint>

#include "solver/boundary/opening_values.hpp"
#include "solver/boundary/zou_he.hpp"
#include "solver/collision/moments.hpp"
#include "solver/step_parameters.hpp"

namespace tessera {

// Moments of a node next to an opening, from its populations after the last collision.
template <class Variant>
struct OpeningNode {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  Macroscopic<Real> n;
  Real pi[6];  // second moments out of equilibrium, xx yy zz xy xz yz

  TESSERA_ANY OpeningNode(const typename Variant::Storage* populations,
                          const StepParameters<Real>& p) {
    Real f[Lattice::q];
    forEach<Lattice::q>([&](auto i) { f[i] = Real(populations[64U * i]); });
    // Stored populations have had the whole force, so its half is taken off again.
    const Real half[3] = {-p.halfForce[0], -p.halfForce[1], -p.halfForce[2]};
    n = macroscopic<Lattice, typename Variant::Equilibrium, true>(f, half);
    secondMomentsOutOfEquilibrium<Lattice>(f, n, pi);
  }

  // E_i(u) of the node.
  TESSERA_ANY Real secondOrder(const IncomingLink& link) const {
    const Real cu = link.c[0] * n.u[0] + link.c[1] * n.u[1] + link.c[2] * n.u[2];
    const Real uu = n.u[0] * n.u[0] + n.u[1] * n.u[1] + n.u[2] * n.u[2];
    return Real(4.5) * cu * cu - Real(1.5) * uu;
  }

  // The regularised population that comes in with the plane's velocity.
  TESSERA_ANY Real regularised(const IncomingLink& link, Real amplitude) const {
    const Real cv = Real(link.value) * amplitude / (Real(6) * Real(link.weight));
    const Real vv = Real(link.speedSquared) * amplitude * amplitude;
    const Real x = link.c[0];
    const Real y = link.c[1];
    const Real z = link.c[2];
    const Real stress = x * x * pi[0] + y * y * pi[1] + z * z * pi[2] +
                        Real(2) * (x * y * pi[3] + x * z * pi[4] + y * z * pi[5]) -
                        (pi[0] + pi[1] + pi[2]) / Real(3);
    const Real density = Variant::Equilibrium::inertialDensity(n.r, Real(1));
    return Real(link.weight) *
           (n.r - Real(3) * cv + density * (Real(4.5) * cv * cv - Real(1.5) * vv) +
            Real(4.5) * stress);
  }
};

// What comes in through a link of a pressure opening whose r_p is value; linear in it.
template <class Variant>
TESSERA_ANY typename Variant::Real incomingAtPressure(const IncomingLink& link,
                                                      const OpeningNode<Variant>& node,
                                                      typename Variant::Real outgoing,
                                                      typename Variant::Real value) {
  using Real = typename Variant::Real;
  const Real density = Variant::Equilibrium::inertialDensity(value, Real(1));
  return -outgoing + Real(2) * Real(link.weight) * (value + density * node.secondOrder(link));
}

// The incoming population of links[k]; sample, unless null, takes what crosses the link.
template <class Variant>
TESSERA_ANY typename Variant::Real incomingPopulation(
    const IncomingLink* links, std::uint64_t k, const typename Variant::Storage* state,
    const StepParameters<typename Variant::Real>& p, const OpeningValues& values,
    LinkSample* sample) {
  using Real = typename Variant::Real;
  const IncomingLink& link = links[k];
  const OpeningNode<Variant> node(state + link.node, p);
  const auto outgoingOf = [&](const IncomingLink& of) {
    return Real(state[of.node + static_cast<std::uint64_t>(64U * of.direction)]);
  };
  const Real amplitude = Real(values.amplitude(link.opening, link.basis));
  Real incoming;
  if (link.condition == LinkCondition::ZouHeVelocity ||
      link.condition == LinkCondition::ZouHePressure) {
    incoming = zouHePopulation<Variant>(link, values.sources + k * Variant::q, state, p,
                                        Real(link.value) * amplitude);
  } else if (link.condition == LinkCondition::Velocity) {
    // What the node's links together must still let in, shared by weight.
    Real missing = 0;
    Real weights = 0;
    for (std::uint64_t s = k - link.siblingsBefore; s < k - link.siblingsBefore + link.siblings;
         ++s) {
      const Real of = Real(values.amplitude(link.opening, links[s].basis));
      missing += outgoingOf(links[s]) - Real(links[s].value) * of - node.regularised(links[s], of);
      weights += Real(links[s].weight);
    }
    incoming = node.regularised(link, amplitude) + Real(link.weight) * missing / weights;
  } else {
    incoming =
        incomingAtPressure<Variant>(link, node, outgoingOf(link), Real(link.value) * amplitude);
  }
  if (sample != nullptr) *sample = {double(outgoingOf(link)) - double(incoming), double(node.n.r)};
  return incoming;
}

}  // namespace tessera
