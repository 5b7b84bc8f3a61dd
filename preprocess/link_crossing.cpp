// SPDX-License-Identifier: GPL-3.0-or-later
// Link against triangle: the triangle is sheared along the link onto a plane of the lattice, where
// exact edge functions say whether it covers the node (after Woop, Benthin & Wald, "Watertight
// ray/triangle intersection", JCGT 2(1), 2013, in integers). The nearest point of a triangle is
// Ericson's (Real-Time Collision Detection, 2005, 5.1.5).
#include "preprocess/link_crossing.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

using std::size_t;

// How far beyond its ends a link still sees a triangle, in parts of it.
constexpr double window = 1.0 / 1024.0;

Double3 relativeTo(const Int3& node, const Fixed3& corner) {
  return {static_cast<double>(corner[0]) / fixedOne - node[0],
          static_cast<double>(corner[1]) / fixedOne - node[1],
          static_cast<double>(corner[2]) / fixedOne - node[2]};
}

// Link parameter of a plane, between the least and the largest one of the triangle's corners.
double planeParameter(const Int3& node, const Int3& direction, const NearTriangle& triangle,
                      double low, double high) {
  const Double3& n = triangle.normal;
  const double speed = n[0] * direction[0] + n[1] * direction[1] + n[2] * direction[2];
  const double height = triangle.offset - (n[0] * node[0] + n[1] * node[1] + n[2] * node[2]);
  if (speed == 0.0) return low;
  return std::clamp(height / speed, low, high);
}

}  // namespace

std::optional<Crossing> crossLink(const Int3& node, const Int3& direction,
                                  const NearTriangle& triangle) {
  const size_t m = direction[0] != 0 ? 0 : direction[1] != 0 ? 1 : 2;
  const size_t a = (m + 1) % 3;
  const size_t b = (m + 2) % 3;
  const std::int64_t shearU = direction[a] * direction[m];
  const std::int64_t shearV = direction[b] * direction[m];
  std::array<std::int64_t, 3> u, v, along;
  for (size_t k = 0; k < 3; ++k) {
    const auto relative = [&](size_t axis) {
      return std::int64_t{triangle.corner[k][axis]} - std::int64_t{node[axis]} * fixedOne;
    };
    along[k] = relative(m);
    u[k] = relative(a) - shearU * along[k];
    v[k] = relative(b) - shearV * along[k];
  }
  const auto oneSided = [](const std::array<std::int64_t, 3>& c) {
    return (c[0] > 0 && c[1] > 0 && c[2] > 0) || (c[0] < 0 && c[1] < 0 && c[2] < 0);
  };
  if (oneSided(u) || oneSided(v)) return std::nullopt;
  std::int64_t area = 0;
  int positive = 0;
  for (size_t k = 0; k < 3; ++k) {
    const size_t next = (k + 1) % 3;
    const std::int64_t edge = edgeArea(u[k], v[k], u[next], v[next]);
    area += edge;
    positive += edge > 0 || (edge == 0 && edgeOwnsTies(u[next] - u[k], v[next] - v[k])) ? 1 : 0;
  }
  if (area == 0 || (positive != 0 && positive != 3)) return std::nullopt;
  const auto [low, high] =
      std::minmax({along[0] * direction[m], along[1] * direction[m], along[2] * direction[m]});
  const double t = planeParameter(node, direction, triangle, static_cast<double>(low) / fixedOne,
                                  static_cast<double>(high) / fixedOne);
  if (t < -window || t > 1.0 + window) return std::nullopt;
  const bool leaves = (positive == 3) == (direction[m] > 0);
  return Crossing{t, leaves ? -1 : 1, &triangle};
}

const Crossing* firstExit(std::vector<Crossing>& crossings) {
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const Crossing& a, const Crossing& b) { return a.distance < b.distance; });
  int winding = 0;
  for (const Crossing& crossing : crossings) winding -= crossing.change;
  for (const Crossing& crossing : crossings) {
    winding += crossing.change;
    if (crossing.change < 0 && winding <= 0) return &crossing;
  }
  return nullptr;
}

double distanceToPlane(const Int3& node, const Int3& direction, const NearTriangle& triangle) {
  return planeParameter(node, direction, triangle, 0.0, 1.0);
}

double squaredDistance(const Int3& node, const NearTriangle& triangle) {
  const Double3 a = relativeTo(node, triangle.corner[0]);
  const Double3 ab = relativeTo(node, triangle.corner[1]) - a;
  const Double3 ac = relativeTo(node, triangle.corner[2]) - a;
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

}  // namespace tessera
