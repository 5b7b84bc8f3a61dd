// SPDX-License-Identifier: GPL-3.0-or-later
// Removal of the walls at the ends of periodic axes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

// Removes the triangles on the end planes of periodic axes, their caps and candidates; returns
// these triangles. tolerance: m, distance of a vertex from a plane.
std::vector<stage::Triangle> openPeriodicEnds(geometry::TriangleMesh& mesh, std::vector<Cap>& caps,
                                              std::vector<OpeningCandidate>& candidates,
                                              const geometry::Bounds& bounds,
                                              const std::array<bool, 3>& periodic,
                                              double tolerance);

// One sentence for each periodic axis whose removed ends differ by more than 2 % in area or centre:
// fluid that leaves there meets a wall. bounds: of the closed mesh.
std::vector<std::string> describeMismatchedEnds(const geometry::TriangleMesh& mesh,
                                                const std::vector<stage::Triangle>& ends,
                                                const geometry::Bounds& bounds,
                                                const std::array<bool, 3>& periodic,
                                                double tolerance);

}  // namespace tessera::preprocess::surface
