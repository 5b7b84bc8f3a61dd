// SPDX-License-Identifier: GPL-3.0-or-later
// Quality of a surface, similar to OpenFOAM's surfaceCheck.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/surface/repair/close_surface.hpp"

namespace tessera::preprocess::surface {

enum class Winding { Consistent, InsideOut, Mixed };

struct LoopHealth {
  std::uint64_t edges = 0;
  double perimeter = 0.0;  // m
  bool planar = false;     // within a tenth of its radius
  bool opening = false;    // taken as an opening
  bool sheet = false;      // the rim of a sheet, which stays open
  Double3 centre{};        // m
};

// Limit for counting self-intersections (3 to 7 us per triangle).
constexpr std::size_t maxTrianglesToIntersect = 200'000;

// Slivers: triangles longer than this times their height.
constexpr double sliverAspect = 100.0;

struct SurfaceHealth {
  std::uint64_t triangles = 0;
  std::uint64_t vertices = 0;    // used by triangles
  std::uint64_t degenerate = 0;  // triangles collapsed by welding
  std::uint64_t edges = 0;
  std::uint64_t openEdges = 0;          // with one triangle
  std::uint64_t nonManifoldEdges = 0;   // with more than two triangles
  std::uint64_t inconsistentEdges = 0;  // with two oppositely oriented triangles
  Winding winding = Winding::Consistent;
  std::uint64_t slivers = 0;
  double worstAspect = 0.0;  // longest edge over the height on it; without degenerate triangles
  double shortestEdge = 0.0, meanEdge = 0.0, longestEdge = 0.0;  // m
  double area = 0.0;                                             // m2
  double volume = 0.0;  // m3, signed; meaningless for an open surface
  Double3 extent{};     // m
  // Open loops by descending perimeter; a non-manifold edge may split one.
  std::vector<LoopHealth> openLoops;
};

struct PartCount {
  std::uint64_t parts = 0;
  std::uint64_t cavities = 0;     // parts inside another one, oppositely oriented
  std::uint64_t covered = 0;      // parts inside another one, equally oriented
  std::uint64_t overlapping = 0;  // pairs of intersecting parts
};

// Health before and after the repair.
struct HealthReport {
  SurfaceHealth asRead;
  SurfaceHealth repaired;
  PartCount parts;  // after repair
  // Pairs of triangles, after repair and among those of the file; absent: not counted, nor
  // overlapping parts.
  std::optional<std::uint64_t> selfIntersections, selfIntersectionsAsRead;
  bool allSelfIntersections = true;  // false: lower bounds
};

// All but the degenerate triangles, the open loops and inside-out winding.
SurfaceHealth examine(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

// Loops along which the surface is open, not only inconsistently oriented.
std::vector<LoopHealth> openLoopsOf(const std::vector<BoundaryLoop>& loops);

// Health of a surface as text.

// Table of the surface as read and as repaired. spacing: m, of the nodes.
std::string healthText(const HealthReport& health, double spacing);

// Lines on a refused surface.
std::vector<std::string> refusedLines(const SurfaceHealth& asRead);

std::string windingName(Winding winding);  // "consistent", "inside-out", "mixed"

}  // namespace tessera::preprocess::surface
