// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/topology/drop_overlays.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "preprocess/geometry/disjoint_sets.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

// Rim edge of a patch, with the triangles there.
struct RimEdge {
  std::uint32_t half = 0;            // of the patch
  std::vector<std::uint32_t> other;  // half-edges of other patches
};

struct Patchwork {
  geometry::DisjointSets<> patches;                     // of triangles of one face
  std::map<std::uint32_t, std::vector<RimEdge>> rimOf;  // by patch, of those on crowded edges
};

Patchwork patchworkOf(const TriangleMesh& mesh, const EdgeTable& edges) {
  Patchwork work{geometry::DisjointSets<>(mesh.triangle.size()), {}};
  const auto labelOf = [&](const EdgeTable::End& end) { return mesh.label[end.half / 3]; };
  const auto forAll = [&](const auto& body) {
    for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
      edges.forEdgesOf(v, [&](std::uint32_t, std::uint32_t, auto ends) { body(ends); });
  };
  forAll([&](auto ends) {
    for (std::size_t a = 0; a < ends.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (labelOf(ends[a]) == labelOf(ends[b]))
          work.patches.join(ends[a].half / 3, ends[b].half / 3);
  });
  forAll([&](auto ends) {
    for (const EdgeTable::End& end : ends) {
      RimEdge rim{end.half, {}};
      const std::uint32_t own = work.patches.root(end.half / 3);
      std::size_t ofOwn = 0;
      for (const EdgeTable::End& each : ends)
        if (work.patches.root(each.half / 3) == own)
          ++ofOwn;
        else
          rim.other.push_back(each.half);
      if (ofOwn == 1) work.rimOf[own].push_back(std::move(rim));
    }
  });
  return work;
}

// Whether a triangle lies on that of another half-edge on the same edge: coplanar, with both tips
// on one side.
bool covers(const TriangleMesh& mesh, std::uint32_t half, std::uint32_t other) {
  const auto tip = [&](std::uint32_t h) { return mesh.triangle[h / 3][(h % 3 + 2) % 3]; };
  const Double3& a = mesh.vertex[fromVertex(mesh, half)];
  const Double3 along = unit(mesh.vertex[toVertex(mesh, half)] - a);
  const auto across = [&](std::uint32_t h) {
    const Double3 to = mesh.vertex[tip(h)] - a;
    return to - dot(to, along) * along;
  };
  const Double3 own = across(half), theirs = across(other);
  return dot(own, theirs) > 0.999 * length(own) * length(theirs);
}

bool isOverlay(const TriangleMesh& mesh, const std::vector<RimEdge>& rim,
               const std::vector<char>& isDropped) {
  double perimeter = 0.0, covered = 0.0;
  for (const RimEdge& edge : rim) {
    const double size =
        length(mesh.vertex[toVertex(mesh, edge.half)] - mesh.vertex[fromVertex(mesh, edge.half)]);
    perimeter += size;
    std::size_t others = 0;
    bool covering = false;
    for (const std::uint32_t other : edge.other)
      if (!isDropped[other / 3]) {
        ++others;
        covering = covering || covers(mesh, edge.half, other);
      }
    if (others >= 2 && covering) covered += size;
  }
  return perimeter > 0.0 && covered >= 0.9 * perimeter;
}

}  // namespace

std::vector<FlatPart> dropOverlays(TriangleMesh& mesh, const EdgeTable& edges) {
  if (mesh.label.empty() || censusOf(mesh, edges).nonManifold == 0) return {};
  Patchwork work = patchworkOf(mesh, edges);
  std::map<std::uint32_t, std::vector<std::uint32_t>> trianglesOf;  // of patches with a rim
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    if (const std::uint32_t patch = work.patches.root(t); work.rimOf.contains(patch))
      trianglesOf[patch].push_back(t);
  std::vector<FlatPart> overlays;
  std::vector<char> isDropped(mesh.triangle.size(), 0);
  for (const auto& [patch, triangles] : trianglesOf) {
    FlatPart part{{}, 0.0, mesh.label[patch]};
    Double3 sum{};
    for (const std::uint32_t t : triangles) {
      const Double3 vector = geometry::areaVector(mesh, t);  // of both sides
      part.area += length(vector);
      sum = sum + vector;
      for (const std::uint32_t v : mesh.triangle[t])
        part.centre = part.centre + (length(vector) / 3.0) * mesh.vertex[v];
    }
    if (!(length(sum) > 0.95 * part.area) || !isOverlay(mesh, work.rimOf.at(patch), isDropped))
      continue;
    part.centre = (1.0 / part.area) * part.centre;
    overlays.push_back(part);
    for (const std::uint32_t t : triangles) isDropped[t] = 1;
  }
  if (!overlays.empty())
    geometry::dropTriangles(mesh, [&](std::size_t t) { return isDropped[t] != 0; });
  return overlays;
}

namespace {

// Faces on edges of more than two triangles.
std::set<geometry::Patch> crowdedFaces(const TriangleMesh& mesh, const EdgeTable& edges) {
  std::set<geometry::Patch> crowded;
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    edges.forEdgesOf(v, [&](std::uint32_t, std::uint32_t, auto ends) {
      if (ends.size() > 2)
        for (const EdgeTable::End& end : ends) crowded.insert(mesh.label[end.half / 3]);
    });
  return crowded;
}

}  // namespace

std::vector<std::uint32_t> verticesAtOverlays(const TriangleMesh& mesh, const EdgeTable& edges,
                                              double margin) {
  if (mesh.label.empty() || censusOf(mesh, edges).nonManifold == 0) return {};
  std::map<geometry::Patch, std::size_t> triangles;
  for (const geometry::Patch face : mesh.label) ++triangles[face];
  std::set<geometry::Patch> faces = crowdedFaces(mesh, edges);
  faces.erase(
      std::max_element(triangles.begin(), triangles.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first);
  std::map<geometry::Patch, geometry::Bounds> boxOf;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    if (!faces.contains(mesh.label[t])) continue;
    const Double3& first = mesh.vertex[mesh.triangle[t][0]];
    geometry::Bounds& box = boxOf.try_emplace(mesh.label[t], first, first).first->second;
    for (const std::uint32_t v : mesh.triangle[t]) box.extend(mesh.vertex[v]);
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    if (std::any_of(boxOf.begin(), boxOf.end(),
                    [&](const auto& each) { return each.second.contains(mesh.vertex[v], margin); }))
      found.push_back(v);
  return found;
}

}  // namespace tessera::preprocess::surface
