// SPDX-License-Identifier: GPL-3.0-or-later
// What comes in through a link that ends on an opening. Link by link, so at any orientation; the
// value is put where the step's gather looks for it, in the place of the node beyond the opening.
//   velocity: bounce-back with the momentum of the moving plane (Ladd 1994),
//             f_o = f_i - 6 w_i c_i . u, exact in the mass that crosses
//   pressure: anti-bounce-back (Ginzburg, Verhaeghe & d'Humieres 2008),
//             f_o = -f_i + 2 w_i (r_p + rho (4.5 (c_i . u)^2 - 1.5 u^2)), u of the node
// with i the direction out of the fluid, o its opposite, all deviations from rest.
#pragma once

#include <cstdint>

#include "solver/collision/moments.hpp"
#include "solver/step_parameters.hpp"

namespace tessera {

enum class LinkCondition : std::uint8_t { Velocity, Pressure };

struct IncomingLink {
  std::uint64_t node;      // index of population 0 of the fluid node
  std::uint64_t target;    // index of the population to be filled
  double value;            // velocity: 6 w_i c_i . u; pressure: r_p = 3 p / rho; both at full ramp
  float c[3];              // c_i
  double weight;           // w_i
  std::uint8_t direction;  // i
  LinkCondition condition;
  std::uint16_t opening;
};

// What is recorded of a link: mass that leaves through it in a step, and r of its node.
struct LinkSample {
  double outflow;
  double r;
};

template <class Variant>
TESSERA_ANY typename Variant::Real incomingPopulation(
    const IncomingLink& link, const typename Variant::Storage* state,
    const StepParameters<typename Variant::Real>& p, typename Variant::Real ramp,
    LinkSample* sample) {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  const Real outgoing = Real(state[link.node + 64U * link.direction]);
  const Real value = Real(link.value) * ramp;
  Real incoming = outgoing - value;
  if (link.condition == LinkCondition::Velocity && sample == nullptr) return incoming;

  Real f[Lattice::q];
  forEach<Lattice::q>([&](auto i) { f[i] = Real(state[link.node + 64U * i]); });
  // Stored populations have had the whole force, so its half is taken off again.
  const Real half[3] = {-p.halfForce[0], -p.halfForce[1], -p.halfForce[2]};
  const auto n = macroscopic<Lattice, typename Variant::Equilibrium, true>(f, half);
  if (link.condition == LinkCondition::Pressure) {
    const Real cu = link.c[0] * n.u[0] + link.c[1] * n.u[1] + link.c[2] * n.u[2];
    const Real uu = n.u[0] * n.u[0] + n.u[1] * n.u[1] + n.u[2] * n.u[2];
    const Real density = Variant::Equilibrium::inertialDensity(value, Real(1));
    incoming = -outgoing + Real(2) * Real(link.weight) *
                               (value + density * (Real(4.5) * cu * cu - Real(1.5) * uu));
  }
  if (sample != nullptr) *sample = {double(outgoing) - double(incoming), double(n.r)};
  return incoming;
}

}  // namespace tessera
