// SPDX-License-Identifier: GPL-3.0-or-later
// How sound a surface is, in the manner of OpenFOAM's surfaceCheck.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "preprocess/surface/repair/close_surface.hpp"

namespace tessera::preprocess::surface {

enum class Winding { Consistent, InsideOut, Mixed };

struct LoopHealth {
  std::uint64_t edges = 0;
  double perimeter = 0.0;  // m
  bool planar = false;     // within a tenth of its radius
  bool opening = false;    // taken as an opening
};

// Self-intersections of more triangles (3 to 7 us each) are not counted.
constexpr std::size_t mostTrianglesToIntersect = 200'000;

// Triangles longer than this times their height.
constexpr double sliverAspect = 100.0;

struct SurfaceHealth {
  std::uint64_t triangles = 0;
  std::uint64_t vertices = 0;    // that triangles use
  std::uint64_t degenerate = 0;  // triangles that collapse when corners are welded
  std::uint64_t edges = 0;
  std::uint64_t openEdges = 0;         // of one triangle
  std::uint64_t nonManifoldEdges = 0;  // of more than two triangles
  std::uint64_t unlikeEdges = 0;       // whose two triangles are wound against each other
  Winding winding = Winding::Consistent;
  std::uint64_t slivers = 0;
  double worstAspect = 0.0;  // longest edge by height on it; without triangles of no area
  double shortestEdge = 0.0, meanEdge = 0.0, longestEdge = 0.0;  // m
  double area = 0.0;                                             // m2
  double volume = 0.0;  // m3, signed; of an open surface it means little
  Double3 extent{};     // m
  // The open loops by descending perimeter, and how many there are; an edge with more than two
  // triangles may split one.
  std::vector<LoopHealth> openLoops;
};

struct PartCount {
  std::uint64_t parts = 0;
  std::uint64_t cavities = 0;     // parts inside another one and wound against it
  std::uint64_t covered = 0;      // parts inside another one and wound like it
  std::uint64_t overlapping = 0;  // pairs of parts that run through each other
};

// Of one surface before and after its repair.
struct HealthReport {
  SurfaceHealth asRead;
  SurfaceHealth repaired;
  PartCount parts;  // after repair
  // Pairs of triangles, after repair and of those among them that the file had; absent: not
  // looked for, and overlapping parts neither.
  std::optional<std::uint64_t> selfIntersections, selfIntersectionsAsRead;
  bool allSelfIntersections = true;  // false: these are some of them
};

// All but the degenerate triangles, the open loops and what is inside-out.
SurfaceHealth examine(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

// Those of the loops along which the surface is open, rather than wound against itself.
std::vector<LoopHealth> openLoopsOf(const std::vector<BoundaryLoop>& loops);

}  // namespace tessera::preprocess::surface
