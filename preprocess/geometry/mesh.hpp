// SPDX-License-Identifier: GPL-3.0-or-later
// Triangle mesh in memory. In metres (world) as read and repaired; in lattice coordinates
// (nodes) where a function says so.
#pragma once

#include <vector>

#include "pipelines/stage/triangle.hpp"
#include "preprocess/geometry/patch.hpp"

namespace tessera::preprocess::geometry {

struct TriangleMesh {
  std::vector<Double3> vertex;
  std::vector<stage::Triangle> triangle;
  std::vector<Patch> label;  // by triangle; empty: all are wall 0
};

// Drops the triangles t for which gone(t), with their labels; the others keep their order. Returns
// how many were dropped.
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

// Twice the area times the unit normal of triangle t.
inline Double3 areaVector(const TriangleMesh& mesh, std::size_t t) {
  const stage::Triangle& corner = mesh.triangle[t];
  const Double3& a = mesh.vertex[corner[0]];
  return cross(mesh.vertex[corner[1]] - a, mesh.vertex[corner[2]] - a);
}

}  // namespace tessera::preprocess::geometry
