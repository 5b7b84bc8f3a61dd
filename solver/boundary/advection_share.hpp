// SPDX-License-Identifier: GPL-3.0-or-later
// Advection at pressure links: what anti-bounce-back lacks at low viscosity. In steady flow the
// populations of a link obey, to second order in the spacing,
//   f_o + f_i = e(x) + e(x + c) - 2 (tau - 1/2) d_c e- + a d_c d_c e+ + b P2 d_c d_c e+
//               + 9 w c_a c_b D_ab,
// e+ and e- the even and odd equilibrium, d_c the derivative along c, P2 the part in the moments of
// second order. With the same rate for all odd and one for all even moments a = 2 magic - 1/2, b =
// 0 (from the recurrences of Ginzburg, Verhaeghe & d'Humieres 2008); where moments of fourth order
// go to equilibrium, as they do in regularised, cumulant and on D3Q27 mrt collisions, a = L- - 1/2,
// b = -2 L- (1 - tau), with L- = 1 / rate of the third order - 1/2. D is the correction that the
// stresses of mrt on D3Q27 relax towards (hermite_moments.hpp).
// Pressure along the plane. Where the flow is developed, the same terms and (c . d)^2 E / 3 of the
// links carry momentum along the plane, which a pressure p of second order in the spacing balances:
// higher on the axis of a pipe than at its wall. The mean over the opening is prescribed; held at
// it everywhere, the pressure would drive each stream line by its difference, at inlets for the
// whole length in which a flow develops. For a U^2 of fourth degree p = q : d d U^2, where q solves
//   q_gg x_a + 2 q_ab x_b = -N_ab x_b,  N_ab = K_ab,gg + 2 K_ag,gb,
// with K_ab,gd = sum over i of w c_a c_b (K_i + (3/2 (c . n)^2 - 1/2) c c)_gd / 2, all along the
// plane; its mean is 0, since d U^2 is 0 at walls.
// In a flow normal to the plane, u = n U, all these are sums of second derivatives of U^2 along the
// plane. In proportion to Re / nodes^2 they raise or lower the pressure next to the opening and
// move the peak of the velocity.
#pragma once

#include "solver/boundary/profiles.hpp"
#include "solver/model/axes.hpp"
#include "solver/model/lattice_info.hpp"

namespace tessera::solver::boundary {

// a, b and k L- of D.
struct AdvectionShares {
  double whole = 0.0;
  double second = 0.0;
  double stress = 0.0;
};

AdvectionShares advectionShares(model::LatticeId lattice, model::CollisionId collision, double tau,
                                double magic);

// K of a direction: sum over g, d of K_gd d_g d_d U^2 is all these terms together, over w_i.
using AdvectionMatrix = std::array<Double3, 3>;
// One matrix for each direction. normal: outwards, unit.
std::vector<AdvectionMatrix> advectionMatrices(const model::LatticeInfo& info,
                                               const Double3& normal,
                                               const AdvectionShares& shares);

}  // namespace tessera::solver::boundary
