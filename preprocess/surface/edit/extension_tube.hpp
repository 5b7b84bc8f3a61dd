// SPDX-License-Identifier: GPL-3.0-or-later
// --extend: a straight tube over an opening, along its normal.
#pragma once

#include <optional>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

// m, four times the area of an opening by the length of its rim. mesh: labelled.
double hydraulicDiameter(const geometry::TriangleMesh& mesh, const geometry::Opening& opening);

// How far (m) beyond the opening's centre the first triangle of the mesh, other than its cap, lies
// within the opening's outline moved along its normal; absent: none up to the length (m).
std::optional<double> firstObstacle(const geometry::TriangleMesh& mesh,
                                    const geometry::Opening& opening, double length);

// Moves the opening's cap by the length (m) along its normal, where it is flat and square to the
// tube that joins it to its rim. The tube is labelled as the wall beside it, and has no wall where
// the rim was open, as at the end of a periodic axis. The opening's centre moves with it; area and
// normal stay.
void extendBy(geometry::TriangleMesh& mesh, geometry::Opening& opening, double length);

}  // namespace tessera::preprocess::surface
