// SPDX-License-Identifier: GPL-3.0-or-later
// Nearest point on a triangle after Ericson (Real-Time Collision Detection, 2005, 5.1.5).
#include "preprocess/lattice/links/nearest_triangle.hpp"

#include <algorithm>

namespace tessera::preprocess::lattice {

using std::size_t;

// Point of a triangle nearest to the origin.
struct NearestPoint {
  double squared;   // distance
  unsigned corner;  // bit k: depends on corner k; one bit: that corner, two: their edge
};

namespace {

NearestPoint nearestPoint(const Double3& a, const Double3& b, const Double3& c) {
  const Double3 ab = b - a;
  const Double3 ac = c - a;
  const auto at = [](const Double3& point, unsigned corner) {
    return NearestPoint{dot(point, point), corner};
  };
  const double d1 = -dot(ab, a);
  const double d2 = -dot(ac, a);
  if (d1 <= 0.0 && d2 <= 0.0) return at(a, 1U);
  const double d3 = -dot(ab, b);
  const double d4 = -dot(ac, b);
  if (d3 >= 0.0 && d4 <= d3) return at(b, 2U);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return at(a + d1 / (d1 - d3) * ab, 3U);
  const double d5 = -dot(ab, c);
  const double d6 = -dot(ac, c);
  if (d6 >= 0.0 && d5 <= d6) return at(c, 4U);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return at(a + d2 / (d2 - d6) * ac, 5U);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
    return at(b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), 6U);
  const double denominator = 1.0 / (va + vb + vc);
  return at(a + vb * denominator * ab + vc * denominator * ac, 7U);
}

double squaredDistance(const Int3& node, const NearTriangle& triangle) {
  const auto cornerAt = [&](size_t k) {
    return Double3{static_cast<double>(triangle.corner[k][0]) / fixedOne - node[0],
                   static_cast<double>(triangle.corner[k][1]) / fixedOne - node[1],
                   static_cast<double>(triangle.corner[k][2]) / fixedOne - node[2]};
  };
  return nearestPoint(cornerAt(0), cornerAt(1), cornerAt(2)).squared;
}

// Height of a triangle's plane above a node along the triangle's normal, nodes.
double heightOver(const Int3& node, const NearTriangle& triangle) {
  const Double3& n = triangle.normal;
  return triangle.offset - (n[0] * node[0] + n[1] * node[1] + n[2] * node[2]);
}

// Whether a triangle's plane is farther from the origin than the given distance; true for
// degenerate triangles.
bool liesBeyond(const Double3& a, const Double3& b, const Double3& c, double squared) {
  const Double3 area = cross(b - a, c - a);
  const double height = dot(area, a);
  return height * height >= squared * dot(area, area);
}

}  // namespace

double squaredDistance(const geometry::TriangleMesh& mesh, size_t t, const Double3& point) {
  const auto& [a, b, c] = mesh.triangle[t];
  return nearestPoint(mesh.vertex[a] - point, mesh.vertex[b] - point, mesh.vertex[c] - point)
      .squared;
}

void NearestTriangle::consider(const Int3& node, const NearTriangle& candidate) {
  const double height = heightOver(node, candidate);
  if (height * height > squared || &candidate == triangle) return;
  if (dot(candidate.normal, candidate.normal) == 0.0) return;  // degenerate
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

SurfaceWalk::SurfaceWalk(const geometry::TriangleMesh& mesh)
    : mesh_(mesh), around_(geometry::trianglesAroundVertices(mesh)) {}

// Nearest triangle so far and the corners that its nearest point depends on.
struct SurfaceWalk::Step {
  std::uint32_t triangle;
  NearestPoint point;
};

// Tries the triangles around a corner that also contain `other` (all of them if it is the same).
void SurfaceWalk::tryAround(const Double3& point, std::uint32_t corner, std::uint32_t other,
                            Step& best) const {
  for (const std::uint32_t t : around_[corner]) {
    const stage::Triangle& v = mesh_.triangle[t];
    if (t == best.triangle || (v[0] != other && v[1] != other && v[2] != other)) continue;
    const Double3 a = mesh_.vertex[v[0]] - point;
    const Double3 b = mesh_.vertex[v[1]] - point;
    const Double3 c = mesh_.vertex[v[2]] - point;
    if (liesBeyond(a, b, c, best.point.squared)) continue;
    if (isOpeningAt(t) != isOpeningAt(best.triangle)) continue;
    const NearestPoint nearest = nearestPoint(a, b, c);
    if (nearest.squared < best.point.squared) best = {t, nearest};
  }
}

// Descends over the edge or corner of the nearest point; without progress, or from a point inside a
// triangle, tries all neighbours: in a concave bend each of two has its own nearest point.
std::uint32_t SurfaceWalk::nearest(const Double3& point, std::uint32_t start) const {
  constexpr double near = 0.75;  // nodes^2
  const stage::Triangle& v = mesh_.triangle[start];
  Step best{start, nearestPoint(mesh_.vertex[v[0]] - point, mesh_.vertex[v[1]] - point,
                                mesh_.vertex[v[2]] - point)};
  while (true) {
    const Step last = best;
    const stage::Triangle& at = mesh_.triangle[last.triangle];
    if (const unsigned on = last.point.corner; on != 7U) {
      const std::uint32_t from = at[(on & 1U) != 0 ? 0 : (on & 2U) != 0 ? 1 : 2];
      const std::uint32_t to = at[(on & 4U) != 0 ? 2 : (on & 2U) != 0 ? 1 : 0];
      tryAround(point, from, to, best);
    }
    if (best.triangle == last.triangle)
      for (size_t k = 0; k < 3; ++k) tryAround(point, at[k], at[(k + 1) % 3], best);
    if (best.triangle == last.triangle && best.point.squared > near)
      for (const std::uint32_t corner : at) tryAround(point, corner, corner, best);
    if (best.triangle == last.triangle) return best.triangle;
  }
}

}  // namespace tessera::preprocess::lattice
