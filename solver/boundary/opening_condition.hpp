// SPDX-License-Identifier: GPL-3.0-or-later
// What a case says about an opening, in SI units.
#pragma once

#include <memory>

#include "solver/boundary/waveform.hpp"

namespace tessera {

enum class OpeningKind { Velocity, FlowRate, Pressure, Resistance, Windkessel, OutflowSplit };
enum class Profile { Plug, Parabolic, Developed, Womersley };

// Largest over mean velocity of the parabola: of a round tube, in 2D of a plane channel.
constexpr double parabolicPeak(int dimensions) {
  return dimensions == 2 ? 1.5 : 2.0;
}

struct OpeningCondition {
  OpeningKind kind = OpeningKind::Pressure;
  Profile profile = Profile::Plug;
  double mean = 0.0;      // m/s into the fluid, averaged over the opening's area; of a waveform the
                          // largest magnitude
  double pressure = 0.0;  // Pa, gauge; of outlets to begin with
  // In time, in units of the kind (m/s, m3/s, Pa); null: constant.
  std::shared_ptr<const Waveform> waveform = nullptr;
  double resistance = 0.0;   // Pa.s/m3; of a Windkessel the distal one
  double proximal = 0.0;     // Pa.s/m3
  double compliance = 0.0;   // m3/Pa
  double distal = 0.0;       // Pa, beyond the resistance
  double fraction = 0.0;     // of the inflow, of an outflow split
  bool takesRest = false;    // the outlet of a split that holds the pressure's level
  double inflowShare = 0.0;  // of an inlet in the inflow that outlets split
  bool zouHe = false;        // the scheme of Zou & He, at openings across an axis of the lattice
};

// The pressure is given, not the flow rate.
inline bool prescribesPressure(const OpeningCondition& condition) {
  return condition.kind == OpeningKind::Pressure ||
         (condition.kind == OpeningKind::OutflowSplit && condition.takesRest);
}
// The pressure follows from the flow rate.
inline bool isCoupled(const OpeningCondition& condition) {
  return condition.kind == OpeningKind::Resistance || condition.kind == OpeningKind::Windkessel;
}
inline bool prescribesVelocity(const OpeningCondition& condition) {
  return !prescribesPressure(condition) && !isCoupled(condition);
}

const char* nameOf(OpeningKind kind);

}  // namespace tessera
