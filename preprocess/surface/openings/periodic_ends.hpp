// SPDX-License-Identifier: GPL-3.0-or-later
// A periodic axis has no walls at its ends.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "preprocess/geometry/mesh_measure.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

// Takes the triangles on the end planes of periodic axes out, and the caps they belong to; returns
// these triangles. tolerance: m, of a vertex to a plane.
std::vector<stage::Triangle> openPeriodicEnds(geometry::TriangleMesh& mesh, std::vector<Cap>& caps,
                                              const geometry::Bounds& bounds,
                                              const std::array<bool, 3>& periodic,
                                              double tolerance);

// A sentence for each periodic axis on which the ends taken out do not look like each other, by
// area and middle, to a fiftieth: what leaves the fluid there meets a wall. bounds: of the closed
// mesh.
std::vector<std::string> describeUnlikeEnds(const geometry::TriangleMesh& mesh,
                                            const std::vector<stage::Triangle>& ends,
                                            const geometry::Bounds& bounds,
                                            const std::array<bool, 3>& periodic, double tolerance);

}  // namespace tessera::preprocess::surface
