// SPDX-License-Identifier: GPL-3.0-or-later
// Lattice lines run in 13 directions. Sheared along a direction onto the plane across its first
// axis, the lines are the integer points of that plane and a triangle stays a triangle, so that its
// crossings are rasterised with Pineda's edge functions (SIGGRAPH 1988), here exact in integers,
// with the tie rule of exact_edges.hpp.
#include "preprocess/lattice/links/line_crossing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::preprocess::lattice {

namespace {

using std::size_t;

// Triangles of at most this extent in nodes on each axis are processed by their bounding box.
constexpr int smallExtent = 4;

__extension__ using Int128 = __int128;

struct LineDirection {
  int n;  // direction whose first non-zero component is positive
  Int3 step;
  size_t m, u, v;  // that component's axis, and the axes across it
};

constexpr size_t lineCount = 13;
constexpr std::array<LineDirection, lineCount> makeLines() {
  std::array<LineDirection, lineCount> lines{};
  size_t count = 0;
  for (const auto& [n, step] : geometry::neighbourhood) {
    const size_t m = step[0] != 0 ? 0 : step[1] != 0 ? 1 : 2;
    if (step[m] > 0) lines[count++] = {n, step, m, (m + 1) % 3, (m + 2) % 3};
  }
  return lines;
}
constexpr std::array<LineDirection, lineCount> lines = makeLines();

// Shear: u = sum of factor[axis] * x[axis], one SIMD lane per direction; three lanes are idle.
constexpr size_t lanes = 16;
using Lanes = std::array<std::int32_t, lanes>;
using Factors = std::array<Lanes, 3>;
constexpr Factors makeFactors(bool second) {
  Factors factors{};
  for (size_t d = 0; d < lineCount; ++d) {
    const LineDirection& line = lines[d];
    const size_t axis = second ? line.v : line.u;
    factors[axis][d] = 1;
    factors[line.m][d] = -line.step[axis];
  }
  return factors;
}
constexpr Factors factorsU = makeFactors(false);
constexpr Factors factorsV = makeFactors(true);

Lanes sheared(const Factors& factor, const Fixed3& point) {
  Lanes result;
  for (size_t d = 0; d < lanes; ++d)
    result[d] = factor[0][d] * point[0] + factor[1][d] * point[1] + factor[2][d] * point[2];
  return result;
}

// Range of integers within three fixed-point numbers, by direction.
struct NodeRange {
  Lanes first, last;
  explicit NodeRange(const std::array<Lanes, 3>& at) {
    for (size_t d = 0; d < lanes; ++d) {
      first[d] = nodeAtOrAfter(std::min(std::min(at[0][d], at[1][d]), at[2][d]));
      last[d] = nodeAtOrBefore(std::max(std::max(at[0][d], at[1][d]), at[2][d]));
    }
  }
};

constexpr std::uint32_t allLines = (1U << lineCount) - 1;

// Bit d: in direction d the line at offset (du, dv) from the ranges' first may cross the small
// triangle. Conservative test in single precision, eight directions per vector.
std::uint32_t maybeCrossed(const std::array<Lanes, 3>& atU, const std::array<Lanes, 3>& atV,
                           const NodeRange& u, const NodeRange& v, int du, int dv) {
  constexpr float margin = 1 << 19;  // well above the rounding of products below 2^40
  std::uint32_t maybe = 0;
  for (size_t d = 0; d < lanes; ++d) {
    const std::int32_t nodeU = u.first[d] + du;
    const std::int32_t nodeV = v.first[d] + dv;
    std::array<float, 3> a, b;
    for (size_t k = 0; k < 3; ++k) {
      a[k] = static_cast<float>(atU[k][d] - nodeU * fixedOne);
      b[k] = static_cast<float>(atV[k][d] - nodeV * fixedOne);
    }
    const float side0 = a[0] * b[1] - b[0] * a[1];
    const float side1 = a[1] * b[2] - b[1] * a[2];
    const float side2 = a[2] * b[0] - b[2] * a[0];
    const float least = std::min(std::min(side0, side1), side2);
    const float most = std::max(std::max(side0, side1), side2);
    const auto passes =
        static_cast<std::uint32_t>(nodeU <= u.last[d]) &
        static_cast<std::uint32_t>(nodeV <= v.last[d]) &
        (static_cast<std::uint32_t>(least >= -margin) | static_cast<std::uint32_t>(most <= margin));
    maybe |= passes << d;
  }
  return maybe & allLines;
}

// Bit d: in direction d a range contains more than two lines.
std::uint32_t wideIn(const NodeRange& u, const NodeRange& v) {
  std::uint32_t wide = 0;
  for (size_t d = 0; d < lanes; ++d)
    wide |= (static_cast<std::uint32_t>(u.last[d] - u.first[d] > 1) |
             static_cast<std::uint32_t>(v.last[d] - v.first[d] > 1))
            << d;
  return wide & allLines;
}

// Sheared triangle in fixed point.
struct Flat {
  std::array<std::int64_t, 3> u, v;
};

// +1: the line at (u, v) leaves through the triangle's front; -1: enters through its back; 0: no
// crossing.
int sideCrossed(const Flat& at, std::int64_t u, std::int64_t v) {
  const std::array<std::int64_t, 3> du{at.u[0] - u, at.u[1] - u, at.u[2] - u};
  const std::array<std::int64_t, 3> dv{at.v[0] - v, at.v[1] - v, at.v[2] - v};
  const std::array<std::int64_t, 3> side{edgeArea(du[0], dv[0], du[1], dv[1]),
                                         edgeArea(du[1], dv[1], du[2], dv[2]),
                                         edgeArea(du[2], dv[2], du[0], dv[0])};
  const std::int64_t least = std::min(std::min(side[0], side[1]), side[2]);
  const std::int64_t most = std::max(std::max(side[0], side[1]), side[2]);
  if (least > 0 || most < 0) return least > 0 ? 1 : -1;
  if ((least < 0 && most > 0) || least == most) return 0;
  for (size_t k = 0; k < 3; ++k) {
    const size_t next = (k + 1) % 3;
    if (side[k] == 0 && edgeOwnsTies(at.u[next] - at.u[k], at.v[next] - at.v[k]) != (most > 0))
      return 0;
  }
  return most > 0 ? 1 : -1;
}

// Sign of a value, or, where it is zero, of its first non-zero derivative for shifts along z, y, x.
template <class Value, class Derivative>
int signOfShifted(Value value, const Derivative& along) {
  if (value != 0) return value > 0 ? 1 : -1;
  for (size_t axis = 3; axis-- > 0;)
    if (const auto change = along(axis); change != 0) return change > 0 ? 1 : -1;
  return 0;
}

// sideCrossed() for lines through shifted nodes: the same shift for all directions.
int sideCrossedShifted(const Flat& at, const LineDirection& line, std::int64_t u, std::int64_t v) {
  int sign = 0;
  for (size_t k = 0; k < 3; ++k) {
    const size_t next = (k + 1) % 3;
    const std::int64_t du = at.u[next] - at.u[k];
    const std::int64_t dv = at.v[next] - at.v[k];
    const auto along = [&](size_t axis) {  // the line's shift (a, b) where its nodes move by one
      const int a = axis == line.u ? 1 : axis == line.m ? -line.step[line.u] : 0;
      const int b = axis == line.v ? 1 : axis == line.m ? -line.step[line.v] : 0;
      return b * du - a * dv;
    };
    const int side =
        signOfShifted(edgeArea(at.u[k] - u, at.v[k] - v, at.u[next] - u, at.v[next] - v), along);
    if (side == 0 || (k > 0 && side != sign)) return 0;
    sign = side;
  }
  return sign;
}

// Triangle relative to the node at or below its lowest coordinates.
template <bool isSheet>
class LocalTriangle {
 public:
  LocalTriangle(const NearTriangle& triangle, std::vector<LineCrossing>& crossings)
      : triangle_(triangle), crossings_(crossings) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto [low, high] = std::minmax(
          {triangle.corner[0][axis], triangle.corner[1][axis], triangle.corner[2][axis]});
      base_[axis] = nodeAtOrBefore(low);
      low_[axis] = low - base_[axis] * fixedOne;
      high_[axis] = high - base_[axis] * fixedOne;
      for (size_t k = 0; k < 3; ++k)
        corner_[k][axis] = triangle.corner[k][axis] - base_[axis] * fixedOne;
    }
    height_ = triangle.offset -
              dot(triangle.normal, {static_cast<double>(base_[0]), static_cast<double>(base_[1]),
                                    static_cast<double>(base_[2])});
    u_ = {sheared(factorsU, corner_[0]), sheared(factorsU, corner_[1]),
          sheared(factorsU, corner_[2])};
    v_ = {sheared(factorsV, corner_[0]), sheared(factorsV, corner_[1]),
          sheared(factorsV, corner_[2])};
  }
  [[nodiscard]] bool isSmall() const {
    return std::max({high_[0], high_[1], high_[2]}) <= smallExtent * fixedOne;
  }
  void crossSmall() const {
    const NodeRange u(u_);
    const NodeRange v(v_);
    const std::uint32_t wide = wideIn(u, v);
    for (int dv = 0; dv < 2; ++dv)
      for (int du = 0; du < 2; ++du)
        forBits(maybeCrossed(u_, v_, u, v, du, dv) & ~wide,
                [&](size_t d) { cross(d, flatAlong(d), u.first[d] + du, v.first[d] + dv); });
    forBits(wide, [&](size_t d) {
      const Flat flat = flatAlong(d);
      for (int atV = v.first[d]; atV <= v.last[d]; ++atV)
        for (int atU = u.first[d]; atU <= u.last[d]; ++atU) cross(d, flat, atU, atV);
    });
  }
  void crossLarge(int firstPlane, int lastPlane) const;

 private:
  template <class Visit>
  static void forBits(std::uint32_t bits, const Visit& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<size_t>(std::countr_zero(bits)));
  }
  [[nodiscard]] Flat flatAlong(size_t d) const {
    return {{u_[0][d], u_[1][d], u_[2][d]}, {v_[0][d], v_[1][d], v_[2][d]}};
  }
  void cross(size_t d, const Flat& flat, int u, int v) const {
    if constexpr (isSheet) return crossSheet(d, flat, u, v);
    const int side = sideCrossed(flat, std::int64_t{u} * fixedOne, std::int64_t{v} * fixedOne);
    if (side == 0) return;
    const LineDirection& line = lines[d];
    const double along = positionAlong(line, u, v);
    const double node = std::floor(along);
    const double t = along - node;
    const auto i = static_cast<int>(node);
    add(line, u, v, i, t, side);
    if (t < linkWindow) add(line, u, v, i - 1, t + 1.0, side);
    if (t > 1.0 - linkWindow) add(line, u, v, i + 1, t - 1.0, side);
  }
  void crossSheet(size_t d, const Flat& flat, int u, int v) const {
    const LineDirection& line = lines[d];
    const int side =
        sideCrossedShifted(flat, line, std::int64_t{u} * fixedOne, std::int64_t{v} * fixedOne);
    if (side == 0) return;
    const double along = positionAlong(line, u, v);
    // The last node on the side where the line comes from, near the rounded crossing.
    auto i = static_cast<int>(std::floor(along));
    while (heightSign(line, u, v, i) == side) --i;
    while (heightSign(line, u, v, i + 1) != side) ++i;
    add(line, u, v, i, std::clamp(along - i, 0.0, 1.0), side);
  }
  // Side of the plane of the corners on which the shifted node lies; exact.
  [[nodiscard]] int heightSign(const LineDirection& line, int u, int v, int i) const {
    const auto edge = [&](size_t k, size_t axis) {
      return static_cast<std::int64_t>(corner_[k][axis]) - corner_[0][axis];
    };
    std::array<std::int64_t, 3> normal{};
    Int128 height = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
      const size_t a = (axis + 1) % 3;
      const size_t b = (axis + 2) % 3;
      normal[axis] = edge(1, a) * edge(2, b) - edge(2, a) * edge(1, b);
      const std::int64_t node = axis == line.m   ? i
                                : axis == line.u ? u + std::int64_t{line.step[line.u]} * i
                                                 : v + std::int64_t{line.step[line.v]} * i;
      height += static_cast<Int128>(normal[axis]) * (node * fixedOne - corner_[0][axis]);
    }
    return signOfShifted(height, [&](size_t axis) { return normal[axis]; });
  }
  // Position in steps from the base: on the exact plane, clamped to the corners.
  [[nodiscard]] double positionAlong(const LineDirection& line, int u, int v) const {
    const Double3& n = triangle_.normal;
    const double speed = n[0] * line.step[0] + n[1] * line.step[1] + n[2] * line.step[2];
    const double low = static_cast<double>(low_[line.m]) / fixedOne;
    const double high = static_cast<double>(high_[line.m]) / fixedOne;
    if (speed == 0.0) return low;
    return std::clamp((height_ - n[line.u] * u - n[line.v] * v) / speed, low, high);
  }
  void add(const LineDirection& line, int u, int v, int i, double t, int side) const {
    Int3 node = base_;
    node[line.m] += i;
    node[line.u] += u + line.step[line.u] * i;
    node[line.v] += v + line.step[line.v] * i;
    crossings_.push_back({node, line.n, t, side > 0});
  }

  const NearTriangle& triangle_;
  std::vector<LineCrossing>& crossings_;
  Int3 base_;
  Fixed3 low_, high_;             // from the base
  std::array<Fixed3, 3> corner_;  // from the base
  double height_;                 // of its plane above the base along its normal, nodes
  std::array<Lanes, 3> u_, v_;
};

