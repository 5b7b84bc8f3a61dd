// SPDX-License-Identifier: GPL-3.0-or-later
// Viscosity of a variant: constant, or a function of the shear rate at the node.
#pragma once

#include "solver/model/axes.hpp"
#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::model {

// The rates of StepParameters, the same for all nodes.
struct ConstantViscosity {
  static constexpr ViscosityId id = ViscosityId::Constant;
  static constexpr bool local = false;
  template <class Variant, bool forced, class T, class Real>
  TESSERA_HOST_DEVICE static const StepParameters<Real>& at(const T (&)[Variant::q],
                                                            const StepParameters<Real>& p) {
    return p;
  }
};

// Local viscosity. The second moments out of equilibrium, with the force's share and without trace,
// are Pi = -2/3 rho tau D (Krueger et al. 2009), so G = gamma tau with G^2 = 2 (tau D) : (tau D)
// = 4.5 Pi : Pi / rho^2. The magic parameter stays that of all nodes. Cost per node of D3Q19: some
// 100 flops and what solver/model/viscosity/node_law.hpp says.
struct LocalViscosity {
  static constexpr ViscosityId id = ViscosityId::Local;
  static constexpr bool local = true;
  template <class Variant, bool forced, class T, class Real>
  TESSERA_HOST_DEVICE static StepParameters<Real, T> at(const T (&f)[Variant::q],
                                                        const StepParameters<Real>& p) {
    static_assert(Variant::Precision::scale == 1, "the shear rate is that of unscaled populations");
    using Lattice = typename Variant::Lattice;
    using Equilibrium = typename Variant::Equilibrium;
    const Macroscopic<T> n = macroscopic<Lattice, Equilibrium, forced>(f, p.halfForce);
    T pi[6];
    deviatoricStress<Lattice, forced>(f, n, p.halfForce, Real(0), pi);
    const T inverse = Real(1) / Equilibrium::inertialDensity(n.r, (n.r - n.r) + Real(1));
    T squares = pi[0] * pi[0] + pi[1] * pi[1] + pi[2] * pi[2];
    squares += Real(2) * (pi[3] * pi[3] + pi[4] * pi[4] + pi[5] * pi[5]);
    // At rest no logarithm of zero.
    constexpr Real quiet = sizeof(Real) == 8 ? Real(1e-60) : Real(1e-30);
    const T gg = Real(4.5) * squares * inverse * inverse + quiet;
    const T excess = excessOf(p.law, gg);
    StepParameters<Real, T> here{};
    here.omegaEven = Real(1) / (Real(0.5) + excess);
    here.omegaOdd = Variant::Collision::oddRate(excess, p.magic);
    forEach<3>([&](auto a) { here.halfForce[a] = p.halfForce[a]; });
    return here;
  }
};

}  // namespace tessera::solver::model
