// SPDX-License-Identifier: GPL-3.0-or-later
// Welding of loose triangles to a mesh with shared vertices.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

struct WeldedMesh {
  geometry::TriangleMesh
      mesh;  // in metres, vertices in order of first appearance; labels: the soup's faces
  double tolerance = 0.0;        // m, below which two corners may be merged
  std::uint64_t degenerate = 0;  // triangles dropped for coincident corners
};

// Merges corners in the same cell of a grid of 2^-20 of the longest extent (0.001 node spacings for
// a thousand nodes) into one vertex at the first corner's position. metresPerUnit: of the soup's
// coordinates. The tolerance is a grid cell. Independent of the number of threads.
WeldedMesh weld(const read::TriangleSoup& soup, double metresPerUnit);

// Merges each of the candidates, ascending vertices, into the nearest preceding one within the
// tolerance (m), and drops collapsed triangles. Returns the number of merged vertices.
std::uint64_t stitch(WeldedMesh& welded, const std::vector<std::uint32_t>& candidates,
                     double tolerance);

// Welding tolerances that might join triangles with unmatched edges.

// Candidate tolerances in m, ascending, each 1, 2 or 5 times a power of ten, from the distances of
// a sample of vertices on single-triangle edges to the nearest such vertex of another triangle.
std::vector<double> weldsToTry(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

}  // namespace tessera::preprocess::surface
