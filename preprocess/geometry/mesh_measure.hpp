// SPDX-License-Identifier: GPL-3.0-or-later
// Size of a mesh: box, area, volume. Sums have a fixed order: same bits for any number of threads.
#pragma once

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::geometry {

struct Bounds {
  Double3 low{};
  Double3 high{};
  [[nodiscard]] Double3 extent() const { return high - low; }
  [[nodiscard]] double longest() const {
    const Double3 e = extent();
    return std::fmax(e[0], std::fmax(e[1], e[2]));
  }
};

// Of the vertices that triangles use. The mesh must have a triangle.
Bounds boundsOf(const TriangleMesh& mesh);
double surfaceArea(const TriangleMesh& mesh);     // m2
double enclosedVolume(const TriangleMesh& mesh);  // m3, signed; overlaps count twice

}  // namespace tessera::preprocess::geometry