// Convex polygon of up to 8 corners, in nodes.
struct Polygon {
  std::array<Double3, 8> corner;
  size_t size = 0;

  void add(const Double3& point) { corner[size++] = point; }
  [[nodiscard]] std::pair<double, double> range(size_t axis) const {
    double low = corner[0][axis];
    double high = low;
    for (size_t k = 1; k < size; ++k) {
      low = std::min(low, corner[k][axis]);
      high = std::max(high, corner[k][axis]);
    }
    return {low, high};
  }
};

// Part with sign * x[axis] <= limit (Sutherland & Hodgman 1974).
Polygon clipped(const Polygon& polygon, size_t axis, double sign, double limit) {
  Polygon kept;
  for (size_t k = 0; k < polygon.size; ++k) {
    const Double3& a = polygon.corner[k];
    const Double3& b = polygon.corner[(k + 1) % polygon.size];
    const double outA = sign * a[axis] - limit;
    const double outB = sign * b[axis] - limit;
    if (outA <= 0.0) kept.add(a);
    if ((outA < 0.0 && outB > 0.0) || (outA > 0.0 && outB < 0.0))
      kept.add(a + outA / (outA - outB) * (b - a));
  }
  return kept;
}

Polygon between(const Polygon& polygon, size_t axis, double low, double high) {
  return clipped(clipped(polygon, axis, 1.0, high), axis, -1.0, -low);
}

