// SPDX-License-Identifier: GPL-3.0-or-later
// Pressure condition of a link: anti-bounce-back (Ginzburg, Verhaeghe & d'Humieres 2008),
//   f_o = -f_i + 2 w_i (r_p + rho E_i(u)),
// i out of the fluid, o its opposite, u of the node, populations as deviations from rest. Serves
// prescribed pressures and those that follow from the flow rate (outlets.hpp).
#pragma once

#include "solver/boundary/link.hpp"

namespace tessera::solver::boundary {

// Linear in value, which is r_p = 3 (p - reference) / rho in lattice units (link.hpp).
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real pressurePopulation(const IncomingLink& link,
                                                              const OpeningNode<Variant>& node,
                                                              typename Variant::Real outgoing,
                                                              typename Variant::Real value) {
  using Real = typename Variant::Real;
  const Real density = Variant::Equilibrium::inertialDensity(value, Real(1));
  return -outgoing + Real(2) * Real(link.weight) * (value + density * node.secondOrder(link));
}

}  // namespace tessera::solver::boundary
