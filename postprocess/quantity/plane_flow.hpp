// SPDX-License-Identifier: GPL-3.0-or-later
// Flow through any plane.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

struct Plane {
  std::string name;
  Double3 point{};   // m, world
  Double3 normal{};  // unit, world
};

// "name=x,y,z;nx,ny,nz" or without the name, which is then "plane1" for index 0. Coordinates are
// lengths ("1 mm") or bare metres. Throws StageError(Usage).
Plane parsePlane(const std::string& text, std::size_t index);

// See crossSection(); nullopt when the point lies in the solid. Keep one node away from openings.
std::optional<results::PlaneSummary> planeFlow(const Plane& plane, const fields::NodeLookup& lookup,
                                               const solver::file::Fields& fields);

// All planes, in parallel. Throws StageError(Usage) for one whose point lies in the solid.
std::vector<results::PlaneSummary> planeSummaries(const std::vector<Plane>& planes,
                                                  const fields::NodeLookup& lookup,
                                                  const solver::file::Fields& fields);

}  // namespace tessera::postprocess::quantity
