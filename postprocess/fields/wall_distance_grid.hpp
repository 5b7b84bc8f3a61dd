// SPDX-License-Identifier: GPL-3.0-or-later
// The fluid on a grid of cells of so many nodes a side, each with its distance to the wall: coarse
// enough to find ways through millions of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"

namespace tessera::postprocess::fields {

struct WallDistanceGrid {
  int side = 1;  // nodes
  Int3 size{};   // cells
  // By x + nx * (y + ny * z): number of the cell among those with fluid, -1 for the others.
  std::vector<std::int32_t> number;
  std::vector<Int3> cell;  // by number
  std::vector<double>
      distance;  // by number: to the wall, nodes, of chamfer steps; openings are none

  [[nodiscard]] std::int32_t at(const Int3& cell) const;
  // Of the cell at a place in lattice coordinates; 0 without fluid.
  [[nodiscard]] double distanceAt(const Double3& place) const;
  // Middle of a cell in lattice coordinates.
  [[nodiscard]] Double3 middle(std::int32_t cell) const;
  // The cell with fluid nearest to a place within so many nodes; -1 where there is none.
  [[nodiscard]] std::int32_t nearest(const Double3& place, double within) const;
};

// A cell has fluid where at least half of its nodes are.
WallDistanceGrid wallDistanceGrid(const NodeLookup& lookup, int side);

// Cells from one to another with the least sum of step / distance; empty where nothing connects.
std::vector<std::int32_t> middleWay(const WallDistanceGrid& grid, std::int32_t from,
                                    std::int32_t to);

}  // namespace tessera::postprocess::fields
