// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/health/surface_health.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"

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

Shapes joinShapes(Shapes a, const Shapes& b) {
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
      joinShapes);
}

std::uint64_t usedVertices(const TriangleMesh& mesh) {
  std::vector<char> used(mesh.vertex.size(), 0);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, mesh.triangle.size(), 1 << 13),
                    [&](const auto& range) {
                      for (std::size_t t = range.begin(); t < range.end(); ++t)
                        for (const std::uint32_t v : mesh.triangle[t])
                          std::atomic_ref(used[v]).store(1, std::memory_order_relaxed);
                    });
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
  health.nonManifoldEdges = census.nonManifold;
  health.inconsistentEdges = census.sameDirection;
  health.winding = census.sameDirection > 0 ? Winding::Mixed : Winding::Consistent;
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
                      isOpening(loop), false, loop.centre});
  std::stable_sort(open.begin(), open.end(), [](const LoopHealth& a, const LoopHealth& b) {
    return a.perimeter > b.perimeter;
  });
  return open;
}

namespace {

std::string inMillimetres(double metres, int power) {
  double value = metres;
  for (int k = 0; k < power; ++k) value *= 1e3;
  return stage::number(value, 4);
}

template <class First, class Second>
std::string tableRow(const char* name, const First& asRead, const Second& repaired) {
  return fmt::format("  {:<24} {:>14} {:>14}\n", name, asRead, repaired);
}

std::string loopCount(const SurfaceHealth& health) {
  const auto openings = std::count_if(health.openLoops.begin(), health.openLoops.end(),
                                      [](const LoopHealth& loop) { return loop.opening; });
  return fmt::format("{}, {} openings", health.openLoops.size(), openings);
}

std::string pairCount(const std::optional<std::uint64_t>& count, bool all) {
  return count ? fmt::format("{}{}", all ? "" : ">= ", *count) : "not counted";
}

std::string edgeText(const SurfaceHealth& health, double spacing) {
  return fmt::format(
      "  {:<24} {:.3g} / {:.3g} / {:.3g} mm, {:.3g} / {:.3g} / {:.3g} node spacings\n",
      "edges least/mean/most", 1e3 * health.shortestEdge, 1e3 * health.meanEdge,
      1e3 * health.longestEdge, health.shortestEdge / spacing, health.meanEdge / spacing,
      health.longestEdge / spacing);
}

std::string loopText(const std::vector<LoopHealth>& openLoops) {
  constexpr std::size_t maxListed = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(maxListed, openLoops.size()); ++k) {
    const LoopHealth& loop = openLoops[k];
    text += fmt::format("  open loop of {} edges, perimeter {}, {}, {}\n", loop.edges,
                        stage::formatQuantity(loop.perimeter, stage::Dimension::Length),
                        loop.planar ? "planar" : "not planar",
                        loop.sheet     ? "of a sheet"
                        : loop.opening ? "an opening"
                                       : "closed");
  }
  if (openLoops.size() > maxListed)
    text += fmt::format("  and {} shorter loops\n", openLoops.size() - maxListed);
  return text;
}

}  // namespace

std::string windingName(Winding winding) {
  switch (winding) {
    case Winding::Consistent:
      return "consistent";
    case Winding::InsideOut:
      return "inside-out";
    case Winding::Mixed:
      return "mixed";
  }
  return "";
}

std::string healthText(const HealthReport& health, double spacing) {
  const SurfaceHealth& a = health.asRead;
  const SurfaceHealth& b = health.repaired;
  std::string text =
      fmt::format("health       {:<13} {:>14} {:>14}\n", "", "as read", "repaired") +
      tableRow("triangles", a.triangles, b.triangles) +
      tableRow("vertices", a.vertices, b.vertices) + tableRow("edges", a.edges, b.edges) +
      tableRow("open edges", a.openEdges, b.openEdges) +
      tableRow("open loops", loopCount(a), b.openLoops.size()) +
      tableRow("non-manifold edges", a.nonManifoldEdges, b.nonManifoldEdges) +
      tableRow("winding", windingName(a.winding), windingName(b.winding)) +
      tableRow("self-intersecting pairs",
               pairCount(health.selfIntersectionsAsRead, health.allSelfIntersections),
               pairCount(health.selfIntersections, health.allSelfIntersections)) +
      tableRow("degenerate triangles", a.degenerate, b.degenerate) +
      tableRow("slivers", a.slivers, b.slivers) +
      tableRow("worst aspect", stage::number(a.worstAspect, 3), stage::number(b.worstAspect, 3)) +
      tableRow("volume [mm3]", inMillimetres(a.volume, 3), inMillimetres(b.volume, 3)) +
      tableRow("area [mm2]", inMillimetres(a.area, 2), inMillimetres(b.area, 2));
  text += fmt::format("  {:<24} {}, {} cavities, {} covered, {}\n", "parts", health.parts.parts,
                      health.parts.cavities, health.parts.covered,
                      health.selfIntersections
                          ? fmt::format("{} pairs overlap", health.parts.overlapping)
                          : "overlaps not checked");
  if (!health.selfIntersections)
    text += fmt::format("  self-intersections and overlaps are counted up to {} triangles\n",
                        maxTrianglesToIntersect);
  text += fmt::format("  {:<24} {:.4g} x {:.4g} x {:.4g} mm\n", "extent", 1e3 * b.extent[0],
                      1e3 * b.extent[1], 1e3 * b.extent[2]);
  return text + edgeText(b, spacing) + loopText(a.openLoops);
}

std::vector<std::string> refusedLines(const SurfaceHealth& asRead) {
  const SurfaceHealth& a = asRead;
  return {"verdict      refused",
          fmt::format("{} triangles, {} vertices, {} degenerate triangles, {} slivers", a.triangles,
                      a.vertices, a.degenerate, a.slivers),
          fmt::format("{} edges: {} open, {} non-manifold, {} with inconsistent orientation",
                      a.edges, a.openEdges, a.nonManifoldEdges, a.inconsistentEdges),
          fmt::format("{} open loops, winding {}, area {} mm2", a.openLoops.size(),
                      windingName(a.winding), inMillimetres(a.area, 2))};
}

}  // namespace tessera::preprocess::surface
