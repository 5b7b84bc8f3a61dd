// SPDX-License-Identifier: GPL-3.0-or-later
// Edges of a triangle mesh with their triangles and directions.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/edge_table.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

// Half-edge h = 3 t + c runs along triangle t from its corner c to the next.
constexpr std::uint32_t noHalfEdge = ~std::uint32_t{0};
inline std::uint32_t fromVertex(const geometry::TriangleMesh& mesh, std::uint32_t half) {
  return mesh.triangle[half / 3][half % 3];
}
inline std::uint32_t toVertex(const geometry::TriangleMesh& mesh, std::uint32_t half) {
  return mesh.triangle[half / 3][(half % 3 + 1) % 3];
}

using geometry::EdgeTable;

// Parallel; independent of the number of threads.
inline EdgeTable edgesOf(const geometry::TriangleMesh& mesh) {
  return geometry::edgesOf(mesh.vertex.size(), mesh.triangle);
}

// Adds the edges of the triangles from `first` on, and of vertices appended with them, to the table
// of the others: edgesOf(mesh) at the cost of a shift.
void addEdges(const geometry::TriangleMesh& mesh, std::uint32_t first, EdgeTable& edges);

// Whether the half-edge runs from the lower to the higher vertex.
inline bool runsUp(const geometry::TriangleMesh& mesh, std::uint32_t half) {
  return fromVertex(mesh, half) < toVertex(mesh, half);
}

// Opposite half-edge of each half-edge; noHalfEdge unless exactly two meet.
std::vector<std::uint32_t> twinsOf(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

struct EdgeCensus {
  std::uint64_t edges = 0;
  std::uint64_t open = 0;           // with one triangle
  std::uint64_t sameDirection = 0;  // with two triangles of inconsistent orientation
  std::uint64_t nonManifold = 0;    // with more than two
};
EdgeCensus censusOf(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

// Vertices on edges with a single triangle, ascending.
std::vector<std::uint32_t> verticesOfSingleEdges(const EdgeTable& edges);

}  // namespace tessera::preprocess::surface
