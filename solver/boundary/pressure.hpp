// SPDX-License-Identifier: GPL-3.0-or-later
// Openings with a prescribed pressure, constant or in time. Lattice pressures are relative to the
// mean of all pressure openings: value(link) a_0 = ramp r, r = 3 (p - reference). Constant: the
// link carries r and a_0 is the ramp; else the link carries 1 and a_0 is ramp r, or, next to
// outlets whose pressure follows from their flow rate, 3 p, from which solveOutlets() finds ramp r.
// Formula of the links: pressure_link.hpp, or zou_he.hpp.
#pragma once

#include <optional>
#include <vector>

#include "solver/boundary/opening_table.hpp"
#include "solver/boundary/outlets.hpp"
#include "solver/boundary/planned_opening.hpp"

namespace tessera::solver::boundary {

struct Pressure {
  static constexpr const char* name = "pressure";
  double value = 0.0;                                // Pa, gauge; of a series the largest magnitude
  std::shared_ptr<const Waveform> series = nullptr;  // Pa; null: constant
  bool zouHe = false;

  static Pressure fromCase(OpeningTable& from);
  [[nodiscard]] Prescription prescription() const;
  [[nodiscard]] std::optional<Outlet> outlet(const model::Scales&) const { return std::nullopt; }
  [[nodiscard]] OpeningLinks links(const PlannedOpening& opening) const;
  [[nodiscard]] Amplitudes amplitudes() const;
  [[nodiscard]] OpeningPhysics physics() const;
};

}  // namespace tessera::solver::boundary
