// SPDX-License-Identifier: GPL-3.0-or-later
// Edges of a triangle mesh with their triangles and directions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

struct EdgeTable {
  struct End {
    std::uint32_t high;  // the edge's vertex with the higher index
    std::uint32_t half;  // a half-edge on it
  };
  std::vector<std::uint32_t> start;  // vertices + 1: edges by their vertex with the lower index
  std::vector<End> end;              // within a vertex by (high, half)

  // body(low, high, ends) for each edge of a vertex, ends being its half-edges.
  template <class Body>
  void forEdgesOf(std::uint32_t low, Body body) const {
    for (std::uint32_t i = start[low]; i < start[low + 1];) {
      std::uint32_t j = i + 1;
      while (j < start[low + 1] && end[j].high == end[i].high) ++j;
      body(low, end[i].high, std::span<const End>(&end[i], j - i));
      i = j;
    }
  }
};

// Parallel; independent of the number of threads.
EdgeTable edgesOf(const geometry::TriangleMesh& mesh);

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
