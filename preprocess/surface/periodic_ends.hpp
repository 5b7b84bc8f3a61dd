// SPDX-License-Identifier: GPL-3.0-or-later
// A periodic axis has no walls at its ends.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "preprocess/surface/mesh_measure.hpp"
#include "preprocess/surface/repair.hpp"

namespace tessera {

// Takes the triangles on the end planes of periodic axes out, and the caps they belong to; returns
// these triangles. tolerance: m, of a vertex to a plane.
std::vector<Triangle> openPeriodicEnds(TriangleMesh& mesh, std::vector<Cap>& caps,
                                       const Bounds& bounds, const std::array<bool, 3>& periodic,
                                       double tolerance);

// A sentence for each periodic axis on which the ends taken out do not look like each other, by
// area and middle, to a fiftieth: what leaves the fluid there meets a wall. bounds: of the closed
// mesh.
std::vector<std::string> describeUnlikeEnds(const TriangleMesh& mesh,
                                            const std::vector<Triangle>& ends, const Bounds& bounds,
                                            const std::array<bool, 3>& periodic, double tolerance);

}  // namespace tessera
