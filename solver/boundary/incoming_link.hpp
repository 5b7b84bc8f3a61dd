// SPDX-License-Identifier: GPL-3.0-or-later
// A link through which something comes in, as a backend needs it.
#pragma once

#include <cstdint>

namespace tessera {

enum class LinkCondition : std::uint8_t { Velocity, Pressure, ZouHeVelocity, ZouHePressure };

struct IncomingLink {
  std::uint64_t node;      // index of population 0 of the fluid node
  std::uint64_t target;    // index of the population to be filled
  double value;            // velocity: 6 w_i c_i . v, of Zou & He the velocity out of the fluid;
                           // pressure: r_p = 3 p / rho; at amplitude 1
  float c[3];              // c_i
  std::uint32_t basis;     // where its basis values begin, see OpeningValues
  double weight;           // w_i
  double speedSquared;     // velocity: |v|^2 at amplitude 1
  std::uint8_t direction;  // i
  LinkCondition condition;
  std::uint16_t opening;
  std::uint8_t siblingsBefore;  // links of the same node and opening stand together
  std::uint8_t siblings;        // their number, this one included
  std::uint8_t axis;            // of Zou & He: the one the opening lies across
};

// What is recorded of a link: mass that leaves through it in a step, and r of its node.
struct LinkSample {
  double outflow;
  double r;
};

}  // namespace tessera
