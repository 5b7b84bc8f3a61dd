// SPDX-License-Identifier: GPL-3.0-or-later
// Depth of a vessel behind a flat face: an end has a long vessel behind it, the flank of a duct the
// other flank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/surface/openings/rim_turn.hpp"
#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Boxes about runs of successive triangles, which lie near each other in most files: a segment is
// tested against the triangles of the few boxes that it may meet.
class TriangleRuns {
 public:
  explicit TriangleRuns(const geometry::TriangleMesh& mesh);
  // Indices of the triangles of all runs whose box meets a box, in order.
  [[nodiscard]] std::vector<std::uint32_t> meeting(const geometry::Bounds& box) const;

 private:
  std::size_t triangles_ = 0;
  std::vector<geometry::Bounds> box_;
};

// Depth of the vessel behind a region over the length of its rim's longest chord, at most 1: the
// distance against its normal to the wall that faces it, median over 16 places spread over its area
// (ray and triangle after Moeller and Trumbore 1997). mesh: closed and outward; runs: of it; edges,
// frame: of the rim.
double depthOverLength(const geometry::TriangleMesh& mesh, const TriangleRuns& runs,
                       std::span<const std::uint32_t> region, std::span<const EndEdge> edges,
                       const RimFrame& frame);

}  // namespace tessera::preprocess::surface
