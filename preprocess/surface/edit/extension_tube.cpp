// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/edit/extension_tube.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "preprocess/surface/edit/cross_section.hpp"

namespace tessera::preprocess::surface {

using geometry::Opening;
using geometry::TriangleMesh;

namespace {

std::vector<std::uint32_t> capOf(const TriangleMesh& mesh, const Opening& opening) {
  std::vector<std::uint32_t> cap;
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    if (mesh.label[t] == geometry::openingPatch(opening.id)) cap.push_back(t);
  return cap;
}

// Edge of the cap's rim in the direction of the cap's triangle.
struct RimEdge {
  std::uint32_t from, to;
  geometry::Patch wall = 0;
  bool isOpen = false;  // no triangle across it
};

// Rim edges ascending by their vertices.
std::vector<RimEdge> rimEdges(const TriangleMesh& mesh, const Opening& opening) {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Pair, RimEdge> edges;
  std::set<Pair> within;  // shared by two triangles of the cap
  std::vector<char> isOnCap(mesh.vertex.size(), 0);
  for (const std::uint32_t t : capOf(mesh, opening))
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t from = mesh.triangle[t][c], to = mesh.triangle[t][(c + 1) % 3];
      isOnCap[from] = 1;
      if (!edges.try_emplace(std::minmax(from, to), RimEdge{from, to, 0, true}).second)
        within.insert(std::minmax(from, to));
    }
  for (const Pair& edge : within) edges.erase(edge);
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const stage::Triangle& corner = mesh.triangle[t];
    if (isOnCap[corner[0]] + isOnCap[corner[1]] + isOnCap[corner[2]] < 2 ||
        mesh.label[t] == geometry::openingPatch(opening.id))
      continue;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto edge = edges.find(std::minmax(corner[c], corner[(c + 1) % 3]));
      if (edge == edges.end()) continue;
      edge->second.isOpen = false;
      if (!geometry::isOpening(mesh.label[t])) edge->second.wall = mesh.label[t];
    }
  }
  std::vector<RimEdge> rim;
  for (const auto& [vertices, edge] : edges) rim.push_back(edge);
  return rim;
}

// Part of a triangle in a plane's axes, with the height above it.
using Points = std::vector<Double3>;

// Part of a convex polygon with inside(p) >= 0 (Sutherland and Hodgman 1974).
template <class Inside>
void clip(Points& polygon, Inside inside) {
  Points kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Double3& a = polygon[i];
    const Double3& b = polygon[(i + 1) % polygon.size()];
    const double here = inside(a), next = inside(b);
    if (here >= 0.0) kept.push_back(a);
    if ((here < 0.0) != (next < 0.0)) kept.push_back(a + here / (here - next) * (b - a));
  }
  polygon = std::move(kept);
}

// Outline of an opening as triangles, extruded along its normal.
class Prism {
 public:
  Prism(const TriangleMesh& mesh, const Opening& opening)
      : opening_(opening), axes_(opening.normal) {
    for (const std::uint32_t t : capOf(mesh, opening)) {
      std::array<Double3, 3> corner{};
      for (std::size_t c = 0; c < 3; ++c) {
        corner[c] = local(mesh.vertex[mesh.triangle[t][c]]);
        reach_ = std::max(reach_, std::hypot(corner[c][0], corner[c][1]));
        base_ = std::max(base_, std::abs(corner[c][2]));
      }
      base_ = std::max(base_, 1e-3 * opening.radius);
      if (turn(corner[0], corner[1], corner[2]) > 0.0) outline_.push_back(corner);
    }
  }

  // Least height at which the triangle lies over the outline; highest if none is below it.
  [[nodiscard]] double lowest(const std::array<Double3, 3>& world, double highest) const {
    std::array<Double3, 3> corner{};
    for (std::size_t c = 0; c < 3; ++c) corner[c] = local(world[c]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto [low, high] = std::minmax({corner[0][axis], corner[1][axis], corner[2][axis]});
      if (axis == 2 ? high <= base_ || low >= highest : high <= -reach_ || low >= reach_)
        return highest;
    }
    Points above(corner.begin(), corner.end());
    clip(above, [&](const Double3& p) { return p[2] - base_; });
    for (const auto& triangle : outline_) highest = std::min(highest, lowestOver(triangle, above));
    return highest;
  }

