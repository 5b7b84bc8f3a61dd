// SPDX-License-Identifier: GPL-3.0-or-later
// Flow through planes; velocity and pressure along lines.
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
  Double3 point{};      // m, world
  Double3 normal{};     // unit, world
  std::string asked{};  // point as the user wrote it
};

// Parses "name=x,y,z;nx,ny,nz", or without the name, which is then "plane1" for index 0.
// Coordinates are lengths
// ("1 mm") or metres. Throws StageError(Usage).
Plane parsePlane(const std::string& text, std::size_t index);

// See crossSection(); nullopt if the point is solid. Planes should be one node away from openings.
std::optional<results::PlaneSummary> planeFlow(const Plane& plane, const fields::NodeLookup& lookup,
                                               const solver::file::Fields& fields);

// All planes, in parallel. A plane whose point is solid is left out, with a warning.
std::vector<results::PlaneSummary> planeSummaries(const std::vector<Plane>& planes,
                                                  const fields::NodeLookup& lookup,
                                                  const solver::file::Fields& fields,
                                                  std::vector<std::string>& warnings);

struct Line {
  std::string name;
  Double3 from{}, to{};  // m, world
  int points = 0;        // evenly spaced, both ends included
  std::string asked{};   // points as the user wrote them
};

// Parses "name=x,y,z;x,y,z;points", or without the name, which is then "line1" for index 0.
// Coordinates are lengths ("1 mm") or metres; 2 to 1,000,000 points. Throws StageError(Usage).
Line parseLine(const std::string& text, std::size_t index);

// Velocity and pressure along lines, trilinear between the nodes; towards a wall the velocity falls
// linearly to zero halfway along the links. A line without points in the fluid is left out, with a
// warning.
std::vector<results::LineProfile> lineProfiles(const std::vector<Line>& lines,
                                               const fields::NodeLookup& lookup,
                                               const solver::file::Fields& fields,
                                               std::vector<std::string>& warnings);

}  // namespace tessera::postprocess::quantity
