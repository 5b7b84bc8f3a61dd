// SPDX-License-Identifier: GPL-3.0-or-later
// Velocity and pressure along a straight line.
#pragma once

#include <string>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

struct Line {
  std::string name;
  Double3 from{}, to{};  // m, world
  int points = 0;        // evenly, both ends included
};

// "name=x,y,z;x,y,z;points" or without the name, which is then "line1" for index 0. Coordinates are
// lengths ("1 mm") or bare metres; 2 to 1,000,000 points. Throws StageError(Usage).
Line parseLine(const std::string& text, std::size_t index);

// Trilinear between the nodes; towards a wall the velocity falls linearly to zero half way along
// the links. Throws StageError(Usage) for a line with no point in the fluid.
std::vector<results::LineProfile> lineProfiles(const std::vector<Line>& lines,
                                               const fields::NodeLookup& lookup,
                                               const solver::file::Fields& fields);

}  // namespace tessera::postprocess::quantity
