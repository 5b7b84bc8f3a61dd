// SPDX-License-Identifier: GPL-3.0-or-later
// Law of a fluid as a node solves it. The moments before the collision give G = gamma tau, gamma
// the shear rate, and tau = 1/2 + 3 nu(gamma) depends on gamma: so
//   gamma / 2 + 3 nu(gamma) gamma = G,
// of which the left side rises with gamma for every law here, has to be solved. In closed form for
// Casson and Smagorinsky (quadratic in the root of gamma, and in gamma); for Carreau-Yasuda and the
// power law by Newton's method for log2(gamma), where both sides are close to straight: from the
// nearer asymptote, 3 steps in single and 4 in double precision bring tau to 1e-5 and 1e-11 at
// worst and to round-off for most (tests/solver/model/test_viscosity.cpp). Nothing is kept from the
// step before. Cost per node of Carreau-Yasuda: 15 (20) logarithms and powers; of the power law 10
// (13). On the CPU a table (excess_table.hpp) takes their place.
#pragma once

#include <memory>

#include "solver/model/viscosity/excess_table.hpp"
#include "solver/model/viscosity/fast_math.hpp"
#include "solver/model/viscosity/law.hpp"

namespace tessera::solver::model {

// Constants in the arithmetic of the variant, lattice units. Excess: 3 nu = tau - 1/2.
template <class Real>
struct NodeLaw {
  FluidModel model = FluidModel::Newtonian;
  Real lowest{};   // excess
  Real highest{};  // excess
  // Carreau-Yasuda: in the scale of 1 / lambda.
  Real logScale{};  // log2 of lambda; of the power law's shear rate at which 3 nu = 1/2, negative
  Real a{}, n{}, logSpan{}, shearThinning{};  // span: highest - lowest; (n - 1) / a
  Real yieldRoot{}, plasticRoot{}, yield{};   // Casson: of 3 s and 3 nu_p
  Real leastTarget{};                         // power law: far beyond `highest`
  Real smagorinsky{};                         // 3 C^2
  const ExcessTable<Real>* table = nullptr;   // of vectors, where there is one; not on a device
};

template <class Real>
NodeLaw<Real> nodeLaw(const ViscosityLaw& law) {
  NodeLaw<Real> node;
  node.model = law.model;
  node.lowest = Real(3.0 * law.lowest);
  node.highest = Real(3.0 * law.highest);
  node.a = Real(law.a);
  node.n = Real(law.n);
  if (law.model == FluidModel::CarreauYasuda) {
    node.logScale = Real(std::log2(law.timeConstant));
    node.logSpan = Real(std::log2(3.0 * (law.highest - law.lowest)));
    node.shearThinning = Real((law.n - 1.0) / law.a);
  }
  if (law.model == FluidModel::PowerLaw && law.n != 1.0)
    node.logScale = Real(std::log2(6.0 * law.consistency) / (law.n - 1.0));
  node.leastTarget = law.n < 1.0 ? Real(-60.0 * law.n / (1.0 - law.n))
                                 : Real(-1000.0) + smallerOf(node.logScale, Real(0));
  node.yield = Real(3.0 * law.yield);
  node.yieldRoot = Real(std::sqrt(3.0 * law.yield));
  node.plasticRoot = Real(std::sqrt(3.0 * law.lowest));
  node.smagorinsky = Real(3.0 * law.smagorinsky * law.smagorinsky);
  return node;
}

// Steps of Newton's method.
template <class Real>
constexpr int newtonSteps = sizeof(Real) == 8 ? 4 : 3;

// gg: G^2. All four return the excess 3 nu.
template <class T, class Real>
TESSERA_HOST_DEVICE T excessOfSmagorinsky(const NodeLaw<Real>& law, const T& gg) {
  const T g = rootOf(gg);
  const Real tau = Real(0.5) + law.lowest;
  const T gamma = Real(2) * g / (tau + rootOf(tau * tau + Real(4) * law.smagorinsky * g));
  return law.lowest + law.smagorinsky * gamma;
}

template <class T, class Real>
TESSERA_HOST_DEVICE T excessOfCasson(const NodeLaw<Real>& law, const T& gg) {
  const T beyond = greaterOf<T>(rootOf(gg) - law.yield, T{});
  const Real b = law.yieldRoot * law.plasticRoot;
  const Real tau = Real(0.5) + law.lowest;
  // The root of gamma; at 0, before the yield, the quotient is infinite and the limit holds.
  const T x = beyond / (b + rootOf(b * b + tau * beyond));
  const T root = law.yieldRoot / x + law.plasticRoot;
  return smallerOf<T>(root * root, T{} + law.highest);
}

template <class T, class Real>
TESSERA_HOST_DEVICE T excessOfPowerLaw(const NodeLaw<Real>& law, const T& gg) {
  // In the scale where 3 nu = 1/2 at 1: x + x^n = 2 G, y = log2(x).
  const T target =
      greaterOf<T>(Real(0.5) * log2Of(gg) + (Real(1) + law.logScale), T{} + law.leastTarget);
  T y = smallerOf<T>(target, target / law.n);
  forEach<newtonSteps<Real>>([&](auto) {
    const T ratio = exp2Of((law.n - Real(1)) * y);  // x^n / x
    const T sum = Real(1) + ratio;
    y -= (y + log2Of(sum) - target) * sum / (Real(1) + law.n * ratio);
  });
  const T excess = Real(0.5) * exp2Of((law.n - Real(1)) * y);
  const T zero{};
  return smallerOf<T>(greaterOf<T>(excess, zero + law.lowest), zero + law.highest);
}

template <class T, class Real>
TESSERA_HOST_DEVICE T excessOfCarreauYasuda(const NodeLaw<Real>& law, const T& gg) {
  const T target = Real(0.5) * log2Of(gg) + law.logScale;
  const T zero{};
  const T slow = target - log2Of(zero + (Real(0.5) + law.highest));
  const T fast = target - log2Of(zero + (Real(0.5) + law.lowest));
  T y = greaterOf<T>(slow, smallerOf<T>(fast, (target - law.logSpan) / law.n));
  T span = zero;
  forEach<newtonSteps<Real> + 1>([&](auto step) {
    const T z = exp2Of(smallerOf<T>(law.a * y, zero + Real(120)));
    const T sum = Real(1) + z;
    span = exp2Of(law.logSpan + law.shearThinning * log2Of(sum));
    if constexpr (step < newtonSteps<Real>) {
      const T tau = Real(0.5) + law.lowest + span;
      const T slope = tau * sum + (law.n - Real(1)) * span * z;
      y -= (y + log2Of(tau) - target) * tau * sum / slope;
    }
  });
  return law.lowest + span;
}

// One switch, the same for all nodes.
template <class T, class Real>
TESSERA_HOST_DEVICE T excessOf(const NodeLaw<Real>& law, const T& gg) {
#if !defined(TESSERA_GPU_COMPILER)
  if constexpr (!std::is_arithmetic_v<T>)
    if (law.table != nullptr) return law.table->at(gg);
#endif
  switch (law.model) {
    case FluidModel::CarreauYasuda:
      return excessOfCarreauYasuda(law, gg);
    case FluidModel::PowerLaw:
      return excessOfPowerLaw(law, gg);
    case FluidModel::Casson:
      return excessOfCasson(law, gg);
    default:
      return excessOfSmagorinsky(law, gg);
  }
}

// The table of a law that a node would solve by Newton's method; null: of one in closed form.
template <class Real>
std::unique_ptr<const ExcessTable<Real>> excessTable(const ViscosityLaw& law) {
  if (law.model != FluidModel::CarreauYasuda && law.model != FluidModel::PowerLaw) return nullptr;
  NodeLaw<double> node = nodeLaw<double>(law);
  const double lowest = node.lowest, highest = node.highest;
  if (law.model == FluidModel::PowerLaw) {  // smooth beyond the limits
    node.lowest = 0.0;
    node.highest = 1e30;
  }
  return std::make_unique<const ExcessTable<Real>>([&](double gg) { return excessOf(node, gg); },
                                                   lowest, highest);
}

// The excess 3 nu at a shear rate; a number.
template <class Real>
TESSERA_HOST_DEVICE Real excessAtShearRate(const NodeLaw<Real>& law, Real shearRate) {
  constexpr Real quiet = sizeof(Real) == 8 ? Real(1e-30) : Real(1e-15);
  const Real gamma = shearRate + quiet;
  switch (law.model) {
    case FluidModel::CarreauYasuda: {
      const Real z = exp2Of(smallerOf<Real>(law.a * (log2Of(gamma) + law.logScale), Real(120)));
      return law.lowest + exp2Of(law.logSpan + law.shearThinning * log2Of(Real(1) + z));
    }
    case FluidModel::PowerLaw: {
      const Real exponent = (law.n - Real(1)) * (log2Of(gamma) + law.logScale);
      const Real excess = Real(0.5) * exp2Of(smallerOf<Real>(exponent, Real(120)));
      return smallerOf<Real>(greaterOf<Real>(excess, law.lowest), law.highest);
    }
    case FluidModel::Casson: {
      const Real root = law.yieldRoot / rootOf(gamma) + law.plasticRoot;
      return smallerOf<Real>(root * root, law.highest);
    }
    default:
      return law.lowest + law.smagorinsky * gamma;
  }
}

}  // namespace tessera::solver::model
