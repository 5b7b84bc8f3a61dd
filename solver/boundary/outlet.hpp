// SPDX-License-Identifier: GPL-3.0-or-later
// Records of openings whose pressure follows from their flow rate, in lattice units: pressures are
// r = 3 p, flow rates spacings^3 per step (outlets.hpp).
#pragma once

#include <cstdint>

namespace tessera::solver::boundary {

// p = R_p Q + p_c' with p_c' = keep p_c + gain Q + rest.
struct Outlet {
  double proximal;  // R_p
  double keep;
  double gain;
  double rest;
  std::uint32_t coefficient;  // index of its pressure among the amplitudes of a step
  std::uint32_t opening;
};

// Part of an outlet's links, summed by one block of threads.
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

}  // namespace tessera::solver::boundary
