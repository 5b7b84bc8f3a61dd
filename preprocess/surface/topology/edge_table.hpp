// SPDX-License-Identifier: GPL-3.0-or-later
// The edges of a triangle mesh: which triangles meet on each, in which direction they run along it.
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

  // Calls body(low, high, ends) for each edge of a vertex, ends being its half-edges.
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

// Parallel; same result for any number of threads.
EdgeTable edgesOf(const geometry::TriangleMesh& mesh);

// Whether the half-edge runs from the lower to the higher vertex.
inline bool runsUp(const geometry::TriangleMesh& mesh, std::uint32_t half) {
  return fromVertex(mesh, half) < toVertex(mesh, half);
}

// For each half-edge the other one on its edge; noHalfEdge where not exactly two meet.
std::vector<std::uint32_t> twinsOf(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

struct EdgeCensus {
  std::uint64_t edges = 0;
  std::uint64_t open = 0;     // of one triangle
  std::uint64_t alike = 0;    // of two triangles that run along it in the same direction
  std::uint64_t crowded = 0;  // of more than two
};
EdgeCensus censusOf(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

// Vertices on edges that only one triangle has, ascending.
std::vector<std::uint32_t> verticesOfSingleEdges(const EdgeTable& edges);

}  // namespace tessera::preprocess::surface
