// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/edit/cut_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numbers>
#include <queue>
#include <utility>
#include <vector>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/surface/triangulate.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;
using stage::Triangle;

namespace {

[[noreturn]] void refuse(const CutPlane& plane, const std::string& why) {
  stage::fail(stage::ExitCode::Usage, "--cut \"" + plane.given + "\": " + why + ".");
}

std::string inMillimetres(const Double3& p) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", 1e3 * p[0], 1e3 * p[1], 1e3 * p[2]);
}

// Edges of the cross-section, sorted.
std::vector<VertexPair> edgesAlong(const CrossSection& section) {
  std::vector<VertexPair> edges;
  for (const PlaneCurve& curve : section.curve)
    edges.insert(edges.end(), curve.edge.begin(), curve.edge.end());
  std::sort(edges.begin(), edges.end());
  return edges;
}

// Sets of triangles connected across edges other than those of the cross-section.
geometry::DisjointSets<> sidesOf(const SplitMesh& split, const EdgeTable& edges,
                                 const std::vector<VertexPair>& cut) {
  geometry::DisjointSets<> sides(split.mesh.triangle.size());
  for (std::uint32_t v = 0; v < split.mesh.vertex.size(); ++v)
    edges.forEdgesOf(v, [&](std::uint32_t low, std::uint32_t high, auto ends) {
      const bool isCut = split.side[low] == 0 && split.side[high] == 0 &&
                         std::binary_search(cut.begin(), cut.end(), VertexPair{low, high});
      if (isCut) return;
      for (const EdgeTable::End& end : ends) sides.join(ends[0].half / 3, end.half / 3);
    });
  return sides;
}

// Marks the triangles of the split surface that are cut off.
std::vector<char> cutOff(const SplitMesh& split, const std::vector<VertexPair>& cut,
                         const CutPlane& plane) {
  const EdgeTable edges = edgesOf(split.mesh);
  geometry::DisjointSets<> sides = sidesOf(split, edges, cut);
  std::vector<std::uint32_t> kept, removed;  // sets
  for (const auto& [low, high] : cut)
    edges.forEdgesOf(low, [&, other = high](std::uint32_t, std::uint32_t end, auto ends) {
      if (end != other) return;
      for (const EdgeTable::End& half : ends)
        (split.sideOf(half.half / 3) < 0 ? kept : removed).push_back(sides.root(half.half / 3));
    });
  std::sort(kept.begin(), kept.end());
  std::sort(removed.begin(), removed.end());
  for (const std::uint32_t side : removed)
    if (std::binary_search(kept.begin(), kept.end(), side))
      refuse(plane,
             "the parts on both sides of the plane are also connected elsewhere, so this "
             "cross-section does not separate them; cut where it does");
  std::vector<char> isCutOff(split.mesh.triangle.size(), 0);
  for (std::uint32_t t = 0; t < isCutOff.size(); ++t)
    isCutOff[t] = std::binary_search(removed.begin(), removed.end(), sides.root(t)) ? 1 : 0;
  return isCutOff;
}

// Remaining triangles: split only along the cross-section.
TriangleMesh remainingOf(const TriangleMesh& mesh, SplitMesh&& split,
                         const std::vector<VertexPair>& cut, const std::vector<char>& isCutOff) {
  const auto isOnCut = [&](const Triangle& t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto [low, high] = std::minmax(t[c], t[(c + 1) % 3]);
      if (std::binary_search(cut.begin(), cut.end(), VertexPair{low, high})) return true;
    }
    return false;
  };
  TriangleMesh kept;
  for (std::size_t t = 0; t < split.origin.size();) {
    const std::uint32_t origin = split.origin[t];
    std::size_t end = t;
    bool divided = false;
    for (; end < split.origin.size() && split.origin[end] == origin; ++end)
      divided = divided || isOnCut(split.mesh.triangle[end]);
    const auto add = [&](const Triangle& triangle) {
      kept.triangle.push_back(triangle);
      if (!mesh.label.empty()) kept.label.push_back(mesh.label[origin]);
    };
    if (!divided && !isCutOff[t]) add(mesh.triangle[origin]);
    for (; t < end; ++t)
      if (divided && !isCutOff[t]) add(split.mesh.triangle[t]);
  }
  kept.vertex = std::move(split.mesh.vertex);
  return kept;
}

std::string warningOf(const CrossSection& section, const CutPlane& plane) {
  const double radius = 0.5 * section.perimeter / std::numbers::pi;
  if (section.distance <= 0.5 * radius) return "";
  return fmt::format(
      "--cut \"{}\": the point lies {} outside of the cross-section that was cut, whose perimeter "
      "is {}.",
      plane.given, stage::formatQuantity(section.distance, stage::Dimension::Length),
      stage::formatQuantity(section.perimeter, stage::Dimension::Length));
}

