// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes are exported: all, those of a region, of slices, every so many.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"

namespace tessera::postprocess::fields {

struct FieldSlice {
  std::size_t axis = 0;  // of the world: 0 x, 1 y, 2 z
  double value = 0.0;    // m
};

struct FieldSelection {
  int every = 1;                                 // nodes, on each lattice axis
  std::optional<std::array<Double3, 2>> region;  // m, world: lowest and highest corner
  std::vector<FieldSlice> slices;                // any of them; none: no restriction
};

// "x0,y0,z0,x1,y1,z1", lengths or bare metres, corners in any order. Throws StageError(Usage).
std::array<Double3, 2> parseRegion(const std::string& text);
// "z=1 mm". Throws StageError(Usage).
FieldSlice parseSlice(const std::string& text);

// The non-solid nodes of a selection, as cells of `every` nodes a side round them. A slice takes
// the one layer of cells in which its plane lies.
class SelectedNodes {
 public:
  // Throws StageError(Usage) when no node is selected. The look-up must outlive it.
  SelectedNodes(const NodeLookup& lookup, const FieldSelection& selection);

  [[nodiscard]] const NodeLookup& lookup() const { return lookup_; }
  [[nodiscard]] const preprocess::geometry::Frame& frame() const { return lookup_.geometry.frame; }
  [[nodiscard]] int every() const { return selection_.every; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Cells: their number on each axis of the whole lattice, and the box of those selected.
  [[nodiscard]] const Int3& size() const { return size_; }
  [[nodiscard]] const Int3& low() const { return low_; }
  [[nodiscard]] const Int3& high() const { return high_; }  // included

  // The node of a cell; its place in the fields, -1 where solid or not selected.
  [[nodiscard]] Int3 nodeOf(const Int3& cell) const;
  [[nodiscard]] std::int64_t indexOf(const Int3& cell) const;

  // visit(cell, node, place in the fields), in the fields' order.
  template <class Visit>
  void forEach(Visit&& visit) const {
    const int n = selection_.every;
    forEachNode(lookup_, [&](std::size_t t, int l, std::uint64_t index) {
      const Int3 node = lookup_.geometry.nodeOf(t, l);
      if (holds(node)) visit(Int3{node[0] / n, node[1] / n, node[2] / n}, node, index);
    });
  }

 private:
  [[nodiscard]] bool holds(const Int3& node) const;

  const NodeLookup& lookup_;
  FieldSelection selection_;
  std::uint64_t count_ = 0;
  Int3 size_{}, low_{}, high_{};
};

}  // namespace tessera::postprocess::fields
