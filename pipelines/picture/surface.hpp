// SPDX-License-Identifier: GPL-3.0-or-later
// Triangle surfaces: edges with the number of triangles that share them, and smooth normals.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

using Edge = std::array<std::uint32_t, 2>;  // vertex indices, ascending

// Visits each edge once, in ascending order, with the number of its triangles.
void forEachEdge(std::span<const stage::Triangle> triangle,
                 const std::function<void(const Edge& edge, std::size_t triangles)>& visit);

// Edges of one triangle only: the rims of the surface.
std::vector<Edge> rimEdges(std::span<const stage::Triangle> triangle);

// Unit normals at the corners: area-weighted over the triangles around the vertex whose normals are
// within `crease` degrees of the triangle's own, so that edges stay sharp and curves smooth.
std::vector<std::array<Float3, 3>> smoothNormals(std::span<const Double3> vertex,
                                                 std::span<const stage::Triangle> triangle,
                                                 double crease = 50.0);

}  // namespace tessera::picture