 private:
  [[nodiscard]] Double3 local(const Double3& world) const {
    const Double3 from = world - opening_.centre;
    return {dot(from, axes_.u), dot(from, axes_.v), dot(from, opening_.normal)};
  }
  // Twice the area.
  static double turn(const Double3& a, const Double3& b, const Double3& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  }
  // Least height over a slightly shrunk triangle of the outline, to ignore walls next to the tube.
  [[nodiscard]] double lowestOver(const std::array<Double3, 3>& triangle, Points above) const {
    for (std::size_t c = 0; c < 3 && !above.empty(); ++c) {
      const Double3& a = triangle[c];
      const Double3& b = triangle[(c + 1) % 3];
      const double edge = std::hypot(b[0] - a[0], b[1] - a[1]);
      if (!(edge > 0.0)) return 1e300;
      clip(above, [&](const Double3& p) { return turn(a, b, p) / edge - 1e-3 * opening_.radius; });
    }
    double lowest = 1e300;
    for (const Double3& p : above) lowest = std::min(lowest, p[2]);
    return lowest;
  }

  const Opening& opening_;
  PlaneAxes axes_;
  double reach_ = 0.0;  // extent of the outline from the centre
  double base_ = 0.0;   // heights below belong to the rim
  std::vector<std::array<Double3, 3>> outline_;
};

}  // namespace

double hydraulicDiameter(const TriangleMesh& mesh, const Opening& opening) {
  double perimeter = 0.0;
  for (const RimEdge& edge : rimEdges(mesh, opening))
    perimeter += length(mesh.vertex[edge.to] - mesh.vertex[edge.from]);
  return 4.0 * opening.area / perimeter;
}

std::optional<double> firstObstacle(const TriangleMesh& mesh, const Opening& opening,
                                    double length) {
  const Prism prism(mesh, opening);
  double lowest = length;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    if (mesh.label[t] == geometry::openingPatch(opening.id)) continue;
    const stage::Triangle& corner = mesh.triangle[t];
    lowest = prism.lowest({mesh.vertex[corner[0]], mesh.vertex[corner[1]], mesh.vertex[corner[2]]},
                          lowest);
  }
  return lowest < length ? std::optional(lowest) : std::nullopt;
}

void extendBy(TriangleMesh& mesh, Opening& opening, double length) {
  const std::vector<RimEdge> rim = rimEdges(mesh, opening);
  // Rings about as long as wide, to avoid long triangles.
  const int rings = std::max(1, static_cast<int>(std::ceil(length / (2.0 * opening.radius))));
  const auto pointAt = [&](std::uint32_t v, int ring) {
    const Double3 from = mesh.vertex[v];
    const double height = dot(from - opening.centre, opening.normal);
    return from + ((length - height) * ring / rings) * opening.normal;
  };
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> copies(
      static_cast<std::size_t>(rings) + 1);
  const auto at = [&](std::uint32_t v, int ring) {
    if (ring == 0) return v;
    const auto next = static_cast<std::uint32_t>(mesh.vertex.size());
    const auto [found, isNew] = copies[static_cast<std::size_t>(ring)].try_emplace(v, next);
    if (isNew) mesh.vertex.push_back(pointAt(v, ring));
    return found->second;
  };
  for (const std::uint32_t t : capOf(mesh, opening))
    for (std::uint32_t& v : mesh.triangle[t]) v = at(v, rings);
  for (const RimEdge& edge : rim) {
    if (edge.isOpen) continue;
    for (int ring = 0; ring < rings; ++ring) {
      const std::uint32_t a = at(edge.from, ring), b = at(edge.to, ring);
      const std::uint32_t c = at(edge.to, ring + 1), d = at(edge.from, ring + 1);
      mesh.triangle.push_back({a, b, c});
      mesh.triangle.push_back({a, c, d});
      mesh.label.insert(mesh.label.end(), 2, edge.wall);
    }
  }
  opening.centre = opening.centre + length * opening.normal;
}

}  // namespace tessera::preprocess::surface
