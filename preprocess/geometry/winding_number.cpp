// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/winding_number.hpp"

#include <numbers>

namespace tessera::preprocess::geometry {

double windingAround(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles,
                     const Double3& point) {
  double angle = 0.0;
  for (const std::uint32_t k : triangles) {
    const stage::Triangle& t = mesh.triangle[k];
    const Double3 a = mesh.vertex[t[0]] - point, b = mesh.vertex[t[1]] - point,
                  c = mesh.vertex[t[2]] - point;
    const double la = length(a), lb = length(b), lc = length(c);
    angle += 2.0 * std::atan2(dot(a, cross(b, c)),
                              la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return angle / (4.0 * std::numbers::pi);
}

}  // namespace tessera::preprocess::geometry
