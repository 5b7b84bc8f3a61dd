// SPDX-License-Identifier: GPL-3.0-or-later
// Exported grids at cut links, so that neither interpolation nor contours of another program pass a
// wall between two nodes: cells around nodes have points of their own on each side of it, cells
// between nodes are hidden.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "postprocess/fields/field_selection.hpp"

namespace tessera::postprocess::exports {

// Corners of the cells around the nodes that stand for more than one point: the cells around such a
// corner fall into groups that walls separate, as at a sheet away from its free edges. The first
// group keeps the corner's point, each other one has a further point.
class SplitPoints {
 public:
  explicit SplitPoints(const fields::SelectedNodes& nodes);

  // Positions of the further points, as PointNumbering counts corners.
  [[nodiscard]] const std::vector<Int3>& further() const { return further_; }
  // Index in further() of the point of the cell whose corner k (k & 1, k >> 1 & 1, k >> 2) this is;
  // -1: the corner's own point.
  [[nodiscard]] std::int64_t furtherOf(const Int3& corner, int k) const {
    if (further_.empty() || !split_.uses(corner)) return -1;
    return group_[split_.numberOf(corner)][static_cast<std::size_t>(k)];
  }

 private:
  fields::PointNumbering split_;
  std::vector<std::array<std::int64_t, 8>> group_;  // by number in split_ and corner of the cell
  std::vector<Int3> further_;
};

// Cells between the nodes of the selection's bounding box that have a wall between two of their
// selected nodes, by their lowest corner counted from low(). In a box one node thick across an axis
// cells are flat on it.
preprocess::geometry::BitLattice hiddenCells(const fields::SelectedNodes& nodes);

}  // namespace tessera::postprocess::exports
