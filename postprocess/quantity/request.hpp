// SPDX-License-Identifier: GPL-3.0-or-later
// What a user asks for beyond what every run gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/quantity/centreline.hpp"
#include "postprocess/quantity/line_profile.hpp"
#include "postprocess/quantity/plane_flow.hpp"
#include "postprocess/quantity/wall_forces.hpp"

namespace tessera::postprocess::quantity {

struct Request {
  std::vector<Plane> planes;
  std::vector<Line> lines;
  int stations = 0;            // on each centreline; 0: none
  Polyline centreline;         // empty: found between the openings
  std::string centrelineName;  // of the given one
  Double3 momentsAbout{};      // m, world
  std::optional<ForceReference> reference;
};

}  // namespace tessera::postprocess::quantity
