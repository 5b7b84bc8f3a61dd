// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/health/health_text.hpp"

#include <algorithm>
#include <cstdio>

#include "pipelines/stage/case/quantity.hpp"

namespace tessera::preprocess::surface {
namespace {

using Text = std::string;

template <class... Values>
Text format(const char* pattern, Values... values) {
  char text[200];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

Text number(std::uint64_t count) {
  return std::to_string(count);
}

Text millimetres(double metres, int power) {
  double value = metres;
  for (int k = 0; k < power; ++k) value *= 1e3;
  return format("%.4g", value);
}

Text loops(const SurfaceHealth& health) {
  std::size_t openings = 0;
  for (const LoopHealth& loop : health.openLoops) openings += loop.opening ? 1 : 0;
  return format("%zu, %zu openings", health.openLoops.size(), openings);
}

struct Row {
  const char* name;
  Text asRead, repaired;
};

// Rows that say nothing are left out.
Text table(const std::vector<Row>& rows) {
  Text text;
  for (const Row& row : rows)
    text += format("  %-24s %14s %14s\n", row.name, row.asRead.c_str(), row.repaired.c_str());
  return text;
}

Text pairs(const std::optional<std::uint64_t>& count, bool all) {
  if (!count) return "not counted";
  return (all ? "" : ">= ") + number(*count);
}

Text extentText(const SurfaceHealth& health) {
  return format("  %-24s %.4g x %.4g x %.4g mm\n", "extent", 1e3 * health.extent[0],
                1e3 * health.extent[1], 1e3 * health.extent[2]);
}

Text edgeText(const SurfaceHealth& health, double spacing) {
  return format("  %-24s %.3g / %.3g / %.3g mm, %.3g / %.3g / %.3g node spacings\n",
                "edges least/mean/most", 1e3 * health.shortestEdge, 1e3 * health.meanEdge,
                1e3 * health.longestEdge, health.shortestEdge / spacing, health.meanEdge / spacing,
                health.longestEdge / spacing);
}

Text loopText(const std::vector<LoopHealth>& openLoops) {
  constexpr std::size_t most = 12;
  Text text;
  for (std::size_t k = 0; k < std::min(most, openLoops.size()); ++k) {
    const LoopHealth& loop = openLoops[k];
    text += format("  open loop of %llu edges, %s round, %s, %s\n",
                   static_cast<unsigned long long>(loop.edges),
                   stage::formatQuantity(loop.perimeter, stage::Dimension::Length).c_str(),
                   loop.planar ? "planar" : "not planar", loop.opening ? "an opening" : "closed");
  }
  if (openLoops.size() > most) text += format("  and %zu shorter loops\n", openLoops.size() - most);
  return text;
}

}  // namespace

Text windingName(Winding winding) {
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

Text healthText(const HealthReport& health, double spacing) {
  const SurfaceHealth& a = health.asRead;
  const SurfaceHealth& b = health.repaired;
  const std::vector<Row> rows = {
      {"triangles", number(a.triangles), number(b.triangles)},
      {"vertices", number(a.vertices), number(b.vertices)},
      {"edges", number(a.edges), number(b.edges)},
      {"open edges", number(a.openEdges), number(b.openEdges)},
      {"open loops", loops(a), number(b.openLoops.size())},
      {"non-manifold edges", number(a.nonManifoldEdges), number(b.nonManifoldEdges)},
      {"winding", windingName(a.winding), windingName(b.winding)},
      {"self-intersecting pairs",
       pairs(health.selfIntersectionsAsRead, health.allSelfIntersections),
       pairs(health.selfIntersections, health.allSelfIntersections)},
      {"degenerate triangles", number(a.degenerate), number(b.degenerate)},
      {"slivers", number(a.slivers), number(b.slivers)},
      {"worst aspect", format("%.3g", a.worstAspect), format("%.3g", b.worstAspect)},
      {"volume [mm3]", millimetres(a.volume, 3), millimetres(b.volume, 3)},
      {"area [mm2]", millimetres(a.area, 2), millimetres(b.area, 2)}};
  Text text = format("health       %-13s %14s %14s\n", "", "as read", "repaired") + table(rows);
  text += format("  %-24s %llu, %llu cavities, %llu covered, ", "parts",
                 static_cast<unsigned long long>(health.parts.parts),
                 static_cast<unsigned long long>(health.parts.cavities),
                 static_cast<unsigned long long>(health.parts.covered)) +
          (health.selfIntersections ? number(health.parts.overlapping) + " pairs overlap\n"
                                    : "overlaps not looked for\n");
  if (!health.selfIntersections)
    text += format("  self-intersections and overlaps are counted up to %zu triangles\n",
                   mostTrianglesToIntersect);
  return text + extentText(b) + edgeText(b, spacing) + loopText(a.openLoops);
}

std::vector<Text> refusedLines(const SurfaceHealth& asRead) {
  const SurfaceHealth& a = asRead;
  std::vector<Text> lines = {
      "verdict      refused",
      number(a.triangles) + " triangles, " + number(a.vertices) + " vertices, " +
          number(a.degenerate) + " degenerate triangles, " + number(a.slivers) + " slivers",
      number(a.edges) + " edges: " + number(a.openEdges) + " open, " + number(a.nonManifoldEdges) +
          " non-manifold, " + number(a.unlikeEdges) + " wound against each other",
      number(a.openLoops.size()) + " open loops, winding " + windingName(a.winding) + ", area " +
          millimetres(a.area, 2) + " mm2"};
  return lines;
}

}  // namespace tessera::preprocess::surface
