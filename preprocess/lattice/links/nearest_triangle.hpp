// SPDX-License-Identifier: GPL-3.0-or-later
// Which triangle lies nearest to a node: of some, and of the surface around them.
#pragma once

#include <limits>

#include "preprocess/lattice/links/slabbed_surface.hpp"

namespace tessera::preprocess::lattice {

// The nearest triangle so far; of those equally near the first. Needles have no normal and are
// passed over.
struct NearestTriangle {
  const NearTriangle* triangle = nullptr;
  double squared = std::numeric_limits<double>::infinity();  // distance, nodes^2

  void consider(const Int3& node, const NearTriangle& candidate);
};

// Parts of the link from a node along step to the plane of a triangle, within 0 .. 1.
double distanceToPlane(const Int3& node, const Int3& step, const NearTriangle& triangle);

// Walks over a surface, in lattice coordinates, from neighbour to neighbour.
class SurfaceWalk {
 public:
  explicit SurfaceWalk(const geometry::TriangleMesh& mesh);  // kept by reference
  // From a triangle on, always nearer to the point, to one whose neighbours are not nearer. It
  // keeps to walls or to openings, whichever it starts on, and passes over needles.
  [[nodiscard]] std::uint32_t nearest(const Double3& point, std::uint32_t start) const;

 private:
  struct Step;
  void tryAround(const Double3& point, std::uint32_t corner, std::uint32_t other, Step& best) const;
  [[nodiscard]] bool isOpeningAt(std::uint32_t t) const {
    return !mesh_.label.empty() && geometry::isOpening(mesh_.label[t]);
  }

  const geometry::TriangleMesh& mesh_;
  std::vector<std::uint32_t> first_;   // place in around_ of each vertex
  std::vector<std::uint32_t> around_;  // the triangles around each vertex, ascending
};

}  // namespace tessera::preprocess::lattice
