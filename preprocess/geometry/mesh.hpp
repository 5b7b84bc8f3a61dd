// SPDX-License-Identifier: GPL-3.0-or-later
// Triangle mesh in memory, in metres (world) as read and repaired; in lattice coordinates (nodes)
// where a function says so.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipelines/stage/vec3.hpp"
#include "preprocess/geometry/patch.hpp"

namespace tessera::preprocess::geometry {

struct TriangleMesh {
  std::vector<Double3> vertex;
  std::vector<stage::Triangle> triangle;
  std::vector<Patch> label;  // by triangle; empty: all are wall 0
};

// Removes the triangles t for which gone(t), with their labels, and keeps the order of the others.
// Returns the number removed.
template <class Gone>
std::size_t dropTriangles(TriangleMesh& mesh, Gone gone) {
  const std::size_t before = mesh.triangle.size();
  std::size_t kept = 0;
  for (std::size_t t = 0; t < before; ++t) {
    if (gone(t)) continue;
    if (!mesh.label.empty()) mesh.label[kept] = mesh.label[t];
    mesh.triangle[kept++] = mesh.triangle[t];
  }
  mesh.triangle.resize(kept);
  if (!mesh.label.empty()) mesh.label.resize(kept);
  return before - kept;
}

// Appends the vertices and triangles of another mesh; labels where either has some.
void appendMesh(TriangleMesh& mesh, const TriangleMesh& more);

// Twice the area times the unit normal of triangle t.
inline Double3 areaVector(const TriangleMesh& mesh, std::size_t t) {
  const stage::Triangle& corner = mesh.triangle[t];
  const Double3& a = mesh.vertex[corner[0]];
  return cross(mesh.vertex[corner[1]] - a, mesh.vertex[corner[2]] - a);
}

// Removes vertices that no triangle uses; returns the new index of each vertex, unusedVertex if
// removed.
constexpr std::uint32_t unusedVertex = ~std::uint32_t{0};
std::vector<std::uint32_t> dropUnusedVertices(TriangleMesh& mesh);

// Triangles around each vertex, ascending.
struct VertexTriangles {
  std::vector<std::uint32_t> first;  // by vertex, and the end
  std::vector<std::uint32_t> triangle;
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t vertex) const {
    return std::span(triangle).subspan(first[vertex], first[vertex + 1] - first[vertex]);
  }
};
// Parallel counting sort.
VertexTriangles trianglesAroundVertices(const TriangleMesh& mesh);

// Extent, area and volume of a mesh. Sums have a fixed order: independent of the number of threads.

struct Bounds {
  Double3 low{};
  Double3 high{};
  [[nodiscard]] Double3 extent() const { return high - low; }
  [[nodiscard]] double longest() const {
    const Double3 e = extent();
    return std::fmax(e[0], std::fmax(e[1], e[2]));
  }
  void extend(const Double3& point) {
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::fmin(low[c], point[c]);
      high[c] = std::fmax(high[c], point[c]);
    }
  }
  // margin: about the box.
  [[nodiscard]] bool contains(const Double3& point, double margin) const {
    for (std::size_t c = 0; c < 3; ++c)
      if (point[c] < low[c] - margin || point[c] > high[c] + margin) return false;
    return true;
  }
};

// Bounds of the vertices that triangles use. The mesh must have a triangle.
Bounds boundsOf(const TriangleMesh& mesh);
double surfaceArea(const TriangleMesh& mesh);     // m2
double enclosedVolume(const TriangleMesh& mesh);  // m3, signed; overlaps count twice

// Winding number of triangles around a point by summed solid angles (Van Oosterom & Strackee, IEEE
// Trans Biomed Eng BME-30:125, 1983).

// Solid angle of the triangles seen from the point, divided by 4 pi: for a closed, outward-oriented
// surface 1 inside and 0 outside; undefined (by rounding) on a triangle.
double windingAround(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles,
                     const Double3& point);

}  // namespace tessera::preprocess::geometry
