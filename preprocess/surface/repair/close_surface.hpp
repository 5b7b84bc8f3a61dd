// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary loops of a surface and their closing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Closed path along edges whose triangle directions do not cancel, in the direction of the closing
// triangles.
struct BoundaryLoop {
  std::vector<std::uint32_t> vertex;
  std::vector<std::uint32_t> half;  // half-edge of the mesh on the edge from vertex[i] to the next
  Double3 centre{};                 // m, mean of the vertices weighted by edge length
  Double3 areaVector{};             // m2, of the closing fan
  double fanArea = 0.0;             // m2, sum of the fan's triangles
  double perimeter = 0.0;           // m
  bool usedOnce = true;             // each of its edges has a single triangle
  double outOfPlane = 0.0;          // m, largest distance of a vertex from the mean plane
  double sharpShare =
      0.0;  // share of its length where closing fan and wall meet at more than 45 degrees
  bool turnsAway = false;  // an end by its robust plane and the wall's turn, see findUnevenEnds()
  std::string reason;      // why a loop that resembles an end is none
  std::optional<std::uint32_t> cut;     // the cut whose rim it is (see cutAway())
  [[nodiscard]] double radius() const;  // m, of the circle of the same area
};

// All loops with their measures, in a fixed order.
std::vector<BoundaryLoop> boundaryLoops(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

// Triangles over a hole as indices into its rim; empty if there are none.
using HoleFiller = std::function<std::vector<stage::Triangle>(std::span<const Double3>)>;

// CGAL (Polygon Mesh Processing): triangulation of the rim with the least bending and area, without
// new points; empty if there is none, or the rim is too long for the cubic cost.
std::vector<stage::Triangle> fillHole(std::span<const Double3> rim);

// Whether a fan is unsuitable: the loop is far from planar, or not star-shaped about its centroid.
bool needsFiller(const BoundaryLoop& loop);

// Closes the loop with the filler's triangles if it needs and has one, else with a fan, labelled as
// adjacent triangles. Returns the first new triangle; new ones extend to the end of the mesh.
std::uint32_t closeLoop(geometry::TriangleMesh& mesh, const BoundaryLoop& loop,
                        const HoleFiller& fill);

// Whether the loop is the end of a vessel rather than a hole or a seam: made by --cut, or with
// edges of one triangle, near-planar, compact, with a sharp rim, or turnsAway.
bool isOpening(const BoundaryLoop& loop);

}  // namespace tessera::preprocess::surface
