// SPDX-License-Identifier: GPL-3.0-or-later
// What a user asks for beyond what every run gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postprocess/centreline.hpp"
#include "postprocess/line_profile.hpp"
#include "postprocess/plane_flow.hpp"
#include "postprocess/wall_forces.hpp"

namespace tessera {

struct Request {
  std::vector<Plane> planes;
  std::vector<Line> lines;
  int stations = 0;            // on each centreline; 0: none
  Polyline centreline;         // empty: found between the openings
  std::string centrelineName;  // of the given one
  Double3 momentsAbout{};      // m, world
  std::optional<ForceReference> reference;
};

}  // namespace tessera
