// SPDX-License-Identifier: GPL-3.0-or-later
// Alpha wrap of any triangles, and queries of a surface by CGAL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

struct WrapSize {
  std::uint64_t expected = 0;  // for the progress
  std::uint64_t most = 0;
};

// Closed, outward surface round all triangles of the mesh, whatever their connections, at a
// distance of the offset (m) and without cavities: a ball of radius alpha (m) is rolled on from
// outside, so gaps narrower than about 2 alpha are bridged (Portaneri, Rouxel-Labbe, Hemmer,
// Cohen-Steiner & Alliez, Alpha wrapping with an offset, ACM TOG 41:127, 2022). The same bytes each
// run. Absent when more than the most vertices would be required.
std::optional<geometry::TriangleMesh> alphaWrap(const geometry::TriangleMesh& mesh, double alpha,
                                                double offset, const WrapSize& vertices);

struct NearestPoint {
  Double3 point{};
  std::uint32_t triangle = 0;
};

// Queries of a surface by a tree of boxes; may run in parallel. Triangles without an area are left
// out; the mesh must have another one.
class SurfaceTree {
 public:
  explicit SurfaceTree(const geometry::TriangleMesh& mesh);
  ~SurfaceTree();
  SurfaceTree(const SurfaceTree&) = delete;
  SurfaceTree& operator=(const SurfaceTree&) = delete;
  [[nodiscard]] NearestPoint nearest(const Double3& point) const;
  // By the parity of crossings; of a closed mesh.
  [[nodiscard]] bool encloses(const Double3& point) const;

 private:
  struct Tree;
  std::unique_ptr<const Tree> tree_;
};

}  // namespace tessera::preprocess::surface
