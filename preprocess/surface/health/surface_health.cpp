// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/health/surface_health.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <limits>

#include "preprocess/geometry/mesh_measure.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

struct Shapes {
  std::uint64_t slivers = 0;
  double worst = 0.0;
  double shortest = std::numeric_limits<double>::max(), longest = 0.0, sum = 0.0;  // m
};

void add(const TriangleMesh& mesh, std::size_t t, Shapes& shapes) {
  double longest = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    const stage::Triangle& corner = mesh.triangle[t];
    const double edge = length(mesh.vertex[corner[(c + 1) % 3]] - mesh.vertex[corner[c]]);
    longest = std::max(longest, edge);
    shapes.shortest = std::min(shapes.shortest, edge);
    shapes.sum += edge;
  }
  shapes.longest = std::max(shapes.longest, longest);
  const double twiceArea = length(geometry::areaVector(mesh, t));
  if (longest * longest > sliverAspect * twiceArea) ++shapes.slivers;
  if (twiceArea > 0.0) shapes.worst = std::max(shapes.worst, longest * longest / twiceArea);
}

Shapes join(Shapes a, const Shapes& b) {
  a.slivers += b.slivers;
  a.worst = std::max(a.worst, b.worst);
  a.shortest = std::min(a.shortest, b.shortest);
  a.longest = std::max(a.longest, b.longest);
  a.sum += b.sum;
  return a;
}

Shapes shapesOf(const TriangleMesh& mesh) {
  using Range = tbb::blocked_range<std::size_t>;
  return tbb::parallel_deterministic_reduce(
      Range(0, mesh.triangle.size(), 1 << 13), Shapes{},
      [&](const Range& range, Shapes shapes) {
        for (std::size_t t = range.begin(); t < range.end(); ++t) add(mesh, t, shapes);
        return shapes;
      },
      join);
}

std::uint64_t usedVertices(const TriangleMesh& mesh) {
  std::vector<char> used(mesh.vertex.size(), 0);
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t) used[v] = 1;
  return static_cast<std::uint64_t>(std::count(used.begin(), used.end(), 1));
}

}  // namespace

SurfaceHealth examine(const TriangleMesh& mesh, const EdgeTable& edges) {
  SurfaceHealth health;
  health.triangles = mesh.triangle.size();
  health.vertices = usedVertices(mesh);
  const EdgeCensus census = censusOf(mesh, edges);
  health.edges = census.edges;
  health.openEdges = census.open;
  health.nonManifoldEdges = census.crowded;
  health.unlikeEdges = census.alike;
  health.winding = census.alike > 0 ? Winding::Mixed : Winding::Consistent;
  const Shapes shapes = shapesOf(mesh);
  health.slivers = shapes.slivers;
  health.worstAspect = shapes.worst;
  health.shortestEdge = shapes.shortest;
  health.longestEdge = shapes.longest;
  health.meanEdge = shapes.sum / (3.0 * static_cast<double>(mesh.triangle.size()));
  health.area = geometry::surfaceArea(mesh);
  health.volume = geometry::enclosedVolume(mesh);
  health.extent = geometry::boundsOf(mesh).extent();
  return health;
}

std::vector<LoopHealth> openLoopsOf(const std::vector<BoundaryLoop>& loops) {
  std::vector<LoopHealth> open;
  for (const BoundaryLoop& loop : loops)
    if (loop.usedOnce)
      open.push_back({loop.vertex.size(), loop.perimeter, loop.outOfPlane <= 0.1 * loop.radius(),
                      isOpening(loop)});
  std::stable_sort(open.begin(), open.end(), [](const LoopHealth& a, const LoopHealth& b) {
    return a.perimeter > b.perimeter;
  });
  return open;
}

}  // namespace tessera::preprocess::surface
