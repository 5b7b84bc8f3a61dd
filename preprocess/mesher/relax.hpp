// SPDX-License-Identifier: GPL-3.0-or-later
// Well-shaped triangles on a surface that is known: tangential relaxation and Delaunay edge flips.
#pragma once

#include <functional>

#include "preprocess/geometry/distance_field.hpp"

namespace tessera::preprocess::mesher {

// Where a rim vertex goes: given its place and the middle of its two neighbours along the rim.
using RimPlace = std::function<Double3(const Double3& at, const Double3& middle)>;

// Moves vertices along the surface towards the middle of their neighbours, rim vertices by onRim
// (they stay where there is none), and flips edges towards Delaunay. The mesh must be manifold and
// near the field's surface. The same bytes on any number of threads.
void relax(geometry::TriangleMesh& mesh, const geometry::DistanceField& field, int rounds,
           const RimPlace& onRim = {});

}  // namespace tessera::preprocess::mesher
