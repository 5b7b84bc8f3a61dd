// SPDX-License-Identifier: GPL-3.0-or-later
// Divides long edges. Whether an edge is divided depends on the edge alone, so the triangles on
// both of its sides agree and the surface stays closed.
#pragma once

#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

// Until no edge is longer than longestEdge (in the mesh's units). Every new triangle lies in its
// parent's plane with its orientation and label.
preprocess::geometry::TriangleMesh refineSurface(preprocess::geometry::TriangleMesh mesh,
                                                 double longestEdge);

}  // namespace tessera::postprocess::quantity
