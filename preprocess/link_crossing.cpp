// SPDX-License-Identifier: GPL-3.0-or-later
// Link against triangle: all links of a node share the planes through the node and an edge, whose
// sides are found in integers (the triple products of Woop, Benthin & Wald, "Watertight
// ray/triangle intersection", JCGT 2(1), 2013, without rounding). The nearest point of a triangle
// is Ericson's (Real-Time Collision Detection, 2005, 5.1.5).
#include "preprocess/link_crossing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera {

namespace {

using std::size_t;

// How far beyond its ends a link still sees a triangle, in parts of it.
constexpr double window = 1.0 / 1024.0;

// A triangle as seen from a node, in fixed point: the normals of the planes through the node and
// each edge. A direction passes the edge on the side that its product with the normal says. The
// fourth lane repeats the first. Number is one that holds all of it without rounding.
template <class Number>
struct SeenTriangle {
  using Lanes = std::array<Number, 4>;
  std::array<Lanes, 3> normal;  // by axis

  SeenTriangle(const Int3& node, const NearTriangle& triangle) {
    std::array<Lanes, 3> from, to;
    for (size_t axis = 0; axis < 3; ++axis) {
      const std::int32_t origin = node[axis] * fixedOne;
      for (size_t k = 0; k < 4; ++k) {
        from[axis][k] = static_cast<Number>(triangle.corner[axis][k] - origin);
        to[axis][k] = static_cast<Number>(triangle.corner[axis][k + 1] - origin);
      }
    }
    for (size_t k = 0; k < 4; ++k) {
      normal[0][k] = from[1][k] * to[2][k] - from[2][k] * to[1][k];
      normal[1][k] = from[2][k] * to[0][k] - from[0][k] * to[2][k];
      normal[2][k] = from[0][k] * to[1][k] - from[1][k] * to[0][k];
    }
  }
  [[nodiscard]] Lanes sides(const Int3& step) const {
    const auto x = static_cast<Number>(step[0]);
    const auto y = static_cast<Number>(step[1]);
    const auto z = static_cast<Number>(step[2]);
    Lanes side;
    for (size_t k = 0; k < 4; ++k) side[k] = x * normal[0][k] + y * normal[1][k] + z * normal[2][k];
    return side;
  }
};

// The axis along which a link is looked at for ties and parameters: its first component.
size_t mainAxis(const Int3& step) {
  return step[0] != 0 ? 0 : step[1] != 0 ? 1 : 2;
}

// The side of a link that meets edge k itself: the triangle is sheared along the link onto the
// plane across the main axis, where the tie rule of fixed_point.hpp holds.
bool tieIsPositive(const NearTriangle& triangle, size_t k, const Int3& step) {
  const size_t m = mainAxis(step);
  const auto edge = [&](size_t axis) {
    return std::int64_t{triangle.corner[axis][k + 1]} - triangle.corner[axis][k];
  };
  const auto sheared = [&](size_t axis) { return edge(axis) - step[axis] * step[m] * edge(m); };
  return edgeOwnsTies(sheared((m + 1) % 3), sheared((m + 2) % 3)) == (step[m] > 0);
}

// +1 where the line of a link leaves through the triangle's front, -1 where it comes in through its
// back, 0 where it passes by.
template <class Number>
int lineCrosses(const SeenTriangle<Number>& seen, const NearTriangle& triangle, const Int3& step) {
  const auto side = seen.sides(step);
  const Number least = std::min(std::min(side[0], side[1]), side[2]);
  const Number most = std::max(std::max(side[0], side[1]), side[2]);
  if (least > 0 || most < 0) return least > 0 ? 1 : -1;
  if ((least < 0 && most > 0) || least == most) return 0;
  for (size_t k = 0; k < 3; ++k)
    if (side[k] == 0 && tieIsPositive(triangle, k, step) != (most > 0)) return 0;
  return most > 0 ? 1 : -1;
}

// Link parameter of a plane, between low and high.
double planeParameter(const Int3& node, const Int3& step, const NearTriangle& triangle, double low,
                      double high) {
  const Double3& n = triangle.normal;
  const double speed = n[0] * step[0] + n[1] * step[1] + n[2] * step[2];
  return speed == 0.0 ? low : std::clamp(heightOver(node, triangle) / speed, low, high);
}

// Where the line crosses: the exact plane, but not beyond the corners.
double crossingParameter(const Int3& node, const Int3& step, const NearTriangle& triangle) {
  const size_t m = mainAxis(step);
  const auto [low, high] =
      std::minmax({triangle.corner[m][0], triangle.corner[m][1], triangle.corner[m][2]});
  const auto parameter = [&](std::int32_t at) {
    return step[m] * (static_cast<double>(at) / fixedOne - node[m]);
  };
  return planeParameter(node, step, triangle, parameter(step[m] > 0 ? low : high),
                        parameter(step[m] > 0 ? high : low));
}

template <class Number>
void crossAll(const Int3& node, std::uint32_t mask, const NearTriangle& triangle,
              CrossingsByDirection& crossings) {
  const SeenTriangle<Number> seen(node, triangle);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int n = std::countr_zero(rest);
    const Int3 step = directionStep(n);
    const int sign = lineCrosses(seen, triangle, step);
    if (sign == 0) continue;
    const double t = crossingParameter(node, step, triangle);
    if (t >= -window && t <= 1.0 + window)
      crossings[static_cast<size_t>(n)].push_back({t, -sign, &triangle});
  }
}

}  // namespace

void crossLinks(const Int3& node, std::uint32_t mask, const NearTriangle& triangle,
                CrossingsByDirection& crossings) {
  // A double holds integers up to 2^53: three differences of products of numbers up to 2^25.
  if (triangle.isSmall)
    crossAll<double>(node, mask, triangle, crossings);
  else
    crossAll<std::int64_t>(node, mask, triangle, crossings);
}

const Crossing* firstExit(std::vector<Crossing>& crossings) {
  if (crossings.size() == 1) return crossings[0].change < 0 ? crossings.data() : nullptr;
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

double heightOver(const Int3& node, const NearTriangle& triangle) {
  const Double3& n = triangle.normal;
  return triangle.offset - (n[0] * node[0] + n[1] * node[1] + n[2] * node[2]);
}

double distanceToPlane(const Int3& node, int n, const NearTriangle& triangle) {
  return planeParameter(node, directionStep(n), triangle, 0.0, 1.0);
}

double squaredDistance(const Int3& node, const NearTriangle& triangle) {
  const auto cornerAt = [&](size_t k) {
    return Double3{static_cast<double>(triangle.corner[0][k]) / fixedOne - node[0],
                   static_cast<double>(triangle.corner[1][k]) / fixedOne - node[1],
                   static_cast<double>(triangle.corner[2][k]) / fixedOne - node[2]};
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

}  // namespace tessera
