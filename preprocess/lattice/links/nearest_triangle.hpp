// SPDX-License-Identifier: GPL-3.0-or-later
// Nearest triangle to a node: among candidates, and by descent over a surface.
#pragma once

#include <limits>

#include "preprocess/lattice/links/slabbed_surface.hpp"

namespace tessera::preprocess::lattice {

// Nearest triangle so far; ties: the first. Degenerate triangles have no normal and are ignored.
struct NearestTriangle {
  const NearTriangle* triangle = nullptr;
  double squared = std::numeric_limits<double>::infinity();  // distance, nodes^2

  void consider(const Int3& node, const NearTriangle& candidate);
};

// Squared distance of a point from triangle t, in the unit of the mesh.
double squaredDistance(const geometry::TriangleMesh& mesh, std::size_t t, const Double3& point);

// Link lengths from a node along step to the plane of a triangle, clamped to 0 .. 1.
double distanceToPlane(const Int3& node, const Int3& step, const NearTriangle& triangle);

// Descent over a surface, in lattice coordinates, from neighbour to neighbour.
class SurfaceWalk {
 public:
  explicit SurfaceWalk(const geometry::TriangleMesh& mesh);  // keeps a reference
  // Moves to nearer neighbours until none is nearer. Stays on walls or on openings, as the start,
  // and ignores degenerate triangles.
  [[nodiscard]] std::uint32_t nearest(const Double3& point, std::uint32_t start) const;

 private:
  struct Step;
  void tryAround(const Double3& point, std::uint32_t corner, std::uint32_t other, Step& best) const;
  [[nodiscard]] bool isOpeningAt(std::uint32_t t) const {
    return !mesh_.label.empty() && geometry::isOpening(mesh_.label[t]);
  }

  const geometry::TriangleMesh& mesh_;
  geometry::VertexTriangles around_;
};

}  // namespace tessera::preprocess::lattice
