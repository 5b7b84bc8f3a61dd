// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces whose vertices scatter by a tenth of an edge or more, filtered for the search of ends:
// there the normal of a single triangle says little.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Whether a quarter of the edges or more bend outward by more than 8 degrees, a quarter or more
// inward, and either number is at least 0.6 times the other, in an even sample of up to 50,000:
// facets of a coarse wall bend outward more often. twin: of the mesh.
bool isNoisy(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin);

// Copy of a noisy mesh with the same triangles: normals filtered across edges with weights by the
// difference of the means about them (bilateral, Zheng et al., IEEE TVCG 17, 2011; guided, Zhang et
// al., CGF 34, 2015), so that rims stay sharp, then vertices moved to the planes of those normals
// (Sun et al., IEEE TVCG 13, 2007). Time and memory: proportional to the triangles. Empty: not
// noisy.
std::optional<geometry::TriangleMesh> withoutNoise(const geometry::TriangleMesh& mesh,
                                                   const std::vector<std::uint32_t>& twin);

// Radius (m) below which a flat place of a noisy mesh may be noise: three edges of its mean
// triangle.
double leastRadiusInNoise(const geometry::TriangleMesh& mesh);

}  // namespace tessera::preprocess::surface
