// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/topology/parts.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "preprocess/geometry/concurrent_sets.hpp"
#include "preprocess/surface/topology/edge_blocks.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

using Forest = geometry::ConcurrentSets;  // of triangles

// On a non-manifold edge, joins the sets whose own directions do not cancel; the others pass the
// edge independently.
void joinOnNonManifoldEdge(const TriangleMesh& mesh, std::span<const EdgeTable::End> ends,
                           Forest& forest) {
  std::vector<std::pair<std::uint32_t, int>> sums;
  for (const EdgeTable::End& end : ends) {
    const std::uint32_t root = forest.root(end.half / 3);
    auto sum = std::find_if(sums.begin(), sums.end(), [&](auto& s) { return s.first == root; });
    if (sum == sums.end()) sum = sums.insert(sum, {root, 0});
    sum->second += runsUp(mesh, end.half) ? 1 : -1;
  }
  std::erase_if(sums, [](const auto& s) { return s.second == 0; });
  for (std::size_t k = 1; k < sums.size(); ++k) forest.join(sums[0].first, sums[k].first);
}

void add(const TriangleMesh& mesh, const stage::Triangle& t, Part& part) {
  const Double3& from = mesh.vertex[part.vertex];
  const Double3 a = mesh.vertex[t[0]] - from, b = mesh.vertex[t[1]] - from,
                c = mesh.vertex[t[2]] - from;
  ++part.triangles;
  part.area += 0.5 * length(cross(b - a, c - a));
  part.volume += dot(a, cross(b, c)) / 6.0;
  for (const std::uint32_t v : t)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      part.low[axis] = std::min(part.low[axis], mesh.vertex[v][axis]);
      part.high[axis] = std::max(part.high[axis], mesh.vertex[v][axis]);
    }
}

void add(const Part& more, Part& part) {
  part.triangles += more.triangles;
  part.area += more.area;
  part.volume += more.volume;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    part.low[axis] = std::min(part.low[axis], more.low[axis]);
    part.high[axis] = std::max(part.high[axis], more.high[axis]);
  }
}

Forest forestOf(const TriangleMesh& mesh, const EdgeTable& edges) {
  Forest forest(mesh.triangle.size());
  std::array<char, edgeBlocks> isCrowded{};
  forEdgesInBlocks(edges, [&](std::size_t block, std::span<const EdgeTable::End> ends) {
    if (ends.size() == 2) forest.join(ends[0].half / 3, ends[1].half / 3);
    if (ends.size() > 2) isCrowded[block] = 1;
  });
  if (std::find(isCrowded.begin(), isCrowded.end(), 1) == isCrowded.end()) return forest;
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    edges.forEdgesOf(v, [&](std::uint32_t, std::uint32_t, std::span<const EdgeTable::End> ends) {
      if (ends.size() > 2) joinOnNonManifoldEdge(mesh, ends, forest);
    });
  return forest;
}

// A single part in fixed ranges, added in order: independent of the threads.
void measureParts(const TriangleMesh& mesh, Parts& parts) {
  const std::size_t triangles = mesh.triangle.size();
  if (parts.part.size() > 1) {
    for (std::size_t t = 0; t < triangles; ++t)
      add(mesh, mesh.triangle[t], parts.part[parts.ofTriangle[t]]);
    return;
  }
  constexpr std::size_t rangeTriangles = 1 << 14;
  Part none;
  none.vertex = parts.part.front().vertex;
  std::vector<Part> range((triangles + rangeTriangles - 1) / rangeTriangles, none);
  tbb::parallel_for(std::size_t{0}, range.size(), [&](std::size_t k) {
    const std::size_t end = std::min(triangles, (k + 1) * rangeTriangles);
    for (std::size_t t = k * rangeTriangles; t < end; ++t) add(mesh, mesh.triangle[t], range[k]);
  });
  for (const Part& each : range) add(each, parts.part.front());
}

}  // namespace

Parts partsOf(const TriangleMesh& mesh) {
  return partsOf(mesh, edgesOf(mesh));
}

Parts partsOf(const TriangleMesh& mesh, const EdgeTable& edges) {
  Forest forest = forestOf(mesh, edges);
  Parts parts;
  parts.ofTriangle.resize(mesh.triangle.size());
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t) {
    const std::uint32_t root = forest.root(t);  // at most t
    if (root == t) {
      parts.ofTriangle[t] = static_cast<std::uint32_t>(parts.part.size());
      parts.part.emplace_back().vertex = mesh.triangle[t][0];
    }
    parts.ofTriangle[t] = parts.ofTriangle[root];
  }
  if (!parts.part.empty()) measureParts(mesh, parts);
  return parts;
}

std::vector<std::vector<std::uint32_t>> trianglesByPart(const Parts& parts) {
  std::vector<std::vector<std::uint32_t>> triangles(parts.part.size());
  for (std::uint32_t t = 0; t < parts.ofTriangle.size(); ++t)
    triangles[parts.ofTriangle[t]].push_back(t);
  return triangles;
}

}  // namespace tessera::preprocess::surface
