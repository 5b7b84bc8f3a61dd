// SPDX-License-Identifier: GPL-3.0-or-later
// Curvature of a wall made of triangles.
#pragma once

#include <vector>

#include "postprocess/quantity/wall_surface.hpp"

namespace tessera::postprocess::quantity {

// Sum of the principal curvatures at each triangle, 1/nodes: positive where the wall bulges into
// the fluid (a cylinder in cross-flow), negative within a vessel (-1 / its radius). It is the
// divergence of the normal, by a linear regression of the normals on the positions of patches of
// less than a node that lie within three nodes and join without an edge of more than 60 degrees; 0
// where those are too few or do not span an area. So that the roughness of a mesh does not pass for
// curvature, it is drawn towards 0 by twice the variance that the patches' scatter about the
// regression gives it (shrinkage; James & Stein 1961). The work is proportional to the triangles,
// however small.
std::vector<double> wallCurvature(const WallSurface& wall);

}  // namespace tessera::postprocess::quantity
