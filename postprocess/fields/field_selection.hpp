// SPDX-License-Identifier: GPL-3.0-or-later
// Exported nodes (all, a region, slices, every Nth) and arrays (velocity, pressure, derived).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::fields {

struct FieldSlice {
  std::size_t axis = 0;  // world axis: 0 x, 1 y, 2 z
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

// Non-solid nodes of a selection, as cells of `every` nodes per side around them. A slice selects
// the one layer of cells that contains its plane.
class SelectedNodes {
 public:
  // Throws StageError(Usage) if no node is selected. The look-up must outlive it.
  SelectedNodes(const NodeLookup& lookup, const FieldSelection& selection);

  [[nodiscard]] const NodeLookup& lookup() const { return lookup_; }
  [[nodiscard]] const preprocess::geometry::Frame& frame() const { return lookup_.geometry.frame; }
  [[nodiscard]] int every() const { return selection_.every; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Cells per axis of the whole lattice, and the bounding box of the selected ones.
  [[nodiscard]] const Int3& size() const { return size_; }
  [[nodiscard]] const Int3& low() const { return low_; }
  [[nodiscard]] const Int3& high() const { return high_; }  // included

  // Whether a wall stands on the straight way between the nodes of two selected cells a step of the
  // 26 apart: a cut link, or with several nodes per cell a solid node. In a geometry without cut
  // links no wall counts.
  [[nodiscard]] bool isCut(const Int3& cell, const Int3& step) const;

  // Node of a cell, and its index in the fields; -1 if solid or not selected.
  [[nodiscard]] Int3 nodeOf(const Int3& cell) const;
  [[nodiscard]] std::int64_t indexOf(const Int3& cell) const;

  // visit(cell, node, index in the fields), in the fields' order.
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

struct FieldArray {
  std::string quantity;  // "velocity"
  std::string unit;      // "m/s"
  int components = 1;    // 1 or 3
  // Writes `components` values of a node with its index in the fields. Thread-safe.
  std::function<void(const Int3& node, std::uint64_t index, float* values)> valueAt;
};

// Names known to --fields, in addition to velocity and pressure.
const std::vector<std::string>& derivedFields();

// Parses "vorticity,q". Throws StageError(Usage) for an unknown one.
std::vector<std::string> parseFieldNames(const std::string& text);

// Velocity, pressure, then the named derived fields. Look-up and fields must outlive them.
std::vector<FieldArray> fieldArrays(const NodeLookup& lookup, const solver::file::Fields& fields,
                                    const std::vector<std::string>& derived);

}  // namespace tessera::postprocess::fields
