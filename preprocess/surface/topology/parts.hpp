// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts of a mesh: triangles joined by shared edges. Parts that only touch, in a vertex
// or along an edge, stay separate: on a non-manifold edge only triangles are joined that the others
// would leave open. So each part of a closed mesh is closed.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

struct Part {
  std::uint32_t vertex = 0;  // one of its vertices
  std::uint64_t triangles = 0;
  double area = 0.0;    // m2
  double volume = 0.0;  // m3, signed
  Double3 low{1e300, 1e300, 1e300};
  Double3 high{-1e300, -1e300, -1e300};
};

struct Parts {
  std::vector<Part> part;                 // by ascending first triangle
  std::vector<std::uint32_t> ofTriangle;  // index of the part
};

// Triangles of each part, ascending.
std::vector<std::vector<std::uint32_t>> trianglesByPart(const Parts& parts);

Parts partsOf(const geometry::TriangleMesh& mesh);
Parts partsOf(const geometry::TriangleMesh& mesh, const EdgeTable& edges);  // edges: of the mesh

}  // namespace tessera::preprocess::surface
