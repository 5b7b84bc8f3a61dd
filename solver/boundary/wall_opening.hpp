// SPDX-License-Identifier: GPL-3.0-or-later
// Openings that a case closes: kind = "wall". Nothing is prescribed; their links belong to a wall
// at rest with a label of its own, closeWallOpenings() in solver/case.
#pragma once

#include <optional>
#include <span>

#include "solver/boundary/opening_table.hpp"
#include "solver/boundary/outlets.hpp"
#include "solver/boundary/planned_opening.hpp"

namespace tessera::solver::boundary {

struct WallOpening {
  static constexpr const char* name = "wall";

  static WallOpening fromCase(OpeningTable&) { return {}; }
  [[nodiscard]] Prescription prescription() const { return {.prescribed = Prescribed::Nothing}; }
  [[nodiscard]] std::optional<Outlet> outlet(const model::Scales&) const { return std::nullopt; }
  [[nodiscard]] OpeningLinks links(const PlannedOpening&) const { return {}; }
  [[nodiscard]] Amplitudes amplitudes() const {
    return {1, [](const OpeningMoment&, std::span<double> out) { out[0] = 0.0; }};
  }
  [[nodiscard]] OpeningPhysics physics() const { return {}; }
};

}  // namespace tessera::solver::boundary
