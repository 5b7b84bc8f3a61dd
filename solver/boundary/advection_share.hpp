// SPDX-License-Identifier: GPL-3.0-or-later
// Advection at pressure links: what anti-bounce-back lacks at low viscosity. In steady flow the
// populations of a link obey, to second order in the spacing,
//   f_o + f_i = e(x) + e(x + c) - 2 (tau - 1/2) d_c e- + a d_c d_c e+ + b P2 d_c d_c e+,
// e+ and e- the even and odd equilibrium, d_c the derivative along c, P2 the part in the moments of
// second order. With the same rate for all odd and one for all even moments a = 2 magic - 1/2, b =
// 0 (from the recurrences of Ginzburg, Verhaeghe & d'Humieres 2008); where moments of fourth order
// go to equilibrium, as they do in regularised, cumulant and on D3Q27 mrt collisions, a = L- - 1/2,
// b = -2 L- (1 - tau), with L- = 1 / rate of the third order - 1/2. Of a flow normal to the plane,
// u = n U, both terms are sums of second derivatives of U^2 along the plane. In proportion to Re /
// nodes^2 they raise or lower the pressure next to the opening and move the peak of the velocity.
#pragma once

#include "solver/boundary/profiles.hpp"
#include "solver/model/axes.hpp"
#include "solver/model/lattice_info.hpp"

namespace tessera::solver::boundary {

// a and b.
struct AdvectionShares {
  double whole = 0.0;
  double second = 0.0;
};

AdvectionShares advectionShares(model::LatticeId lattice, model::CollisionId collision, double tau,
                                double magic);

// K of direction i: sum over g, d of K_gd d_g d_d U^2 is both terms together, over w_i.
using AdvectionMatrix = std::array<Double3, 3>;
AdvectionMatrix advectionMatrix(const model::LatticeInfo& info, std::size_t i,
                                const Double3& normal, const AdvectionShares& shares);

}  // namespace tessera::solver::boundary
