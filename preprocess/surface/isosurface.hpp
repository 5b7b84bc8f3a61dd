// SPDX-License-Identifier: GPL-3.0-or-later
// The zero surface of a field as an evenly sized triangle mesh: surface nets (Gibson, "Constrained
// elastic surface nets", MICCAI 1998) on the cells near the surface, a vertex for each sheet in a
// cell (cell_curves.hpp), every vertex moved onto the surface. The mesh is closed, manifold by
// edges and oriented outwards, and has the same bytes on any number of threads. relax() makes its
// triangles well-shaped.
// Throws StageError(NoResource) for more vertices than 32 bits count.
#pragma once

#include "preprocess/surface/scalar_grid.hpp"

namespace tessera {

// The surface must lie inside the box. cell: side of a grid cell; the triangles' edges average
// about 0.9 of it.
TriangleMesh isosurface(const DistanceField& field, const Double3& low, const Double3& high,
                        double cell);

// Of values on a grid, with the grid's cells; flat where the inside reaches a side of the grid.
TriangleMesh isosurface(const ScalarGrid& grid);

}  // namespace tessera
