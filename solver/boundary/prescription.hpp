// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that the kinds of opening conditions share: the summary that the rest of the solver reads,
// and amplitudes in time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/boundary/waveform.hpp"

namespace tessera::solver::boundary {

// The number is part of the physics hash of checkpoints: new ones come last.
enum class Profile { Plug, Parabolic, Developed, Womersley, BiParabolic, PowerLaw, Formula, Table };

// Largest over mean velocity of the parabola: of a round tube, in 2D of a plane channel.
constexpr double parabolicPeak(int dimensions) {
  return dimensions == 2 ? 1.5 : 2.0;
}

// Relation: the pressure follows from the flow rate. Nothing: the opening is a wall.
enum class Prescribed { Velocity, Pressure, Relation, Nothing };

// Summary of a condition, SI units.
struct Prescription {
  Prescribed prescribed = Prescribed::Velocity;
  Profile profile = Profile::Plug;
  double mean = 0.0;      // m/s into the fluid, averaged over the opening; of a series the largest
                          // magnitude
  double pressure = 0.0;  // Pa, gauge; of a relation the initial one
  std::shared_ptr<const Waveform> series =
      nullptr;         // in time, in units of the kind; null: constant
  bool zouHe = false;  // scheme of Zou & He, at openings across an axis of the lattice
  double peak = 0.0;   // largest speed of the profile over the mean; 0: unknown
  std::string file{};  // base name and hash of the profile's table; empty: none
  std::string fileHash{};

  // Largest over mean velocity, known or supposed.
  [[nodiscard]] double peakOverMean(int dimensions) const {
    if (peak > 0.0) return peak;
    if (profile == Profile::Plug) return 1.0;
    const double parabola = parabolicPeak(dimensions);
    if (profile != Profile::BiParabolic || dimensions == 2) return parabola;
    return parabolicPeak(2) * parabolicPeak(2);
  }
  [[nodiscard]] double pressureAt(double t) const { return series ? series->at(t) : pressure; }
};

// Values of a condition on which results depend, SI units, for the physics hash; other members of a
// kind are zero.
struct OpeningPhysics {
  double profile = 0.0;  // number of the Profile
  double mean = 0.0;
  double pressure = 0.0;
  double resistance = 0.0;  // of a windkessel the distal one
  double proximal = 0.0;
  double compliance = 0.0;
  double distal = 0.0;  // pressure
  double fraction = 0.0;
  bool zouHe = false;
  std::vector<double> others = {};  // that no kind above has
};

// Constant: links carry pressure differences and the amplitude is the ramp. Varying: amplitudes are
// the ramp times pressures less their mean. Coupled: amplitudes are absolute pressures, from which
// solveOutlets() subtracts the reference.
enum class PressureCourse { Constant, Varying, Coupled };

// One time step as conditions see it.
struct OpeningMoment {
  double time = 0.0;  // s, of the middle of the step
  double ramp = 1.0;
  PressureCourse course = PressureCourse::Constant;
  double reference = 0.0;      // Pa, mean of the pressure openings where these vary
  double pressureScale = 1.0;  // Pa per lattice unit
};

// Amplitudes of a condition's modes: write() fills those of a step (link.hpp).
struct Amplitudes {
  std::uint32_t modes = 1;
  std::function<void(const OpeningMoment&, std::span<double>)> write;
};

}  // namespace tessera::solver::boundary
