// SPDX-License-Identifier: GPL-3.0-or-later
// Self-intersections: pairs of triangles that meet elsewhere than in shared vertices and edges, by
// CGAL's exact predicates (its Polygon Mesh Processing requires manifold meshes).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/surface/health/surface_health.hpp"

namespace tessera::preprocess::surface {

struct SelfIntersections {
  std::vector<std::array<std::uint32_t, 2>> pairs;  // triangles, lower first; ascending
  bool complete = true;  // false: aborted, too many boxes of triangles overlap
};

// Ignores degenerate triangles and pairs with the same three vertices. Independent of the number of
// threads, unless aborted.
SelfIntersections findSelfIntersections(const geometry::TriangleMesh& mesh);

// Whether some triangle of one set meets one of the other. Ignores degenerate triangles.
bool doMeet(const geometry::TriangleMesh& mesh, std::span<const std::uint32_t> a,
            std::span<const std::uint32_t> b);

// Sets the numbers of self-intersections and overlapping parts in the report. closingFrom: the
// first triangle added by the repair.
void countSelfIntersections(const geometry::TriangleMesh& mesh, std::uint32_t closingFrom,
                            HealthReport& health);

}  // namespace tessera::preprocess::surface
