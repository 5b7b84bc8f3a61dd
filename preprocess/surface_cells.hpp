// SPDX-License-Identifier: GPL-3.0-or-later
// The triangles of a slab of the lattice, sorted into unit cells between the nodes: a link lies in
// one cell, so the few triangles of that cell are all that it can cross. Memory and time go with
// the surface, not with the volume.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/bins.hpp"
#include "preprocess/fixed_point.hpp"
#include "preprocess/mesh.hpp"

namespace tessera {

// A triangle as the link finder needs it, with its shift on periodic axes applied.
struct NearTriangle {
  // By axis: corners 0, 1, 2, 0, 1 in fixed point, so that the edges' starts and their ends are
  // four numbers in a row each.
  std::array<std::array<std::int32_t, 5>, 3> corner;
  Double3 normal{};     // unit, exact
  double offset = 0.0;  // normal . x of its plane, nodes
  Patch patch = 0;
  bool isSmall = true;  // less than 500 nodes on every axis
};

// A surface with its copies on periodic axes, sorted into slabs of planes along z.
class SlabbedSurface {
 public:
  SlabbedSurface(const TriangleMesh& mesh, const Int3& nodes, const std::array<bool, 3>& periodic,
                 int planes);
  [[nodiscard]] std::size_t slabs() const { return bins_.size(); }
  [[nodiscard]] int planes() const { return planes_; }
  // The triangles that meet a cell beside a slab's nodes.
  [[nodiscard]] std::vector<NearTriangle> triangles(std::size_t slab) const;

 private:
  struct Copy {
    std::uint32_t triangle;
    Int3 shift;  // nodes
  };
  void addCopies(const Int3& nodes, const std::array<bool, 3>& periodic);
  [[nodiscard]] Copy copyOf(std::size_t index) const;

  const TriangleMesh& mesh_;
  int planes_;
  std::vector<Fixed3> vertex_;
  std::vector<Copy> copies_;  // index: triangles of the mesh, then these
  Bins bins_;
};

// Cell (i, j, k) is the cube between nodes i and i + 1, j and j + 1, k and k + 1.
class SurfaceCells {
 public:
  // Cells -1 .. nodes - 1 on x and y, layers firstLayer .. lastLayer on z.
  SurfaceCells(std::vector<NearTriangle> triangles, const Int3& nodes, int firstLayer,
               int lastLayer);
  struct Entry {
    std::int32_t cell;  // on x
    std::uint32_t triangle;
  };
  // Cells of row (j, k) by ascending x, within a cell by ascending triangle.
  [[nodiscard]] std::span<const Entry> row(int j, int k) const;
  [[nodiscard]] const NearTriangle& triangle(std::uint32_t index) const {
    return triangles_[index];
  }

 private:
  struct Placed {
    std::uint32_t row;
    Entry entry;
  };
  [[nodiscard]] std::size_t rowIndex(int j, int k) const {
    return static_cast<std::size_t>(k - firstLayer_) * static_cast<std::size_t>(rows_) +
           static_cast<std::size_t>(j + 1);
  }
  void place(std::uint32_t index, std::vector<Placed>& placed) const;
  void sortRows(const std::vector<Placed>& placed);

  std::vector<NearTriangle> triangles_;
  int lastColumn_, lastRow_;  // the first ones are -1
  int rows_, firstLayer_, lastLayer_;
  std::vector<std::size_t> start_;
  std::vector<Entry> entry_;
};

}  // namespace tessera
