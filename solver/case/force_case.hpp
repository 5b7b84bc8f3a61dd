// SPDX-License-Identifier: GPL-3.0-or-later
// [forces] of the case: the point of torques, and the reference of drag and lift coefficients.
#pragma once

#include <cstdint>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/vec3.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// World axes, SI units.
struct ForceCase {
  Double3 torqueAbout{};           // m
  double velocity = 0.0;           // m/s; 0: no coefficients
  double area = 0.0;               // m2
  double length = 0.0;             // m, of the Strouhal number; 0: unknown
  Double3 flow{};                  // unit
  Double3 across{};                // unit, perpendicular to flow; 0: no lift
  std::vector<std::size_t> walls;  // labels of the body; empty: all
};

// Throws StageError(Usage) with file and line.
ForceCase readForces(stage::CaseTable table, const tiler::TiledGeometry& geometry);

}  // namespace tessera::solver::cases
