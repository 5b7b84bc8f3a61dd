// SPDX-License-Identifier: GPL-3.0-or-later
// Places that resemble openings and are none, for the user to decide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Place of triangles that are no opening, for the reason given.
OpeningCandidate candidateOf(const geometry::TriangleMesh& mesh,
                             const std::vector<std::uint32_t>& triangles,
                             const std::string& reason);

// Whether a flat region with the given rim is a ring, such as the end of an annular duct or of a
// solid body with a bore: it has holes, the surface turns down sharply (more than 45
// degrees over nine tenths of the length) at all of its rim, the holes' as well, and the outer loop
// is compact (4 pi A / P^2 > 0.5). The step where a pipe widens is none: there the inner wall lies
// before it. normal: of the region, unit, outward.
bool isFlatRing(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                const std::vector<std::uint32_t>& rim, const Double3& normal);

}  // namespace tessera::preprocess::surface
