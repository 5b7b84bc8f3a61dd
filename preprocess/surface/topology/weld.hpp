// SPDX-License-Identifier: GPL-3.0-or-later
// Loose triangles to a mesh with shared vertices.
#pragma once

#include <cstdint>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::surface {

struct WeldedMesh {
  geometry::TriangleMesh
      mesh;  // in metres, vertices in order of first appearance; labels: the soup's faces
  double tolerance = 0.0;        // m, below which two corners may become one
  std::uint64_t degenerate = 0;  // triangles dropped: two corners became one
};

// Corners in the same cell of a grid of 2^-20 of the longest extent (a thousandth of a node
// spacing at a thousand nodes) become one vertex, which keeps the position of the first of them.
// metresPerUnit: of the soup's coordinates. The tolerance is a cell of the grid. Same result for
// any number of threads.
WeldedMesh weld(const read::TriangleSoup& soup, double metresPerUnit);

// Merges each of the candidates, ascending vertices, into the nearest one before it within the
// tolerance, if there is one; drops the triangles this collapses. Returns how many vertices were
// merged into another.
std::uint64_t stitch(WeldedMesh& welded, const std::vector<std::uint32_t>& candidates);

}  // namespace tessera::preprocess::surface
