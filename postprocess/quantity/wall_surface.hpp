// SPDX-License-Identifier: GPL-3.0-or-later
// The wall as triangles to evaluate stress on: the original surface without the openings, or, for
// images, the faces between fluid and solid voxels.
#pragma once

#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::quantity {

// Of triangle t.
inline Double3 centroidOf(const preprocess::geometry::TriangleMesh& mesh, std::size_t t) {
  const stage::Triangle& corner = mesh.triangle[t];
  return (1.0 / 3.0) * (mesh.vertex[corner[0]] + mesh.vertex[corner[1]] + mesh.vertex[corner[2]]);
}

struct WallSurface {
  preprocess::geometry::TriangleMesh mesh;  // lattice coordinates; wall labels only
  std::vector<Double3> normal;  // one a triangle: unit, out of the fluid, lattice axes. On voxel
                                // faces the wall's own direction, not the face's.
  bool fromVoxels = false;
};

// Triangles with an edge longer than two nodes are divided, each edge at its middle, so that the
// stress is looked up everywhere and neighbours still share their vertices.
WallSurface wallSurface(const tiler::TiledGeometry& geometry);

}  // namespace tessera::postprocess::quantity