std::vector<std::uint32_t> verticesOf(const std::vector<VertexPair>& edges) {
  std::vector<std::uint32_t> vertices;
  for (const auto& edge : edges) vertices.insert(vertices.end(), edge.begin(), edge.end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

void cutOne(TriangleMesh& mesh, const CutPlane& plane, double tolerance, CutEnds& ends) {
  SplitMesh split = splitAt(mesh, plane, tolerance);
  const std::vector<PlaneCurve> curves = curvesOf(split);
  if (curves.empty()) {
    const geometry::Bounds bounds = geometry::boundsOf(mesh);
    refuse(plane, "the plane does not cross the surface, which extends from " +
                      inMillimetres(bounds.low) + " to " + inMillimetres(bounds.high) +
                      " mm; check the point and its unit");
  }
  const CrossSection section = nearestSection(split, curves, plane);
  if (!section.curve.front().isClosed)
    refuse(plane,
           "the surface is open where the plane crosses it nearest to the point; cut where the "
           "wall is complete");
  const std::vector<VertexPair> cut = edgesAlong(section);
  const std::vector<char> isCutOff = cutOff(split, cut, plane);
  mesh = remainingOf(mesh, std::move(split), cut, isCutOff);
  std::vector<std::uint32_t> rim = verticesOf(cut);
  for (const std::uint32_t v : rim) {
    Double3& p = mesh.vertex[v];
    p = p - dot(p - plane.point, plane.normal) * plane.normal;
  }
  ends.rim.push_back(std::move(rim));
  if (const std::string warning = warningOf(section, plane); !warning.empty())
    ends.warnings.push_back(warning);
}

// Removes unused vertices.
void compact(TriangleMesh& mesh, CutEnds& ends) {
  const std::vector<std::uint32_t> newIndex = geometry::dropUnusedVertices(mesh);
  for (std::vector<std::uint32_t>& rim : ends.rim) {
    for (std::uint32_t& v : rim) v = newIndex[v];
    std::erase(rim, geometry::unusedVertex);
  }
}

// Ear clipping, for planar loops that are not star-shaped about their centroid.
std::vector<Triangle> clipEars(std::span<const Double3> ring) {
  std::vector<Triangle> triangles;
  read::triangulate(ring, triangles);
  return triangles;
}

}  // namespace

CutEnds cutAway(TriangleMesh& mesh, const std::vector<CutPlane>& planes, double tolerance) {
  CutEnds ends;
  for (const CutPlane& plane : planes) cutOne(mesh, plane, tolerance, ends);
  compact(mesh, ends);
  return ends;
}

void markCuts(const CutEnds& ends, const std::vector<CutPlane>& planes,
              std::vector<BoundaryLoop>& loops) {
  for (std::uint32_t k = 0; k < ends.rim.size(); ++k) {
    const std::vector<std::uint32_t>& rim = ends.rim[k];
    bool found = false;
    for (BoundaryLoop& loop : loops) {
      if (loop.cut || !std::all_of(loop.vertex.begin(), loop.vertex.end(), [&](std::uint32_t v) {
            return std::binary_search(rim.begin(), rim.end(), v);
          }))
        continue;
      loop.cut = k;
      found = true;
    }
    if (!found) refuse(planes[k], "a later cut removes the end made by this one; leave it out");
  }
}

std::vector<Cap> coverCuts(TriangleMesh& mesh, const std::vector<BoundaryLoop>& loops) {
  std::map<std::uint32_t, Cap> caps;  // by cut
  for (const BoundaryLoop& loop : loops) {
    if (!loop.cut) continue;
    Cap& cap = caps[*loop.cut];
    cap.origin = CapOrigin::Cut;
    for (auto t = closeLoop(mesh, loop, clipEars); t < mesh.triangle.size(); ++t)
      cap.triangle.push_back(t);
  }
  std::vector<Cap> list;
  for (auto& [cut, cap] : caps) list.push_back(std::move(cap));
  return list;
}

namespace {

constexpr double unreached = std::numeric_limits<double>::max();

std::uint32_t farthestFromCentroid(const TriangleMesh& mesh) {
  Double3 sum{};
  double area = 0.0;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const double share = length(geometry::areaVector(mesh, t));
    for (const std::uint32_t v : mesh.triangle[t]) sum = sum + (share / 3.0) * mesh.vertex[v];
    area += share;
  }
  const Double3 centroid = (1.0 / area) * sum;
  std::uint32_t tip = mesh.triangle[0][0];
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t)
      if (length(mesh.vertex[v] - centroid) > (1.0 + 1e-6) * length(mesh.vertex[tip] - centroid))
        tip = v;
  return tip;
}

// Distances in m along edges (Dijkstra 1959).
std::vector<double> distancesFrom(const TriangleMesh& mesh, std::uint32_t source) {
  const geometry::VertexTriangles around = geometry::trianglesAroundVertices(mesh);
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
    for (const std::uint32_t t : around[v])
      for (const std::uint32_t other : mesh.triangle[t]) {
        const double there = here + length(mesh.vertex[other] - mesh.vertex[v]);
        if (there >= distance[other]) continue;
        distance[other] = there;
        open.emplace(there, other);
      }
  }
  return distance;
}

// Level line of the distance: its length (m) and centre.
struct Level {
  double size = 0.0;
  Double3 centre{};
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
    level.centre = level.centre + (0.5 * size) * (end[0] + end[1]);
  }
  if (level.size > 0.0) level.centre = (1.0 / level.size) * level.centre;
  return level;
}

// Distance from the tip at which a rounded end of radius R has become a tube: a quarter of a circle
// and one radius. Absent if the surface ends before.
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
  return fmt::format("{:.5g},{:.5g},{:.5g};{:.3f},{:.3f},{:.3f}", point[0], point[1], point[2],
                     normal[0], normal[1], normal[2]);
}

// Plane with the rounded numbers of the text.
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

// Whether the cut removes an end and keeps the vessel.
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
  const std::vector<double> distance = distancesFrom(mesh, farthestFromCentroid(mesh));
  const std::optional<double> depth = depthOfEnd(mesh, distance, longest);
  if (!depth) return std::nullopt;
  const Double3 point = levelAt(mesh, distance, *depth).centre;
  const Double3 out = levelAt(mesh, distance, 0.6 * *depth).centre - point;
  if (!(length(out) > 0.0)) return std::nullopt;
  const std::string text = textOf((1.0 / metresPerUnit) * point, (1.0 / length(out)) * out);
  if (!cutsAnEnd(mesh, planeOf(text, metresPerUnit), longest)) return std::nullopt;
  return text;
}

}  // namespace tessera::preprocess::surface
