// SPDX-License-Identifier: GPL-3.0-or-later
// Where a surface runs through itself: pairs of triangles that meet elsewhere than in the vertices
// and the edge they share. Exact predicates of CGAL (Polygon Mesh Processing asks the same question
// of manifold meshes only).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/surface/health/surface_health.hpp"

namespace tessera::preprocess::surface {

struct SelfIntersections {
  std::vector<std::array<std::uint32_t, 2>> pairs;  // triangles, the lower first; ascending
  bool complete = true;  // false: given up, so many boxes of triangles overlap
};

// Triangles without an area are left out, and those that have the same three vertices. Same result
// for any number of threads, unless given up.
SelfIntersections findSelfIntersections(const geometry::TriangleMesh& mesh);

// Fills in what the health says about self-intersections and overlapping parts. closingFrom: the
// first triangle that the file did not have.
void countSelfIntersections(const geometry::TriangleMesh& mesh, std::uint32_t closingFrom,
                            HealthReport& health);

}  // namespace tessera::preprocess::surface
