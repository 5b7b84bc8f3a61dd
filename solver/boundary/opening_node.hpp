// SPDX-License-Identifier: GPL-3.0-or-later
// Moments of a node next to an opening, from its populations after the last collision.
#pragma once

#include "solver/boundary/link.hpp"
#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::boundary {

template <class Variant>
struct OpeningNode {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  model::Macroscopic<Real> n;
  Real pi[6];  // non-equilibrium second moments, xx yy zz xy xz yz

  TESSERA_ANY OpeningNode(const typename Variant::Storage* populations,
                          const model::StepParameters<Real>& p) {
    Real f[Lattice::q];
    model::forEach<Lattice::q>([&](auto i) { f[i] = Real(populations[64U * i]); });
    // Stored populations contain the whole force; half of it is taken off again.
    const Real half[3] = {-p.halfForce[0], -p.halfForce[1], -p.halfForce[2]};
    n = model::macroscopic<Lattice, typename Variant::Equilibrium, true>(f, half);
    model::secondMomentsOutOfEquilibrium<Lattice>(f, n, pi);
  }

  // E_i(u) = 4.5 (c_i . u)^2 - 1.5 u^2 of the node.
  TESSERA_ANY Real secondOrder(const IncomingLink& link) const {
    const Real cu = link.c[0] * n.u[0] + link.c[1] * n.u[1] + link.c[2] * n.u[2];
    const Real uu = n.u[0] * n.u[0] + n.u[1] * n.u[1] + n.u[2] * n.u[2];
    return Real(4.5) * cu * cu - Real(1.5) * uu;
  }
};

}  // namespace tessera::solver::boundary
