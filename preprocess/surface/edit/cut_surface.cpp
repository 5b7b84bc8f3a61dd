// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/edit/cut_surface.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numbers>
#include <utility>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/geometry/mesh_measure.hpp"
#include "preprocess/read/surface/triangulate.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;
using stage::Triangle;

namespace {

[[noreturn]] void refuse(const CutPlane& plane, const std::string& why) {
  stage::fail(stage::ExitCode::Usage, "--cut \"" + plane.given + "\": " + why + ".");
}

std::string inMillimetres(const Double3& p) {
  char text[120];
  std::snprintf(text, sizeof text, "(%.4g, %.4g, %.4g)", 1e3 * p[0], 1e3 * p[1], 1e3 * p[2]);
  return text;
}

// Edges of the cross-section, sorted.
std::vector<VertexPair> edgesAlong(const CrossSection& section) {
  std::vector<VertexPair> edges;
  for (const PlaneCurve& curve : section.curve)
    edges.insert(edges.end(), curve.edge.begin(), curve.edge.end());
  std::sort(edges.begin(), edges.end());
  return edges;
}

// Triangles that hang together by edges other than those of the cross-section are one set.
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

// Which triangles of the split surface go.
std::vector<char> beyond(const SplitMesh& split, const std::vector<VertexPair>& cut,
                         const CutPlane& plane) {
  const EdgeTable edges = edgesOf(split.mesh);
  geometry::DisjointSets<> sides = sidesOf(split, edges, cut);
  std::vector<std::uint32_t> kept, gone;  // numbers of sides
  for (const auto& [low, high] : cut)
    edges.forEdgesOf(low, [&, other = high](std::uint32_t, std::uint32_t end, auto ends) {
      if (end != other) return;
      for (const EdgeTable::End& half : ends)
        (split.sideOf(half.half / 3) < 0 ? kept : gone).push_back(sides.root(half.half / 3));
    });
  std::sort(kept.begin(), kept.end());
  std::sort(gone.begin(), gone.end());
  for (const std::uint32_t side : gone)
    if (std::binary_search(kept.begin(), kept.end(), side))
      refuse(plane,
             "what lies beyond hangs together with what lies before the plane another way, so this "
             "cross-section does not part the surface; cut where it does");
  std::vector<char> goes(split.mesh.triangle.size(), 0);
  for (std::uint32_t t = 0; t < goes.size(); ++t)
    goes[t] = std::binary_search(gone.begin(), gone.end(), sides.root(t)) ? 1 : 0;
  return goes;
}

// The triangles that stay: divided only along the cross-section.
TriangleMesh keptOf(const TriangleMesh& mesh, SplitMesh&& split, const std::vector<VertexPair>& cut,
                    const std::vector<char>& goes) {
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
    if (!divided && !goes[t]) add(mesh.triangle[origin]);
    for (; t < end; ++t)
      if (divided && !goes[t]) add(split.mesh.triangle[t]);
  }
  kept.vertex = std::move(split.mesh.vertex);
  return kept;
}

std::string warningOf(const CrossSection& section, const CutPlane& plane) {
  const double radius = 0.5 * section.perimeter / std::numbers::pi;
  if (section.away <= 0.5 * radius) return "";
  return "--cut \"" + plane.given + "\": the point lies " +
         stage::formatQuantity(section.away, stage::Dimension::Length) +
         " outside the cross-section that was cut, which is " +
         stage::formatQuantity(section.perimeter, stage::Dimension::Length) + " round.";
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
           "wall is whole all round");
  const std::vector<VertexPair> cut = edgesAlong(section);
  const std::vector<char> goes = beyond(split, cut, plane);
  mesh = keptOf(mesh, std::move(split), cut, goes);
  std::vector<std::uint32_t> rim = verticesOf(cut);
  for (const std::uint32_t v : rim) {
    Double3& p = mesh.vertex[v];
    p = p - dot(p - plane.point, plane.normal) * plane.normal;
  }
  ends.rim.push_back(std::move(rim));
  if (const std::string warning = warningOf(section, plane); !warning.empty())
    ends.warnings.push_back(warning);
}

// Drops vertices that no triangle uses.
void compact(TriangleMesh& mesh, CutEnds& ends) {
  constexpr std::uint32_t unused = ~std::uint32_t{0};
  std::vector<std::uint32_t> place(mesh.vertex.size(), unused);
  for (const Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t) place[v] = 0;
  std::uint32_t next = 0;
  for (std::uint32_t v = 0; v < place.size(); ++v) {
    if (place[v] == unused) continue;
    place[v] = next;
    mesh.vertex[next++] = mesh.vertex[v];
  }
  mesh.vertex.resize(next);
  for (Triangle& t : mesh.triangle)
    for (std::uint32_t& v : t) v = place[v];
  for (std::vector<std::uint32_t>& rim : ends.rim) {
    for (std::uint32_t& v : rim) v = place[v];
    std::erase(rim, unused);
  }
}

// For a loop that lies in a plane and is not seen whole from its centroid.
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
    if (!found) refuse(planes[k], "a later cut removes the end that this one makes; leave it out");
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

}  // namespace tessera::preprocess::surface
