// SPDX-License-Identifier: GPL-3.0-or-later
// Closed surface of a field's inside within a box, with flat sides exactly on the box: marching
// cubes (Lorensen and Cline, SIGGRAPH 1987) with the curves of cellCurveTable(), so that it is
// manifold; where the inside reaches a side, the layer of cells outside is flattened. Opposite
// sides of a periodic field get the same triangles.
#pragma once

#include <functional>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::sample {

// Negative inside.
using ScalarField = std::function<double(const Double3&)>;

// cells: of the grid, by axis. Oriented outward; independent of the number of threads. Throws
// StageError(NoResource) when the grid is too large.
geometry::TriangleMesh boxedSurface(const ScalarField& field, const Double3& low,
                                    const Double3& high, const Int3& cells);

}  // namespace tessera::preprocess::sample
