// SPDX-License-Identifier: GPL-3.0-or-later
// Normals that make a surface of triangles look as smooth as it was meant.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pipelines/stage/triangle.hpp"
#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

// Unit normals at the corners: area-weighted over the triangles around the vertex whose normals are
// within `crease` degrees of the triangle's own, so that edges stay sharp and curves smooth.
std::vector<std::array<Float3, 3>> smoothNormals(std::span<const Double3> vertex,
                                                 std::span<const stage::Triangle> triangle,
                                                 double crease = 50.0);

}  // namespace tessera::picture
