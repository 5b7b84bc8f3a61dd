// SPDX-License-Identifier: GPL-3.0-or-later
// Triangle mesh of the zero surface of a field: a surface net (surface_net.hpp) on blocks of 8x8x8
// cells near the surface, with its vertices projected onto it. The mesh is closed, edge-manifold
// and oriented outwards, independent of the number of threads; relax() improves the triangles'
// shape.
#pragma once

#include <functional>

#include "preprocess/geometry/distance_field.hpp"

namespace tessera::preprocess::mesher {

// The surface must lie inside the box. cell: side of a grid cell; edges average about 0.9 of it.
// Throws StageError(NoResource) for 2^32 or more vertices.
geometry::TriangleMesh isosurface(const geometry::DistanceField& field, const Double3& low,
                                  const Double3& high, double cell);

// Mesh improvement on an implicit surface: tangential relaxation and Delaunay edge flips.

// New position of a rim vertex from its position and the midpoint of its two rim neighbours.
using RimPosition = std::function<Double3(const Double3& at, const Double3& middle)>;

// Moves vertices along the surface towards the mean of their neighbours, rim vertices by onRim
// (fixed if empty), and flips edges towards Delaunay. The mesh must be manifold and near the
// field's surface. Independent of the number of threads.
void relax(geometry::TriangleMesh& mesh, const geometry::DistanceField& field, int rounds,
           const RimPosition& onRim = {});

}  // namespace tessera::preprocess::mesher
