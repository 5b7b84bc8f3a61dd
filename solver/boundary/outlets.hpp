// SPDX-License-Identifier: GPL-3.0-or-later
// Openings whose pressure follows from their own flow rate Q (out of the fluid): a resistance, or
// the Windkessel of three elements (Westerhof, Lankhaar & Westerhof 2009),
//   p = R_p Q + p_c,   C dp_c/dt = Q - (p_c - p_d) / R_d,
// by implicit Euler over a step of the lattice,
//   p_c' = keep p_c + gain Q + rest,   p = R_p Q + p_c'
// (of a resistance keep = gain = 0 and rest = p_d). Q is what crosses the opening's links in this
// very step, and that is linear in the pressure: Q = A - B (p - reference), so pressure and flow
// rate are solved for together, without a lag, whatever the resistances. The reference is the mean
// pressure of all pressure openings in this step, solved for with them; an only outlet therefore
// lets the lattice's own pressure stay where it is. Were it all of it, outlets that swell together
// would feel no resistance, and the sound between a closing inlet and its outlets, which blood in
// elastic vessels has not, would never die: so of R_p (Q - Q_m) of a Windkessel a part is left out
// of the reference, a sixth of what would stop it all at once. Q_m is the mean of Q over the last
// few crossings of the geometry by sound: what lasts longer is no sound, and left out of the
// reference it would make the lattice's fluid denser. To sound the outlet is that part of R_p
// beside an inertance, which takes in energy at any frequency and gives none. Pressures here are r
// = 3 p, flow rates in spacings^3 a step; sums of whole multiples of 2^-50, which do not depend on
// their order.
#pragma once

#include <cmath>

#include "solver/boundary/incoming.hpp"

namespace tessera {

struct Outlet {
  double proximal;  // R_p
  double keep;
  double gain;
  double rest;
  std::uint32_t coefficient;  // its pressure's, among those of a step
  std::uint32_t opening;
};

// Part of an outlet's links, added up by one block of threads.
struct FlowChunk {
  std::uint32_t first;  // in Domain::outletLinks
  std::uint32_t count;  // at most outletChunk
  std::uint32_t outlet;
};
constexpr std::uint32_t outletChunk = 256;

// A flow rate of atRest - slope * r, in multiples of 2^-50.
struct LinearFlow {
  std::int64_t atRest;
  std::int64_t slope;
};
constexpr double flowUnit = 0x1p-50;

// Of one link, of which no sound flow carries as much as 1.
TESSERA_ANY std::int64_t inFlowUnits(double flow) {
  const double bounded = flow < 1.0 ? (flow > -1.0 ? flow : -1.0) : 1.0;
  return static_cast<std::int64_t>(std::floor(bounded / flowUnit + 0.5));
}

TESSERA_ANY void addFlow(const LinearFlow& from, LinearFlow& to) {
  to.atRest += from.atRest;
  to.slope += from.slope;
}

struct OutletState {
  double capacitor = 0.0;  // p_c
  double pressure = 0.0;   // p
  double flow = 0.0;       // Q
  double mean = 0.0;       // Q_m, of the steps before
};

// What solveOutlets reads beside outlets and flows.
struct OutletShape {
  std::uint32_t outlets;
  std::uint32_t prescribed;       // openings with a pressure of their own
  std::uint32_t rampCoefficient;  // among those of a step
  double meanGain;                // that Q_m moves towards Q in a step
};

template <class Variant>
TESSERA_ANY LinearFlow linearFlow(const IncomingLink& link, const typename Variant::Storage* state,
                                  const StepParameters<typename Variant::Real>& p) {
  using Real = typename Variant::Real;
  const OpeningNode<Variant> node(state + link.node, p);
  const Real outgoing = Real(state[link.node + static_cast<std::uint64_t>(64U * link.direction)]);
  const Real atRest = incomingAtPressure<Variant>(link, node, outgoing, Real(0));
  const Real atOne = incomingAtPressure<Variant>(link, node, outgoing, Real(1));
  return {inFlowUnits(double(outgoing) - double(atRest)),
          inFlowUnits(double(atOne) - double(atRest))};
}

// Of 1 / B, nearly twice the resistance that sound meets in a tube: a sixth of that one, since a
// wave comes by many times in a beat.
constexpr double soundTaken = 0.1;

// Crossings of the longest side by sound, the time constant of Q_m: as long as the slowest wave
// between a closed end and an open one takes, which so meets 0.98 of the resistance.
constexpr double meanCrossings = 4.0;

// Solves for this step's pressures, by one thread. flows: of the outlets' links. On entry
// coefficients holds those of a step, with the absolute pressures of the prescribed openings
// (prescribed: their places); on return pressures less the reference, times the ramp. commit: the
// step is taken, capacitors move on.
TESSERA_ANY void solveOutlets(const OutletShape& shape, const Outlet* outlets,
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
    // Its part of the reference is p - stays (Q - Q_m).
    const double stays =
        o.gain > 0.0 ? (o.proximal * slope < soundTaken ? o.proximal : soundTaken / slope) : 0.0;
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

}  // namespace tessera
