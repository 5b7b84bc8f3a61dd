// SPDX-License-Identifier: GPL-3.0-or-later
// Outlets that each take a fraction of the inflow: a velocity condition whose flow rate follows the
// prescribed inflow in each step. The outlet with the largest fraction takes the remainder and
// holds the pressure, at 0 Pa: with all flow rates prescribed an incompressible flow would have no
// level of pressure. Formula of the links: velocity_link.hpp, of that outlet pressure_link.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solver/boundary/opening_table.hpp"
#include "solver/boundary/outlets.hpp"
#include "solver/boundary/planned_opening.hpp"

namespace tessera::solver::boundary {

// An inlet's share in the largest inflow, and its course in time.
struct InflowShare {
  double share = 0.0;
  std::shared_ptr<const Waveform> series = nullptr;
};

struct OutflowSplit {
  static constexpr const char* name = "outflow-split";
  Profile profile = Profile::Developed;
  double fraction = -1.0;  // of the inflow; negative: by Murray's law
  // By splitOutflow():
  double mean = 0.0;  // m/s into the fluid, at the largest inflow
  bool takesRest = false;
  std::vector<InflowShare> inflow = {};

  static OutflowSplit fromCase(OpeningTable& from);
  [[nodiscard]] Prescription prescription() const;
  [[nodiscard]] std::optional<Outlet> outlet(const model::Scales&) const { return std::nullopt; }
  [[nodiscard]] OpeningLinks links(const PlannedOpening& opening) const;
  [[nodiscard]] Amplitudes amplitudes() const;
  [[nodiscard]] OpeningPhysics physics() const;
};

// An opening next to outflow splits.
struct SplitOpening {
  const preprocess::geometry::Opening& opening;
  Prescription other;   // of an opening that is no split
  OutflowSplit* split;  // null: no split
};

// Completes the splits of a case, one entry per opening of the geometry. Fractions left open share
// the remainder by Murray's law, as the cube of the radius (1926; in 2D the square of the width).
// Throws StageError(Usage) for fractions that do not add up, without an inflow, or next to openings
// with a pressure of their own.
void splitOutflow(const std::string& caseName, int dimensions,
                  const std::vector<SplitOpening>& openings);

}  // namespace tessera::solver::boundary
