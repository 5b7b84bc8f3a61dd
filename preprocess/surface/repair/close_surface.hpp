// SPDX-License-Identifier: GPL-3.0-or-later
// Closing the chain: the loops a surface leaves open, and the fans that close them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// A closed walk along edges where the triangles' directions do not cancel, in the direction that
// the closing triangles take.
struct BoundaryLoop {
  std::vector<std::uint32_t> vertex;
  std::vector<std::uint32_t>
      half;                 // a half-edge of the mesh on the edge from vertex[i] to the next
  Double3 centre{};         // m, mean of the vertices weighted by edge length
  Double3 areaVector{};     // m2, of the closing fan
  double fanArea = 0.0;     // m2, sum of the fan's triangles
  double perimeter = 0.0;   // m
  bool usedOnce = true;     // each of its edges has one triangle only
  double outOfPlane = 0.0;  // m, largest distance of a vertex from the mean plane
  double sharpShare =
      0.0;  // of its length, where closing fan and wall meet at more than 45 degrees
  std::optional<std::uint32_t> cut;     // the cut whose rim it is (cut_surface.hpp)
  [[nodiscard]] double radius() const;  // m, of the circle of the same area
};

// All loops, measured, in a fixed order.
std::vector<BoundaryLoop> boundaryLoops(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

// Triangles over a hole, as indices of the points of its rim, which are given in order; empty where
// it finds none.
using HoleFiller = std::function<std::vector<stage::Triangle>(std::span<const Double3>)>;

// Whether a fan from the centroid would lie badly: the loop is far from a plane, or not seen whole
// from its centroid.
bool needsFiller(const BoundaryLoop& loop);

// Closes the loop with the filler's triangles where it needs and has one, else with a fan, labelled
// as the triangles beside it; returns the first of the new triangles, which go on to the mesh's
// last.
std::uint32_t closeLoop(geometry::TriangleMesh& mesh, const BoundaryLoop& loop,
                        const HoleFiller& fill);

// Whether the loop is where a vessel was cut off, rather than a hole in its wall or a seam: by a
// cut that was asked for, or edges of one triangle, near-planar, compact, with a sharp rim.
bool isOpening(const BoundaryLoop& loop);

}  // namespace tessera::preprocess::surface
