// SPDX-License-Identifier: GPL-3.0-or-later
// Openings with a prescribed mean velocity or flow rate: the profile in the plane of the opening,
// scaled so that exactly the prescribed flow rate crosses the links, and its amplitudes in time.
// Formula of the links: velocity_link.hpp, or zou_he.hpp.
//   plug, parabolic and others: one mode, value(link) = 6 w c . v, a_0 = series / largest;
//   table with several times: a mode for each, and its weight in time;
//   womersley: mode 0 is the parabola, modes 1 + 2 h and 2 + 2 h the real and minus the imaginary
//     part of harmonic h + 1 of the series, whose real and imaginary parts are their amplitudes.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "solver/boundary/opening_table.hpp"
#include "solver/boundary/outlets.hpp"
#include "solver/boundary/planned_opening.hpp"

namespace tessera::solver::boundary {

struct ProfileShape;

struct Velocity {
  static constexpr const char* name = "velocity";
  Profile profile = Profile::Plug;
  double mean = 0.0;  // m/s into the fluid, averaged over the opening; of a series the largest
                      // magnitude; negative with direction = "out"
  std::shared_ptr<const Waveform> series = nullptr;  // in units of the kind; null: constant
  bool zouHe = false;
  std::shared_ptr<const ProfileShape> shape = nullptr;  // of profiles with keys of their own

  static Velocity fromCase(OpeningTable& from);
  [[nodiscard]] Prescription prescription() const;
  [[nodiscard]] std::optional<Outlet> outlet(const model::Scales&) const { return std::nullopt; }
  [[nodiscard]] OpeningLinks links(const PlannedOpening& opening) const;
  [[nodiscard]] Amplitudes amplitudes() const;
  [[nodiscard]] OpeningPhysics physics() const;
};

// The same, read from the flow rate.
struct FlowRate : Velocity {
  static constexpr const char* name = "flow-rate";
  static FlowRate fromCase(OpeningTable& from);
};

// Value of a series relative to its largest magnitude; 1 without a series.
double relativeValue(const Waveform* series, double t);

// Harmonics of a periodic series about its mean, relative to its largest magnitude: value(t) is the
// real part of the sum of amplitude[h] exp(i (h + 1) omega t), plus a remainder.
struct Harmonics {
  double omega = 0.0;  // 1/s
  std::vector<std::complex<double>> amplitude;
};

// As many as represent all but 1e-4 of the series' root mean square, at most 24.
Harmonics harmonicsOf(const Waveform& waveform);

}  // namespace tessera::solver::boundary
