// SPDX-License-Identifier: GPL-3.0-or-later
// Records of links through which populations enter, as kernels read them.
#pragma once

#include <cstdint>

namespace tessera::solver::boundary {

// Formula of a link's population (incoming.hpp).
enum class LinkCondition : std::uint8_t { Velocity, Pressure, ZouHeVelocity, ZouHePressure };

struct IncomingLink {
  std::uint64_t node;      // index of population 0 of the fluid node
  std::uint64_t target;    // index of the population to be filled
  double value;            // at amplitude 1 (OpeningValues). Velocity: 6 w_i c_i . v; by Zou & He
                           // the velocity out of the fluid; pressure: r_p = 3 p / rho
  float c[3];              // c_i
  std::uint32_t basis;     // first of its mode values, see OpeningValues
  double weight;           // w_i
  double speedSquared;     // velocity: |v|^2 at amplitude 1
  std::uint8_t direction;  // i, out of the fluid
  LinkCondition condition;
  std::uint16_t opening;
  std::uint8_t siblingsBefore;  // links of the same node and opening are neighbours in the list
  std::uint8_t siblings;        // their number, this one included
  std::uint8_t axis;            // Zou & He: the axis that the opening lies across
};

// Sample of a link: mass that leaves through it in a step, and r of its node.
struct LinkSample {
  double outflow;
  double r;
};

// Population copied before each step, across a periodic face that no tile meets.
struct PopulationCopy {
  std::uint64_t from;
  std::uint64_t to;
};

}  // namespace tessera::solver::boundary
