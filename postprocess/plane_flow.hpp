// SPDX-License-Identifier: GPL-3.0-or-later
// Flow through any plane.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/node_lookup.hpp"
#include "postprocess/results.hpp"
#include "solver/fields_file.hpp"

namespace tessera {

struct Plane {
  std::string name;
  Double3 point{};   // m, world
  Double3 normal{};  // unit, world
};

// "name=x,y,z;nx,ny,nz" or without the name, which is then "plane1" for index 0. Coordinates are
// lengths ("1 mm") or bare metres. Throws StageError(Usage).
Plane parsePlane(const std::string& text, std::size_t index);

// See crossSection(); nullopt when the point lies in the solid. Keep one node away from openings.
std::optional<PlaneSummary> planeFlow(const Plane& plane, const NodeLookup& lookup,
                                      const Fields& fields);

// All planes, in parallel. Throws StageError(Usage) for one whose point lies in the solid.
std::vector<PlaneSummary> planeSummaries(const std::vector<Plane>& planes, const NodeLookup& lookup,
                                         const Fields& fields);

}  // namespace tessera
