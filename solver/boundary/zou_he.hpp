// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary condition of Zou & He 1997 (in 3D Hecht & Harting 2010) at an opening across an axis of
// the lattice, which then lies on its nodes. Populations from inside and along the plane are known:
// mass gives velocity from density or density from velocity, and the population that enters is the
// one that leaves, reflected about equilibrium,
//   f_o = f_i - 6 w_i j_n - 18 w_i c_o . m,
// with j_n the momentum out of the fluid and m the momentum of the populations along the plane, so
// that the flow is exactly across the plane. Sums of weights: 1/6 of those that enter, 1/18 of
// those times c_t^2, the same on D2Q9, D3Q19 and D3Q27.
#pragma once

#include "solver/boundary/link.hpp"
#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::boundary {

// sources: of the q populations of the link's node, as the step gathers them (plan_zou_he.hpp).
// value: velocity out of the fluid, or r_p.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real zouHePopulation(
    const IncomingLink& link, const std::uint64_t* sources, const typename Variant::Storage* state,
    const model::StepParameters<typename Variant::Real>& p, typename Variant::Real value) {
  using Real = typename Variant::Real;
  using Lattice = typename Variant::Lattice;
  const int axis = link.axis;
  const Real side = axis == 0 ? link.c[0] : axis == 1 ? link.c[1] : link.c[2];
  Real along = 0;
  Real out = 0;
  Real m[3] = {p.halfForce[0], p.halfForce[1], p.halfForce[2]};
  const Real force = side * (axis == 0 ? m[0] : axis == 1 ? m[1] : m[2]);
  model::forEach<Lattice::q>([&](auto i) {
    constexpr auto c = Lattice::c[i];
    constexpr int cx = c[0];
    constexpr int cy = c[1];
    constexpr int cz = c[2];
    const Real normal = side * Real(axis == 0 ? cx : axis == 1 ? cy : cz);
    if (normal < Real(0)) return;
    const Real f = Real(state[sources[i]]);
    if (normal > Real(0)) {
      out += f;
    } else {
      along += f;
      m[0] += Real(cx) * f;
      m[1] += Real(cy) * f;
      m[2] += Real(cz) * f;
    }
  });
  // r = along + 2 out - j, and of a velocity u also j + F / 2 = (1 + k r) u.
  const Real mass = along + Real(2) * out;
  Real r = value;
  if (link.condition == LinkCondition::ZouHeVelocity) {
    const Real k = Variant::Equilibrium::inertialDensity(Real(1), Real(1)) - Real(1);
    r = (mass + force - value) / (Real(1) + k * value);
  }
  const Real j = mass - r;
  const Real slant = (axis == 0 ? Real(0) : Real(link.c[0]) * m[0]) +
                     (axis == 1 ? Real(0) : Real(link.c[1]) * m[1]) +
                     (axis == 2 ? Real(0) : Real(link.c[2]) * m[2]);
  const Real w = Real(link.weight);
  return Real(state[sources[link.direction]]) - Real(6) * w * j + Real(18) * w * slant;
}

}  // namespace tessera::solver::boundary
