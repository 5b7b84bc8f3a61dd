// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest point of a triangle is Ericson's (Real-Time Collision Detection, 2005, 5.1.5).
#include "preprocess/lattice/links/nearest_triangle.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace tessera::preprocess::lattice {

namespace {

using std::size_t;

// Of a triangle, seen from the origin.
struct NearestPoint {
  double squared;   // distance
  unsigned corner;  // bit k: it depends on corner k; one: that corner, two: on the edge between
};

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

// Height of a triangle's plane over a node along the triangle's normal, nodes.
double heightOver(const Int3& node, const NearTriangle& triangle) {
  const Double3& n = triangle.normal;
  return triangle.offset - (n[0] * node[0] + n[1] * node[1] + n[2] * node[2]);
}

// Whether a triangle's plane is so far from the origin that no point of it can be nearer; so for
// needles.
bool liesBeyond(const Double3& a, const Double3& b, const Double3& c, double squared) {
  const Double3 area = cross(b - a, c - a);
  const double height = dot(area, a);
  return height * height >= squared * dot(area, area);
}

template <class Visit>
void forCorners(const geometry::TriangleMesh& mesh, const Visit& visit) {
  tbb::parallel_for(tbb::blocked_range<size_t>(0, mesh.triangle.size(), 1 << 13),
                    [&](const auto& range) {
                      for (size_t t = range.begin(); t < range.end(); ++t)
                        for (const std::uint32_t v : mesh.triangle[t])
                          visit(v, static_cast<std::uint32_t>(t));
                    });
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

SurfaceWalk::SurfaceWalk(const geometry::TriangleMesh& mesh)
    : mesh_(mesh), first_(mesh.vertex.size() + 1) {
  forCorners(mesh, [&](std::uint32_t v, std::uint32_t) {
    std::atomic_ref(first_[v]).fetch_add(1, std::memory_order_relaxed);
  });
  std::uint32_t sum = 0;
  for (std::uint32_t& first : first_) sum += std::exchange(first, sum);
  around_.resize(sum);
  // Each vertex's entries are filled from its first on, so that it ends as that of the next one.
  forCorners(mesh, [&](std::uint32_t v, std::uint32_t t) {
    around_[std::atomic_ref(first_[v]).fetch_add(1, std::memory_order_relaxed)] = t;
  });
  first_.insert(first_.begin(), 0);
  first_.pop_back();
  // The order in which threads came does not show after this.
  tbb::parallel_for(tbb::blocked_range<size_t>(0, mesh.vertex.size(), 1 << 12),
                    [&](const auto& range) {
                      for (size_t v = range.begin(); v < range.end(); ++v)
                        std::sort(around_.begin() + first_[v], around_.begin() + first_[v + 1]);
                    });
}

// The nearest triangle so far and the corners that its nearest point depends on.
struct SurfaceWalk::Step {
  std::uint32_t triangle;
  NearestPoint point;
};

// Tries the triangles around a corner that have another one as well, or the same: all of them.
void SurfaceWalk::tryAround(const Double3& point, std::uint32_t corner, std::uint32_t other,
                            Step& best) const {
  for (std::uint32_t place = first_[corner]; place < first_[corner + 1]; ++place) {
    const std::uint32_t t = around_[place];
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

// Downhill over the edge or corner that the nearest point lies on; from where that leads no
// further, or lies within a triangle, to any neighbour: on the inside of a bend each of two has its
// own nearest point.
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
