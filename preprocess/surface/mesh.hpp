// SPDX-License-Identifier: GPL-3.0-or-later
// A triangle mesh in memory. In metres (world) as read and repaired; in lattice coordinates
// (nodes) where a function says so.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "preprocess/lattice/lattice_geometry.hpp"

namespace tessera {

using Triangle = std::array<std::uint32_t, 3>;  // vertex indices, counter-clockwise from outside

struct TriangleMesh {
  std::vector<Double3> vertex;
  std::vector<Triangle> triangle;
  std::vector<Patch> label;  // one a triangle; empty: all are wall 0
};

inline Double3 operator-(const Double3& a, const Double3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Double3 operator+(const Double3& a, const Double3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Double3 operator*(double factor, const Double3& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}
inline double dot(const Double3& a, const Double3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Double3 cross(const Double3& a, const Double3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Double3& a) {
  return std::sqrt(dot(a, a));
}

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
  const Triangle& corner = mesh.triangle[t];
  const Double3& a = mesh.vertex[corner[0]];
  return cross(mesh.vertex[corner[1]] - a, mesh.vertex[corner[2]] - a);
}

}  // namespace tessera
