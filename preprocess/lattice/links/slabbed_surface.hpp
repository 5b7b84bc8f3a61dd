// SPDX-License-Identifier: GPL-3.0-or-later
// A surface sorted into slabs of planes along z, one task each for the link finder.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/lattice/bins.hpp"
#include "preprocess/lattice/voxelise/exact_edges.hpp"

namespace tessera::preprocess::lattice {

// Triangle for the link finder, with its periodic shift applied.
struct NearTriangle {
  std::array<Fixed3, 3> corner;
  Double3 normal{};     // unit, exact; zero if degenerate
  double offset = 0.0;  // normal . x of its plane, nodes
  geometry::Patch patch = 0;
  std::uint32_t index = 0;  // into the triangles of the mesh, followed by the copies
  bool isSheet = false;     // a wall with fluid on both sides
};

// Tolerance at the ends of a link, in link lengths, for rounding to fixed point.
constexpr double linkWindow = 1.0 / 1024.0;

// Closed surface and, after it in one mesh, sheets with vertices of their own, which may reach out
// of the box.
struct WallMesh {
  const geometry::TriangleMesh& mesh;
  std::size_t closedVertices, closedTriangles;
  explicit WallMesh(const geometry::TriangleMesh& closed)
      : mesh(closed),
        closedVertices(closed.vertex.size()),
        closedTriangles(closed.triangle.size()) {}
  WallMesh(const geometry::TriangleMesh& all, const geometry::TriangleMesh& closed)
      : mesh(all), closedVertices(closed.vertex.size()), closedTriangles(closed.triangle.size()) {}
  [[nodiscard]] bool isSheet(std::size_t triangle) const { return triangle >= closedTriangles; }
};

// Surface with its periodic copies.
class SlabbedSurface {
 public:
  SlabbedSurface(const WallMesh& walls, const Int3& nodes, const std::array<bool, 3>& periodic,
                 int planes);
  [[nodiscard]] std::size_t slabs() const { return bins_.size(); }
  [[nodiscard]] int planes() const { return planes_; }
  // Triangle of the mesh for a near one, and its shift in nodes.
  struct Copy {
    std::uint32_t triangle;
    Int3 shift;
  };
  [[nodiscard]] Copy copyOf(std::size_t index) const {
    const std::size_t own = mesh_.triangle.size();
    return index < own ? Copy{static_cast<std::uint32_t>(index), {0, 0, 0}} : copies_[index - own];
  }
  // Triangles that links of a slab's nodes may cross, ascending.
  [[nodiscard]] std::vector<NearTriangle> triangles(std::size_t slab) const;

 private:
  void addCopies(const Int3& nodes, const std::array<bool, 3>& periodic);

  WallMesh walls_;
  const geometry::TriangleMesh& mesh_;
  int planes_;
  std::vector<Fixed3> vertex_;
  std::vector<Copy> copies_;  // index: triangles of the mesh, then these
  Bins bins_;
};

}  // namespace tessera::preprocess::lattice
