// SPDX-License-Identifier: GPL-3.0-or-later
// --extend: a straight tube from an opening, along its normal.
#pragma once

#include <optional>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

// Hydraulic diameter in m: four times the area over the perimeter of an opening. mesh: labelled.
double hydraulicDiameter(const geometry::TriangleMesh& mesh, const geometry::Opening& opening);

// Distance (m) from the opening's centre along its normal to the first triangle, other than its
// cap, within the opening's extruded outline; absent: none up to the length (m).
std::optional<double> firstObstacle(const geometry::TriangleMesh& mesh,
                                    const geometry::Opening& opening, double length);

// Moves the opening's cap by the length (m) along its normal, where it becomes flat and
// perpendicular to the tube that joins it to its rim. The tube gets the label of the adjacent wall,
// and has no wall where the rim is open, as at the end of a periodic axis. The opening's centre
// moves; area and normal stay.
void extendBy(geometry::TriangleMesh& mesh, geometry::Opening& opening, double length);

}  // namespace tessera::preprocess::surface
