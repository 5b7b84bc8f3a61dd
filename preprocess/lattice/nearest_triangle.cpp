// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest point of a triangle is Ericson's (Real-Time Collision Detection, 2005, 5.1.5).
#include "preprocess/lattice/nearest_triangle.hpp"

#include <algorithm>

namespace tessera {

namespace {

using std::size_t;

double squaredDistance(const Int3& node, const NearTriangle& triangle) {
  const auto cornerAt = [&](size_t k) {
    return Double3{static_cast<double>(triangle.corner[k][0]) / fixedOne - node[0],
                   static_cast<double>(triangle.corner[k][1]) / fixedOne - node[1],
                   static_cast<double>(triangle.corner[k][2]) / fixedOne - node[2]};
  };
  const Double3 a = cornerAt(0);
  const Double3 ab = cornerAt(1) - a;
  const Double3 ac = cornerAt(2) - a;
  const double d1 = -dot(ab, a);
  const double d2 = -dot(ac, a);
  if (d1 <= 0.0 && d2 <= 0.0) return dot(a, a);
  const Double3 b = a + ab;
  const double d3 = -dot(ab, b);
  const double d4 = -dot(ac, b);
  if (d3 >= 0.0 && d4 <= d3) return dot(b, b);
  const auto squared = [](const Double3& point) { return dot(point, point); };
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return squared(a + d1 / (d1 - d3) * ab);
  const Double3 c = a + ac;
  const double d5 = -dot(ab, c);
  const double d6 = -dot(ac, c);
  if (d6 >= 0.0 && d5 <= d6) return dot(c, c);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return squared(a + d2 / (d2 - d6) * ac);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
    return squared(b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b));
  const double denominator = 1.0 / (va + vb + vc);
  return squared(a + vb * denominator * ab + vc * denominator * ac);
}

// Height of a triangle's plane over a node along the triangle's normal, nodes.
double heightOver(const Int3& node, const NearTriangle& triangle) {
  const Double3& n = triangle.normal;
  return triangle.offset - (n[0] * node[0] + n[1] * node[1] + n[2] * node[2]);
}

}  // namespace

void NearestTriangle::consider(const Int3& node, const NearTriangle& candidate) {
  const double height = heightOver(node, candidate);
  if (height * height > squared || &candidate == triangle) return;
  if (dot(candidate.normal, candidate.normal) == 0.0) return;  // a needle
  const double distance = squaredDistance(node, candidate);
  if (distance >= squared) return;
  squared = distance;
  triangle = &candidate;
}

double distanceToPlane(const Int3& node, const Int3& step, const NearTriangle& triangle) {
  const Double3& n = triangle.normal;
  const double speed = n[0] * step[0] + n[1] * step[1] + n[2] * step[2];
  return speed == 0.0 ? 0.0 : std::clamp(heightOver(node, triangle) / speed, 0.0, 1.0);
}

}  // namespace tessera
