// SPDX-License-Identifier: GPL-3.0-or-later
// Outlets: openings whose pressure follows from their own flow rate Q (out of the fluid), a
// resistance or the three-element Windkessel (Westerhof, Lankhaar & Westerhof 2009),
//   p = R_p Q + p_c,   C dp_c/dt = Q - (p_c - p_d) / R_d,
// by implicit Euler over a step of the lattice,
//   p_c' = keep p_c + gain Q + rest,   p = R_p Q + p_c'
// (resistance: keep = gain = 0 and rest = p_d). Q crosses the opening's links in the same step and
// is linear in the pressure, Q = A - B (p - reference), so pressure and flow rate are solved for
// together, without a lag, whatever the resistances. The reference is the mean pressure of all
// pressure openings in this step, solved for with them; a single outlet therefore leaves the
// pressure of the lattice unchanged. With the whole pressure in the reference, outlets that rise
// together would feel no resistance, and the sound between a closing inlet and its outlets, which
// blood in elastic vessels does not carry, would never decay: a part of R_p (Q - Q_m) of a
// Windkessel stays out of the reference, a sixth of the part that would absorb the sound at once.
// Q_m is the mean of Q over the last few crossings of the geometry by sound: a longer variation is
// no sound, and left out of the reference it would increase the density of the lattice's fluid. The
// acoustic impedance of the outlet is that part of R_p in parallel with an inertance, which absorbs
// energy at any frequency and emits none. Pressures are r = 3 p, flow rates spacings^3 per step;
// sums are of whole multiples of 2^-50 and do not depend on their order.
#pragma once

#include <cmath>
#include <cstdint>

#include "solver/boundary/incoming.hpp"

