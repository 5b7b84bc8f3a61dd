// SPDX-License-Identifier: GPL-3.0-or-later
// Cutting a tube's end off: vertices close to the plane are moved onto the end's circle first, so
// that no sliver is left; the triangles that still cross the plane are split on the circle.
#include "preprocess/sample/cut_end.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "preprocess/sample/implicit.hpp"

namespace tessera::preprocess::sample {

using stage::Triangle;

namespace {
constexpr double snap = 0.3;  // of a cell

Double3 ontoCircle(const TubeEnd& end, const Double3& point) {
  const Double3 offset = point - end.centre;
  const Double3 radial = offset - dot(offset, end.normal) * end.normal;
  return end.centre + end.radius * unit(radial);
}

// Height above the plane; the rest of the vessel counts as far below.
double height(const TubeEnd& end, const Double3& point) {
  const Double3 offset = point - end.centre;
  return dot(offset, offset) < end.reach * end.reach ? dot(offset, end.normal) : -end.reach;
}

struct Cut {
  const TubeEnd& end;
  geometry::TriangleMesh& mesh;
  std::vector<double> above;  // by vertex
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middle;
  std::vector<Triangle> kept;

  std::uint32_t split(std::uint32_t a, std::uint32_t b) {
    const auto [it, isNew] = middle.try_emplace(std::minmax(a, b), mesh.vertex.size());
    if (isNew) {
      const double t = above[a] / (above[a] - above[b]);
      const Double3 at = mesh.vertex[a] + t * (mesh.vertex[b] - mesh.vertex[a]);
      mesh.vertex.push_back(ontoCircle(end, at));
      above.push_back(0.0);
    }
    return it->second;
  }

  void keepBelow(const Triangle& triangle) {
    std::vector<std::uint32_t> polygon;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangle[k];
      const std::uint32_t b = triangle[(k + 1) % 3];
      if (above[a] <= 0.0) polygon.push_back(a);
      if (above[a] * above[b] < 0.0) polygon.push_back(split(a, b));
    }
    const auto across = [&](std::size_t a, std::size_t b) {
      return length(mesh.vertex[polygon[a]] - mesh.vertex[polygon[b]]);
    };
    if (polygon.size() == 4 && across(1, 3) < across(0, 2))
      std::rotate(polygon.begin(), polygon.begin() + 1, polygon.end());
    for (std::size_t k = 2; k < polygon.size(); ++k)
      kept.push_back({polygon[0], polygon[k - 1], polygon[k]});
  }
};

void dropUnusedVertices(geometry::TriangleMesh& mesh) {
  constexpr std::uint32_t unused = 0xffffffff;
  std::vector<std::uint32_t> index(mesh.vertex.size(), unused);
  for (const Triangle& triangle : mesh.triangle)
    for (std::uint32_t v : triangle) index[v] = 0;
  std::uint32_t next = 0;
  for (std::size_t v = 0; v < index.size(); ++v) {
    if (index[v] == unused) continue;
    mesh.vertex[next] = mesh.vertex[v];
    index[v] = next++;
  }
  mesh.vertex.resize(next);
  for (Triangle& triangle : mesh.triangle)
    for (std::uint32_t& v : triangle) v = index[v];
}
}  // namespace

void cutEnd(geometry::TriangleMesh& mesh, const TubeEnd& end, double cell) {
  Cut cut{end, mesh, std::vector<double>(mesh.vertex.size()), {}, {}};
  for (std::size_t v = 0; v < mesh.vertex.size(); ++v) {
    const double h = height(end, mesh.vertex[v]);
    const bool close = std::abs(h) < snap * cell;
    cut.above[v] = close ? 0.0 : h;
    if (close) mesh.vertex[v] = ontoCircle(end, mesh.vertex[v]);
  }
  for (const Triangle& t : mesh.triangle) {
    const std::array<double, 3> h{cut.above[t[0]], cut.above[t[1]], cut.above[t[2]]};
    const auto [low, high] = std::minmax_element(h.begin(), h.end());
    if (*low >= 0.0) continue;
    if (*high <= 0.0)
      cut.kept.push_back(t);
    else
      cut.keepBelow(t);
  }
  mesh.triangle = std::move(cut.kept);
  dropUnusedVertices(mesh);
}

mesher::RimPlace alongCircles(std::span<const TubeEnd> ends) {
  return [ends](const Double3& at, const Double3& middle) {
    const auto gap = [&](const TubeEnd& end) {
      return std::abs(length(at - end.centre) - end.radius);
    };
    const TubeEnd& end = *std::min_element(
        ends.begin(), ends.end(), [&](const auto& a, const auto& b) { return gap(a) < gap(b); });
    return ontoCircle(end, middle);
  };
}

}  // namespace tessera::preprocess::sample
