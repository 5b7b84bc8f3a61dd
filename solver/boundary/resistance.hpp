// SPDX-License-Identifier: GPL-3.0-or-later
// Outlets behind a resistance, p = p_d + R Q, solved for in each step (outlets.hpp). The amplitude
// of the links is the pressure found. Formula of the links: pressure_link.hpp.
#pragma once

#include <optional>
#include <vector>

#include "solver/boundary/opening_table.hpp"
#include "solver/boundary/outlets.hpp"
#include "solver/boundary/planned_opening.hpp"

namespace tessera::solver::boundary {

struct Resistance {
  static constexpr const char* name = "resistance";
  double resistance = 0.0;  // Pa.s/m3
  double distal = 0.0;      // Pa, beyond the resistance
  double initial = 0.0;     // Pa

  static Resistance fromCase(OpeningTable& from);
  [[nodiscard]] Prescription prescription() const;
  [[nodiscard]] std::optional<Outlet> outlet(const model::Scales& scales) const;
  [[nodiscard]] OpeningLinks links(const PlannedOpening& opening) const;
  [[nodiscard]] Amplitudes amplitudes() const;
  [[nodiscard]] OpeningPhysics physics() const;
};

// Links and amplitudes of any outlet: both are solved for by the backend.
OpeningLinks outletLinks(const PlannedOpening& opening);
Amplitudes outletAmplitudes();

// Pa.s/m3 to r per flow rate of the lattice.
double latticeResistance(double resistance, const model::Scales& scales);

}  // namespace tessera::solver::boundary
