// SPDX-License-Identifier: GPL-3.0-or-later
// A surface sorted into slabs of planes along z, each one task of the link finder.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/lattice/bins.hpp"
#include "preprocess/lattice/voxelise/fixed_point.hpp"

namespace tessera::preprocess::lattice {

// A triangle as the link finder needs it, with its shift on periodic axes applied.
struct NearTriangle {
  std::array<Fixed3, 3> corner;
  Double3 normal{};     // unit, exact; zero for a needle
  double offset = 0.0;  // normal . x of its plane, nodes
  geometry::Patch patch = 0;
  std::uint32_t index = 0;  // of the triangle in the mesh, or of its copy after all those
};

// How far beyond its ends a link still sees a triangle, in parts of it: the lattice was rounded to
// fixed point.
constexpr double linkWindow = 1.0 / 1024.0;

// A surface with its copies on periodic axes.
class SlabbedSurface {
 public:
  SlabbedSurface(const geometry::TriangleMesh& mesh, const Int3& nodes,
                 const std::array<bool, 3>& periodic, int planes);
  [[nodiscard]] std::size_t slabs() const { return bins_.size(); }
  [[nodiscard]] int planes() const { return planes_; }
  // The triangle of the mesh that a near one is, and its shift in nodes.
  struct Copy {
    std::uint32_t triangle;
    Int3 shift;
  };
  [[nodiscard]] Copy copyOf(std::size_t index) const {
    const std::size_t own = mesh_.triangle.size();
    return index < own ? Copy{static_cast<std::uint32_t>(index), {0, 0, 0}} : copies_[index - own];
  }
  // The triangles that a link of a slab's nodes may see, ascending.
  [[nodiscard]] std::vector<NearTriangle> triangles(std::size_t slab) const;

 private:
  void addCopies(const Int3& nodes, const std::array<bool, 3>& periodic);

  const geometry::TriangleMesh& mesh_;
  int planes_;
  std::vector<Fixed3> vertex_;
  std::vector<Copy> copies_;  // index: triangles of the mesh, then these
  Bins bins_;
};

}  // namespace tessera::preprocess::lattice
