// SPDX-License-Identifier: GPL-3.0-or-later
// Triangles of the wall on which stress is evaluated: the original surface without openings, or for
// images the faces between fluid and solid voxels.
#pragma once

#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::quantity {

// Divides edges until none is longer than longestEdge (in the mesh's units). The decision depends
// on the edge alone, so that adjacent triangles agree and the surface stays closed. New triangles
// lie in their parent's plane with its orientation and label.
preprocess::geometry::TriangleMesh refineSurface(preprocess::geometry::TriangleMesh mesh,
                                                 double longestEdge);

// Centroid of triangle t.
inline Double3 centroidOf(const preprocess::geometry::TriangleMesh& mesh, std::size_t t) {
  const stage::Triangle& corner = mesh.triangle[t];
  return (1.0 / 3.0) * (mesh.vertex[corner[0]] + mesh.vertex[corner[1]] + mesh.vertex[corner[2]]);
}

struct WallSurface {
  preprocess::geometry::TriangleMesh mesh;  // lattice coordinates; wall labels only
  std::vector<Double3> normal;  // per triangle: unit, out of the fluid, lattice axes; on voxel
                                // faces the direction of the wall, not of the face
  bool fromVoxels = false;
  std::vector<bool> nearEdge;  // per triangle: within five spacings of a sharp edge; empty: none is
  std::vector<double> curvature;  // per triangle: wallCurvature(); empty: flat
};

// Triangles with an edge longer than two nodes are divided at edge midpoints, so that stress is
// sampled everywhere and neighbours still share their vertices.
WallSurface wallSurface(const tiler::TiledGeometry& geometry);

// Triangles of the openings with their patches, lattice coordinates: caps of the surface, or for
// images the voxel faces on them.
preprocess::geometry::TriangleMesh openingCaps(const tiler::TiledGeometry& geometry);

}  // namespace tessera::postprocess::quantity
