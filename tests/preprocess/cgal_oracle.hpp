// SPDX-License-Identifier: GPL-3.0-or-later
// CGAL's answers about a closed surface: what is inside by exact predicates, where a segment
// crosses it in exact arithmetic, which triangles lie nearest. The oracle of the voxeliser and the
// links.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::test {

using namespace tessera::preprocess::geometry;

class CgalOracle {
 public:
  // The mesh must be closed and manifold; std::runtime_error when it is not.
  explicit CgalOracle(const TriangleMesh& mesh);
  ~CgalOracle();

  // Strictly inside.
  [[nodiscard]] bool inside(const Double3& point) const;
  [[nodiscard]] double distanceTo(const Double3& point) const;
  // All whose distance to the point is at most so much, in no order.
  [[nodiscard]] std::vector<std::size_t> trianglesWithin(const Double3& point,
                                                         double distance) const;

  struct Crossing {
    double along;  // from + along * step
    std::size_t triangle;
  };
  // All for along in 0 .. most, by along; triangles that the line only lies in are left out.
  [[nodiscard]] std::vector<Crossing> crossings(const Double3& from, const Double3& step,
                                                double most) const;

 private:
  struct Known;
  std::unique_ptr<Known> known_;
};

}  // namespace tessera::test
