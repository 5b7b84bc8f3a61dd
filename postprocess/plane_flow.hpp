// SPDX-License-Identifier: GPL-3.0-or-later
// Flow through any plane, by quadrature on the plane itself.
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

// Over the connected part of the cross-section that holds the plane's point; nullopt when the
// point lies in the solid. Walls are taken half way along their links and the velocity falls
// linearly to zero there. Keep one node away from openings.
std::optional<PlaneSummary> planeFlow(const Plane& plane, const NodeLookup& lookup,
                                      const Fields& fields);

}  // namespace tessera
