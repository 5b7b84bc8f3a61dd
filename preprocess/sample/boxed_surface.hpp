// SPDX-License-Identifier: GPL-3.0-or-later
// The closed surface of the part of a field's inside that lies in a box, its sides flat and exactly
// on the box's: marching cubes (Lorensen and Cline, SIGGRAPH 1987) with the curves of
// cell_curves.hpp, so that it is manifold; where the inside reaches a side, the layer of cells
// beyond it is pressed flat. Opposite sides of a periodic field get the same triangles.
#pragma once

#include <functional>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::sample {

// Negative inside.
using ScalarField = std::function<double(const Double3&)>;

// cells: of the grid, each way. Outward; the same bytes on any number of threads. Throws
// StageError(NoResource) when the grid is too large.
geometry::TriangleMesh boxedSurface(const ScalarField& field, const Double3& low,
                                    const Double3& high, const Int3& cells);

}  // namespace tessera::preprocess::sample
