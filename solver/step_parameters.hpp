// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tessera {

// What a step needs to know, in lattice units, in the arithmetic of the variant.
template <class Real>
struct StepParameters {
  Real omegaEven;     // 1 / tau: viscosity
  Real omegaOdd;      // from the magic parameter, or omegaEven
  Real halfForce[3];  // F / 2
};

}  // namespace tessera
