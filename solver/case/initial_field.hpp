// SPDX-License-Identifier: GPL-3.0-or-later
// [initial]: velocity and pressure at the start, by name or by formulas.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/case/formula.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// The vortices of Taylor & Green 1937 with whole numbers of waves in the box, whose phase begins at
// its lower corner: along its axes, with k_a = 2 pi waves_a / side_a,
//   u = A sin(k_x x) cos(k_y y) cos(k_z z), v = -A k_x / k_y cos(k_x x) sin(k_y y) cos(k_z z), w =
//   0.
// In 2D, and with k_z = 0, they decay without a change of shape.
struct TaylorGreen {
  double amplitude = 0.0;          // m/s
  std::array<double, 3> number{};  // k, 1/m
  double density = 0.0;            // kg/m3

  // Velocity, m/s, and pressure, Pa, which solves Poisson's equation; along the box, m from its
  // lower corner.
  [[nodiscard]] Double3 velocity(const Double3& at) const;
  [[nodiscard]] double pressure(const Double3& at) const;
};

struct InitialField {
  // Step of the central differences of the velocity around a node, spacings.
  static constexpr double differenceStep = 1.0 / 64.0;

  std::optional<TaylorGreen> vortices;
  // Functions of x, y, z (m, world): m/s in the world, Pa; absent: 0.
  std::array<std::optional<stage::Formula>, 3> velocityFormula;
  std::optional<stage::Formula> pressureFormula;
  std::string text;      // for the log
  std::string hash;      // of all that determines it
  double fastest = 0.0;  // largest speed at a node of this rank, m/s

  // m/s along the lattice's axes, and Pa, at a position in lattice coordinates.
  [[nodiscard]] Double3 velocityAt(const Double3& node,
                                   const preprocess::geometry::Frame& frame) const;
  [[nodiscard]] double pressureAt(const Double3& node,
                                  const preprocess::geometry::Frame& frame) const;
};

// Null without the table. Throws StageError(Usage) with file and line, also for values that are not
// finite at a node, or beside it where the strain rate is measured; every node of this rank is
// visited.
std::shared_ptr<const InitialField> readInitialField(stage::CaseTable table, double density,
                                                     const tiler::TiledGeometry& geometry);

}  // namespace tessera::solver::cases
