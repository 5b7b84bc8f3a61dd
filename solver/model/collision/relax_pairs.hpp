// SPDX-License-Identifier: GPL-3.0-or-later
// Relaxation by pairs of opposite directions (Ginzburg 2005): the sums of a pair with one rate, the
// differences with another. LBGK is the case of equal rates. Forcing after Guo, Zheng & Shi 2002,
// split in its even and odd part.
// Rates multiply the small difference from equilibrium: weighted sums of population and equilibrium
// would lose three times as much in single precision.
#pragma once

#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::model {

// Without force: 226 on D3Q19 for the quasi-compressible equilibrium.
template <LatticeModel Lattice, EquilibriumModel Equilibrium>
constexpr int relaxPairsFlops() {
  constexpr int ofPairs = Lattice::q == 9 ? 108 : Lattice::q == 19 ? 224 : 332;
  return ofPairs + 2 * Equilibrium::flops;
}

template <class Lattice, class Equilibrium, bool forced, class T, class Real, class Rate>
TESSERA_HOST_DEVICE void relaxPairs(T (&f)[Lattice::q], const StepParameters<Real, Rate>& p) {
  const Macroscopic<T> n = macroscopic<Lattice, Equilibrium, forced>(f, p.halfForce);
  const T one = T{} + Real(1);
  const T inverse = one / Equilibrium::inertialDensity(n.r, one);
  const T squares = Real(4.5) * inverse;
  const T base = n.r - Real(1.5) * inverse * (n.m[0] * n.m[0] + n.m[1] * n.m[1] + n.m[2] * n.m[2]);
  const Rate sourceEven = Real(2) - p.omegaEven;  // 2 (1 - omega / 2), for the doubled F / 2
  const Rate sourceOdd = Real(2) - p.omegaOdd;
  T uF = T{};
  T force[3] = {uF, uF, uF};
  if constexpr (forced) {
    forEach<3>([&](auto a) { force[a] += p.halfForce[a]; });
    uF = n.u[0] * force[0] + n.u[1] * force[1] + n.u[2] * force[2];
  }
  constexpr double w0 = weight<Lattice>(0);
  f[0] += p.omegaEven * (Real(w0) * base - f[0]);
  if constexpr (forced) f[0] -= sourceEven * Real(3 * w0) * uF;

  forEach<(Lattice::q - 1) / 2>([&](auto k) {
    constexpr int i = 2 * k + 1;
    constexpr double w = weight<Lattice>(i);
    const T cm = along<Lattice, i>(n.m);
    // Half the sum and half the difference of the pair.
    T even = Real(0.5) * (f[i] + f[i + 1]);
    T odd = Real(0.5) * (f[i] - f[i + 1]);
    even += p.omegaEven * (Real(w) * (base + squares * (cm * cm)) - even);
    odd += p.omegaOdd * (Real(3 * w) * cm - odd);
    if constexpr (forced) {
      const T cF = along<Lattice, i>(force);
      even += sourceEven * Real(w) * (Real(9) * along<Lattice, i>(n.u) * cF - Real(3) * uF);
      odd += sourceOdd * Real(3 * w) * cF;
    }
    f[i] = even + odd;
    f[i + 1] = even - odd;
  });
}

}  // namespace tessera::solver::model
