// SPDX-License-Identifier: GPL-3.0-or-later
// Turn of a wall away from a flat end, measured round the rim of the end.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Longest simple loop of directed edges, and its share of their length. Loops that touch in a
// vertex are split there.
struct OuterLoop {
  std::vector<std::uint32_t> half;  // half-edges in order
  double share = 0.0;
};
OuterLoop outerLoop(const geometry::TriangleMesh& mesh, std::span<const std::uint32_t> rim);

// Whether two area vectors enclose at least the angle of a cosine; true for a zero vector.
inline bool turnsBeyond(const Double3& here, const Double3& there, double cosine) {
  return dot(here, there) <= cosine * std::sqrt(dot(here, here) * dot(there, there));
}

struct EndEdge {
  Double3 from{}, to{};    // m
  std::uint32_t wall = 0;  // triangle beyond the rim
  Double3 inner{};         // normal of the end there, of any length
};

// The rim's frame: area vector's direction, hydraulic radius 2 A / P (a circle's radius).
struct RimFrame {
  Double3 centre{};
  Double3 normal{};  // unit
  double radius = 0.0;
};

// Angles (degrees) between the end's normal and mean normals over up to 24 arcs of the rim:
// medians, and the value that 15 % of the arcs are below.
struct RimTurn {
  double inner = 0.0;                        // of the end's own triangles on the rim
  double adjacent = 0.0, adjacentLow = 0.0;  // of the triangles across the rim
  double near = 0.0, nearLow = 0.0;          // of the wall within 0.3 radii, past a fillet
  double far = 0.0;                          // of the wall beyond 0.75, within 1.5 radii
  double depth = 0.0;      // radii, mean height of that wall above the end's plane
  double depthHigh = 0.0;  // that 15 % of the arcs are above
};

// Edges of a loop of an end's half-edges, each with a triangle across it.
std::vector<EndEdge> endEdges(const geometry::TriangleMesh& mesh,
                              const std::vector<std::uint32_t>& twin,
                              std::span<const std::uint32_t> loop);
double perimeterOf(std::span<const EndEdge> edges);
// areaVector: of the end, m2.
RimFrame rimFrame(std::span<const EndEdge> edges, const Double3& areaVector);

// edges: in order around the rim. isEnd(t): triangles of the end, where the search stops.
RimTurn rimTurn(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                std::span<const EndEdge> edges, const RimFrame& frame,
                const std::function<bool(std::uint32_t)>& isEnd);

// Whether the wall lies behind the plane of the end all round. Before it lies the wall of a fold,
// of a ledge or of a flattened vessel.
inline bool liesBehind(const RimTurn& turn) {
  return turn.depth <= -0.15 && turn.depthHigh <= 0.0;
}

// Whether the wall turns away all round: past a fillet by more than 45 degrees, or by a crisp edge
// of more than 22 degrees into a wall that narrows or bulges behind it.
bool turnsAway(const RimTurn& turn);

// Whether the wall turns away from a flat end so nearly that the rim is worth a message: by 35
// degrees, and 25 more than the end's own surface.
bool nearlyTurnsAway(const RimTurn& turn);

// Whether an end is too domed, but the wall turns away from it by a sharp edge.
bool isSharplyDomed(const RimTurn& turn);

// Whether a crisp edge bounds a plane face in a wall that narrows to it by so much that it is no
// end.
bool isFlatInCone(const RimTurn& turn);

// First condition that the rim fails, as a clause for messages; empty if it turns away.
std::string describeFlatRim(const RimTurn& turn);

}  // namespace tessera::preprocess::surface
