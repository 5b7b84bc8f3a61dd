// SPDX-License-Identifier: GPL-3.0-or-later
// Outlets with the three-element Windkessel (Westerhof, Lankhaar & Westerhof 2009),
//   p = R_p Q + p_c,   C dp_c/dt = Q - (p_c - p_d) / R_d,
// by implicit Euler over a time step, first order in the time step over C R_d; solved for in each
// step together with the flow rate (outlets.hpp). Formula of the links: pressure_link.hpp.
#pragma once

#include <optional>
#include <vector>

#include "solver/boundary/opening_table.hpp"
#include "solver/boundary/outlets.hpp"
#include "solver/boundary/planned_opening.hpp"

namespace tessera::solver::boundary {

struct Windkessel {
  static constexpr const char* name = "windkessel";
  double proximal = 0.0;    // R_p, Pa.s/m3
  double compliance = 0.0;  // C, m3/Pa
  double resistance = 0.0;  // R_d, Pa.s/m3
  double distal = 0.0;      // p_d, Pa
  double initial = 0.0;     // Pa

  static Windkessel fromCase(OpeningTable& from);
  [[nodiscard]] Prescription prescription() const;
  [[nodiscard]] std::optional<Outlet> outlet(const model::Scales& scales) const;
  [[nodiscard]] OpeningLinks links(const PlannedOpening& opening) const;
  [[nodiscard]] Amplitudes amplitudes() const;
  [[nodiscard]] OpeningPhysics physics() const;
};

}  // namespace tessera::solver::boundary