namespace tessera::solver::boundary {

// Records of openings whose pressure follows from their flow rate, in lattice units: pressures are
// r = 3 p, flow rates spacings^3 per step (outlets.hpp).

// p = R_p Q + p_c' with p_c' = keep p_c + gain Q + rest.
struct Outlet {
  double proximal;  // R_p
  double keep;
  double gain;
  double rest;
  std::uint32_t coefficient;  // index of its pressure among the amplitudes of a step
  std::uint32_t opening;
};

// Part of an outlet's links, summed together.
struct FlowChunk {
  std::uint32_t first;  // in Domain::outletLinks
  std::uint32_t count;  // at most outletChunk
  std::uint32_t outlet;
};
constexpr std::uint32_t outletChunk = 32;

// A flow rate of atRest - slope * r, in multiples of 2^-50.
struct LinearFlow {
  std::int64_t atRest;
  std::int64_t slope;
};
constexpr double flowUnit = 0x1p-50;

struct OutletState {
  double capacitor = 0.0;  // p_c
  double pressure = 0.0;   // p
  double flow = 0.0;       // Q
  double mean = 0.0;       // Q_m, up to the previous step
};

// Sizes and constants of solveOutlets().
struct OutletShape {
  std::uint32_t outlets;
  std::uint32_t prescribed;       // openings with a prescribed pressure
  std::uint32_t rampCoefficient;  // index among the amplitudes of a step
  double meanGain;                // Q_m += meanGain (Q - Q_m) in a step
};

// Flow through one link in multiples of flowUnit; below 1 in any valid flow.
TESSERA_HOST_DEVICE std::int64_t inFlowUnits(double flow) {
  const double bounded = flow < 1.0 ? (flow > -1.0 ? flow : -1.0) : 1.0;
  return static_cast<std::int64_t>(std::floor(bounded / flowUnit + 0.5));
}

TESSERA_HOST_DEVICE void addFlow(const LinearFlow& from, LinearFlow& to) {
  to.atRest += from.atRest;
  to.slope += from.slope;
}

// Flow through a link as a function of the opening's pressure.
template <class Variant>
TESSERA_HOST_DEVICE LinearFlow linearFlow(const IncomingLink& link,
                                          const AtOpening<typename Variant::Real>& at,
                                          const typename Variant::Storage* state,
                                          const model::StepParameters<typename Variant::Real>& p) {
  using Real = typename Variant::Real;
  const OpeningNode<Variant> node(state + link.node, p);
  const Real outgoing = Real(state[link.node + static_cast<std::uint64_t>(64U * link.direction)]);
  const Real excess = excessAt<Variant>(at, p);
  const Real atRest = pressurePopulation<Variant>(link, node, at, excess, outgoing, Real(0));
  const Real atOne = pressurePopulation<Variant>(link, node, at, excess, outgoing, Real(1));
  return {inFlowUnits(double(outgoing) - double(atRest)),
          inFlowUnits(double(atOne) - double(atRest))};
}

// Fraction of 1 / B that stays out of the reference. 1 / B is nearly twice the characteristic
// impedance of a tube; a sixth of that one suffices, since a wave passes many times in a beat.
constexpr double absorbedPart = 0.1;

// Time constant of Q_m, in crossings of the longest side by sound: the period of the slowest wave
// between a closed end and an open one, which then meets 0.98 of the resistance.
constexpr double meanCrossings = 4.0;

// Solves for the pressures of a step, in one thread. flows: sums over the outlets' links.
// coefficients: amplitudes of the step, on entry with the absolute pressures of the prescribed
// openings (prescribed: their indices), on return with pressures less the reference, times the
// ramp. commit: the step is made and capacitors are updated.
TESSERA_HOST_DEVICE void solveOutlets(const OutletShape& shape, const Outlet* outlets,
                                      const LinearFlow* flows, const std::uint32_t* prescribed,
                                      double* coefficients, OutletState* states, double* reference,
                                      bool commit) {
  const double ramp = coefficients[shape.rampCoefficient];
  double sum = 0.0;
  double weight = 0.0;
  for (std::uint32_t k = 0; k < shape.prescribed; ++k) {
    sum += coefficients[prescribed[k]];
    weight += 1.0;
  }
  for (std::uint32_t k = 0; k < shape.outlets; ++k) {
    const Outlet& o = outlets[k];
    const double atRest = double(flows[k].atRest) * flowUnit;
    const double slope = double(flows[k].slope) * flowUnit * ramp;
    // p = alpha + beta (A + B reference - B p)
    const double beta = o.proximal + o.gain;
    const double alpha = o.keep * states[k].capacitor + o.rest;
    // Contribution to the reference: p - stays (Q - Q_m).
    const double stays =
        o.gain > 0.0 ? (o.proximal * slope < absorbedPart ? o.proximal : absorbedPart / slope)
                     : 0.0;
    const double goes = (beta - stays) / (1.0 + beta * slope);
    sum += alpha + goes * (atRest - slope * alpha) + stays * states[k].mean;
    weight += 1.0 - goes * slope;
    states[k].flow = atRest;
    states[k].pressure = slope;
  }
  *reference = sum / weight;
  for (std::uint32_t k = 0; k < shape.prescribed; ++k)
    coefficients[prescribed[k]] = ramp * (coefficients[prescribed[k]] - *reference);
  for (std::uint32_t k = 0; k < shape.outlets; ++k) {
    const Outlet& o = outlets[k];
    OutletState& state = states[k];
    const double atRest = state.flow;
    const double slope = state.pressure;
    const double beta = o.proximal + o.gain;
    const double alpha = o.keep * state.capacitor + o.rest;
    state.pressure = (alpha + beta * (atRest + slope * *reference)) / (1.0 + beta * slope);
    state.flow = atRest - slope * (state.pressure - *reference);
    if (commit) {
      state.capacitor = alpha + o.gain * state.flow;
      state.mean += shape.meanGain * (state.flow - state.mean);
    }
    coefficients[o.coefficient] = ramp * (state.pressure - *reference);
  }
}

}  // namespace tessera::solver::boundary
