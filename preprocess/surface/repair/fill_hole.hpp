// SPDX-License-Identifier: GPL-3.0-or-later
// Triangles over a hole far from any plane, by CGAL (Polygon Mesh Processing).
#pragma once

#include <span>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

// The triangulation of the rim's points that bends and measures least, without new points, as
// indices into the rim; empty where there is none, or the rim is too long for its cubic cost.
std::vector<stage::Triangle> fillHole(std::span<const Double3> rim);

}  // namespace tessera::preprocess::surface
