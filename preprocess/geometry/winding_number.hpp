// SPDX-License-Identifier: GPL-3.0-or-later
// How often triangles wind around a point: the sum of their solid angles after Van Oosterom &
// Strackee, IEEE Trans Biomed Eng BME-30:125 (1983).
#pragma once

#include <cstdint>
#include <span>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::geometry {

// The triangles' solid angle seen from the point, in parts of the whole: of a closed outward
// surface 1 inside and 0 outside. On a triangle rounding decides.
double windingAround(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles,
                     const Double3& point);

}  // namespace tessera::preprocess::geometry
