// SPDX-License-Identifier: GPL-3.0-or-later
// Rates and force of a step, in lattice units.
#pragma once

#include <array>

#include "solver/model/viscosity/node_law.hpp"

namespace tessera::solver::model {

// As the host decides on them.
struct Relaxation {
  double tau = 1.0;
  double magic = 3.0 / 16.0;
  std::array<double, 3> force{};
  ViscosityLaw law;  // lattice units
};

// As a step needs them, in the arithmetic of the variant. Rate: a number, or as many as nodes are
// collided at once where each has its own viscosity.
template <class Real, class Rate = Real>
struct StepParameters {
  Rate omegaEven;     // 1 / tau: viscosity
  Rate omegaOdd;      // from the magic parameter, or omegaEven
  Real halfForce[3];  // F / 2
  Real magic;         // where omegaOdd is a node's own
  NodeLaw<Real> law;
};

template <class Variant>
StepParameters<typename Variant::Real> stepParameters(const Relaxation& relaxation) {
  using Real = typename Variant::Real;
  StepParameters<Real> parameters{};
  parameters.omegaEven = Real(1.0 / relaxation.tau);
  parameters.omegaOdd = Real(Variant::Collision::omegaOdd(relaxation.tau, relaxation.magic));
  for (std::size_t a = 0; a < 3; ++a) parameters.halfForce[a] = Real(0.5 * relaxation.force[a]);
  parameters.magic = Real(relaxation.magic);
  parameters.law = nodeLaw<Real>(relaxation.law);
  return parameters;
}

}  // namespace tessera::solver::model
