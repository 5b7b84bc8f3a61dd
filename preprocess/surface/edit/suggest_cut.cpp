// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/edit/suggest_cut.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <queue>
#include <utility>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/mesh_measure.hpp"
#include "preprocess/surface/edit/cut_surface.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

constexpr double unreached = std::numeric_limits<double>::max();

std::uint32_t farthestFromMiddle(const TriangleMesh& mesh) {
  Double3 sum{};
  double area = 0.0;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const double share = length(geometry::areaVector(mesh, t));
    for (const std::uint32_t v : mesh.triangle[t]) sum = sum + (share / 3.0) * mesh.vertex[v];
    area += share;
  }
  const Double3 middle = (1.0 / area) * sum;
  std::uint32_t tip = mesh.triangle[0][0];
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t)
      if (length(mesh.vertex[v] - middle) > (1.0 + 1e-6) * length(mesh.vertex[tip] - middle))
        tip = v;
  return tip;
}

// m, along edges (Dijkstra 1959).
std::vector<double> distancesFrom(const TriangleMesh& mesh, std::uint32_t source) {
  std::vector<std::uint32_t> start(mesh.vertex.size() + 1, 0);
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t) ++start[v + 1];
  for (std::size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];
  std::vector<std::uint32_t> around(3 * mesh.triangle.size());  // triangles of each vertex
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    for (const std::uint32_t v : mesh.triangle[t]) around[next[v]++] = t;
  std::vector<double> distance(mesh.vertex.size(), unreached);
  std::priority_queue<std::pair<double, std::uint32_t>,
                      std::vector<std::pair<double, std::uint32_t>>, std::greater<>>
      open;
  distance[source] = 0.0;
  open.emplace(0.0, source);
  while (!open.empty()) {
    const auto [here, v] = open.top();
    open.pop();
    if (here > distance[v]) continue;
    for (std::uint32_t i = start[v]; i < start[v + 1]; ++i)
      for (const std::uint32_t other : mesh.triangle[around[i]]) {
        const double there = here + length(mesh.vertex[other] - mesh.vertex[v]);
        if (there >= distance[other]) continue;
        distance[other] = there;
        open.emplace(there, other);
      }
  }
  return distance;
}

// Where the distance has one value: the line's length (m) and middle.
struct Level {
  double size = 0.0;
  Double3 middle{};
};

Level levelAt(const TriangleMesh& mesh, const std::vector<double>& distance, double value) {
  Level level;
  for (const stage::Triangle& t : mesh.triangle) {
    std::array<Double3, 2> end{};
    std::size_t ends = 0;
    for (std::size_t c = 0; c < 3 && ends < 2; ++c) {
      const std::uint32_t a = t[c], b = t[(c + 1) % 3];
      if ((distance[a] < value) == (distance[b] < value)) continue;
      const double share = (value - distance[a]) / (distance[b] - distance[a]);
      end[ends++] = mesh.vertex[a] + share * (mesh.vertex[b] - mesh.vertex[a]);
    }
    if (ends < 2) continue;
    const double size = length(end[1] - end[0]);
    level.size += size;
    level.middle = level.middle + (0.5 * size) * (end[0] + end[1]);
  }
  if (level.size > 0.0) level.middle = (1.0 / level.size) * level.middle;
  return level;
}

// How far from the tip a rounded end of radius R has become a tube: over a quarter of a
// circle, and one radius further. Absent: nowhere before the surface ends.
std::optional<double> depthOfEnd(const TriangleMesh& mesh, const std::vector<double>& distance,
                                 double longest) {
  constexpr double inRadii = 0.5 * std::numbers::pi + 1.0;
  for (double depth = 0.01 * longest; depth < longest; depth *= 1.1) {
    const double size = levelAt(mesh, distance, depth).size;
    if (size > 0.0 && depth >= inRadii * size / (2.0 * std::numbers::pi)) return depth;
  }
  return std::nullopt;
}

std::string textOf(const Double3& point, const Double3& normal) {
  char text[200];
  std::snprintf(text, sizeof text, "%.5g,%.5g,%.5g;%.3f,%.3f,%.3f", point[0], point[1], point[2],
                normal[0], normal[1], normal[2]);
  return text;
}

// The plane with the digits that the text has.
CutPlane planeOf(const std::string& text, double metresPerUnit) {
  std::array<double, 6> value{};
  const char* at = text.c_str();
  for (double& number : value) {
    char* end = nullptr;
    number = std::strtod(at, &end);
    at = *end == '\0' ? end : end + 1;
  }
  const Double3 normal{value[3], value[4], value[5]};
  return {metresPerUnit * Double3{value[0], value[1], value[2]}, (1.0 / length(normal)) * normal,
          text};
}

// Whether the cut takes an end and leaves the vessel.
bool cutsAnEnd(TriangleMesh mesh, const CutPlane& plane, double longest) {
  const double before = geometry::surfaceArea(mesh);
  try {
    const CutEnds ends = cutAway(mesh, {plane}, std::ldexp(longest, -20));
    return ends.warnings.empty() && geometry::surfaceArea(mesh) > 0.7 * before;
  } catch (const stage::StageError&) {
    return false;
  }
}

}  // namespace

std::optional<std::string> suggestCut(const TriangleMesh& mesh, double metresPerUnit) {
  const double longest = geometry::boundsOf(mesh).longest();
  const std::vector<double> distance = distancesFrom(mesh, farthestFromMiddle(mesh));
  const std::optional<double> depth = depthOfEnd(mesh, distance, longest);
  if (!depth) return std::nullopt;
  const Double3 point = levelAt(mesh, distance, *depth).middle;
  const Double3 out = levelAt(mesh, distance, 0.6 * *depth).middle - point;
  if (!(length(out) > 0.0)) return std::nullopt;
  const std::string text = textOf((1.0 / metresPerUnit) * point, (1.0 / length(out)) * out);
  if (!cutsAnEnd(mesh, planeOf(text, metresPerUnit), longest)) return std::nullopt;
  return text;
}

}  // namespace tessera::preprocess::surface
