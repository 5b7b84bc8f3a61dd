// SPDX-License-Identifier: GPL-3.0-or-later
// Closed surfaces in lattice coordinates whose inside is known.
#pragma once

#include <cmath>
#include <numbers>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::test {

using namespace tessera::preprocess::geometry;
using namespace tessera::stage;

using Index = std::uint32_t;

// Normals outwards, poles on z; columns and rows of quadrilaterals.
inline TriangleMesh sphereMesh(const Double3& centre, double radius, Index columns, Index rows) {
  TriangleMesh mesh;
  mesh.vertex.push_back(centre + Double3{0.0, 0.0, -radius});
  for (Index j = 1; j < rows; ++j)
    for (Index i = 0; i < columns; ++i) {
      const double polar = std::numbers::pi * j / rows;
      const double around = 2.0 * std::numbers::pi * i / columns;
      mesh.vertex.push_back(centre + radius * Double3{std::sin(polar) * std::cos(around),
                                                      std::sin(polar) * std::sin(around),
                                                      -std::cos(polar)});
    }
  mesh.vertex.push_back(centre + Double3{0.0, 0.0, radius});
  const auto top = static_cast<Index>(mesh.vertex.size() - 1);
  const auto at = [&](Index j, Index i) { return 1 + (j - 1) * columns + i % columns; };
  for (Index i = 0; i < columns; ++i) {
    mesh.triangle.push_back({0, at(1, i + 1), at(1, i)});
    mesh.triangle.push_back({top, at(rows - 1, i), at(rows - 1, i + 1)});
    for (Index j = 1; j + 1 < rows; ++j) {
      mesh.triangle.push_back({at(j, i), at(j, i + 1), at(j + 1, i + 1)});
      mesh.triangle.push_back({at(j, i), at(j + 1, i + 1), at(j + 1, i)});
    }
  }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

// A prism of many sides from one point to another; caps are openings 1 (start) and 2 (end), or are
// left out.
inline TriangleMesh tubeMesh(const Double3& start, const Double3& end, double radius, Index sides,
                             bool caps) {
  TriangleMesh mesh;
  const Double3 along = 1.0 / length(end - start) * (end - start);
  const Double3 helper = std::abs(along[2]) < 0.9 ? Double3{0, 0, 1} : Double3{1, 0, 0};
  const Double3 across = cross(helper, along);
  const Double3 u = 1.0 / length(across) * across;
  const Double3 v = cross(along, u);
  for (const Double3& centre : {start, end})
    for (Index i = 0; i < sides; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / sides;
      mesh.vertex.push_back(centre + radius * std::cos(angle) * u + radius * std::sin(angle) * v);
    }
  for (Index i = 0; i < sides; ++i) {
    const Index next = (i + 1) % sides;
    mesh.triangle.push_back({i, next, sides + next});
    mesh.triangle.push_back({i, sides + next, sides + i});
  }
  mesh.label.assign(mesh.triangle.size(), 0);
  if (!caps) return mesh;
  mesh.vertex.push_back(start);
  mesh.vertex.push_back(end);
  for (Index i = 0; i < sides; ++i) {
    const Index next = (i + 1) % sides;
    mesh.triangle.push_back({2 * sides, next, i});
    mesh.label.push_back(openingPatch(1));
    mesh.triangle.push_back({2 * sides + 1, sides + i, sides + next});
    mesh.label.push_back(openingPatch(2));
  }
  return mesh;
}

inline TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto shift = static_cast<Index>(a.vertex.size());
  a.vertex.insert(a.vertex.end(), b.vertex.begin(), b.vertex.end());
  for (const Triangle& t : b.triangle)
    a.triangle.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  a.label.insert(a.label.end(), b.label.begin(), b.label.end());
  return a;
}

// Axes in cyclic order: x becomes y, y becomes z, z becomes x; orientation is kept.
inline TriangleMesh turned(TriangleMesh mesh) {
  for (Double3& p : mesh.vertex) p = {p[2], p[0], p[1]};
  return mesh;
}

}  // namespace tessera::test
