// SPDX-License-Identifier: GPL-3.0-or-later
// The zero surface of a field as an evenly sized triangle mesh: a surface net (surface_net.hpp) on
// the cells near the surface, every vertex moved onto the surface. The mesh is closed, manifold by
// edges and oriented outwards, and has the same bytes on any number of threads. relax() makes its
// triangles well-shaped.
#pragma once

#include "preprocess/geometry/distance_field.hpp"

namespace tessera::preprocess::mesher {

// The surface must lie inside the box. cell: side of a grid cell; the triangles' edges average
// about 0.9 of it. Throws StageError(NoResource) for more vertices than 32 bits count.
geometry::TriangleMesh isosurface(const geometry::DistanceField& field, const Double3& low,
                                  const Double3& high, double cell);

}  // namespace tessera::preprocess::mesher
