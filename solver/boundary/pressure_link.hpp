// SPDX-License-Identifier: GPL-3.0-or-later
// Pressure condition of a link: anti-bounce-back (Ginzburg, Verhaeghe & d'Humieres 2008) with the
// distance of the plane and the shear and advection that it leaves out,
//   f_o = -f_i + w_i (2 r + rho (E_i(u) + E_i(u + D u) + A)) - 6 (tau - 1/2) rho w_i c_i . D u,
// i out of the fluid, o its opposite, E_i(u) = 4.5 (c_i . u)^2 - 1.5 u^2, populations as deviations
// from rest. In steady flow f_o + f_i is, to second order in the spacing, the sum of the even
// equilibria at both ends of the link less 2 (tau - 1/2) times the derivative of the odd one along
// it, at its middle, and A = K : d d U^2 (advection_share.hpp) of the velocity U along the normal,
// from 2 (d U d U + U d d U): next to a wall U is close to a polynomial of second degree, U^2 is
// not. r is that of the middle of the link, from the plane, where it is r_p, along its gradient,
// which is normal to the plane; u is that of the node, and D u the derivative along the link, at
// its middle, of a velocity that changes along the plane alone (opening_stencil.hpp). Without D u
// the plane carries no shear; with r and D u of the node or of the plane the condition acts half a
// spacing away from its place. Serves prescribed pressures and those that follow from the flow rate
// (outlets.hpp).
#pragma once

#include "solver/boundary/opening_stencil.hpp"

namespace tessera::solver::boundary {

// tau - 1/2 next to the opening.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real excessAt(
    const AtOpening<typename Variant::Real>& at,
    const model::StepParameters<typename Variant::Real>& p) {
  using Real = typename Variant::Real;
  if constexpr (Variant::Viscosity::local)
    return model::excessAtShearRate(p.law, at.shearRate);
  else
    return Real(1) / p.omegaEven - Real(0.5);
}

// Linear in value, which is r_p = 3 (p - reference) / rho in lattice units (link.hpp). excess: tau
// - 1/2.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real pressurePopulation(
    const IncomingLink& link, const OpeningNode<Variant>& node,
    const AtOpening<typename Variant::Real>& at, typename Variant::Real excess,
    typename Variant::Real outgoing, typename Variant::Real value) {
  using Real = typename Variant::Real;
  const Real r = at.gain * value + at.r;
  const Real density = Variant::Equilibrium::inertialDensity(r, Real(1));
  Real normal = 0;  // U at the middle of the link
  Real here = 0;
  Real along = 0;
  Real squares = 0;
  for (int a = 0; a < 3; ++a) {
    const Real u = node.n.u[a];
    const Real beyond = u + at.change[a];
    normal += at.normal[a] * (u + Real(0.5) * at.change[a]);
    here += Real(link.c[a]) * u;
    along += Real(link.c[a]) * at.change[a];
    squares += u * u + beyond * beyond;
  }
  const Real there = here + along;
  const Real w = Real(link.weight);
  const Real even = Real(4.5) * (here * here + there * there) - Real(1.5) * squares;
  const Real advection = Real(2) * (at.slopes + normal * at.bend);
  return -outgoing + w * (Real(2) * r + density * (even + advection)) -
         Real(6) * w * excess * density * along;
}

}  // namespace tessera::solver::boundary