// Row by row, so that a long slanted triangle costs only the lines that it crosses. The polygons
// only select lines, with a margin for their rounding.
template <bool isSheet>
void LocalTriangle<isSheet>::crossLarge(int firstPlane, int lastPlane) const {
  constexpr double margin = 2.0 * linkWindow;
  Polygon whole;
  for (const Fixed3& corner : corner_)
    whole.add({static_cast<double>(corner[0]) / fixedOne, static_cast<double>(corner[1]) / fixedOne,
               static_cast<double>(corner[2]) / fixedOne});
  const Polygon part =
      between(whole, 2, firstPlane - base_[2] - 1 - margin, lastPlane - base_[2] + 1 + margin);
  if (part.size == 0) return;
  for (size_t d = 0; d < lineCount; ++d) {
    const LineDirection& line = lines[d];
    const Flat flat = flatAlong(d);
    Polygon seen;
    for (size_t k = 0; k < part.size; ++k) {
      const Double3& x = part.corner[k];
      seen.add({x[line.u] - line.step[line.u] * x[line.m],
                x[line.v] - line.step[line.v] * x[line.m], 0.0});
    }
    const auto [lowV, highV] = seen.range(1);
    for (int v = static_cast<int>(std::ceil(lowV - margin)); v <= highV + margin; ++v) {
      const Polygon row = between(seen, 1, v - margin, v + margin);
      if (row.size == 0) continue;
      const auto [lowU, highU] = row.range(0);
      for (int u = static_cast<int>(std::ceil(lowU - margin)); u <= highU + margin; ++u)
        cross(d, flat, u, v);
    }
  }
}

template <bool isSheet>
void crossAs(const NearTriangle& triangle, int firstPlane, int lastPlane,
             std::vector<LineCrossing>& crossings) {
  const LocalTriangle<isSheet> local(triangle, crossings);
  if (local.isSmall())
    local.crossSmall();
  else
    local.crossLarge(firstPlane, lastPlane);
}

}  // namespace

void crossLines(const NearTriangle& triangle, int firstPlane, int lastPlane,
                std::vector<LineCrossing>& crossings) {
  if (triangle.isSheet)
    crossAs<true>(triangle, firstPlane, lastPlane, crossings);
  else
    crossAs<false>(triangle, firstPlane, lastPlane, crossings);
}

}  // namespace tessera::preprocess::lattice
