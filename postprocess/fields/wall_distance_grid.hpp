// SPDX-License-Identifier: GPL-3.0-or-later
// Fluid on a grid of cells of `side` nodes, each with its distance to the wall: coarse enough to
// find paths through millions of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"

namespace tessera::postprocess::fields {

struct WallDistanceGrid {
  int side = 1;  // nodes
  Int3 size{};   // cells
  // By x + nx * (y + ny * z): number of the fluid cell, -1 without fluid.
  std::vector<std::int32_t> number;
  std::vector<Int3> cell;  // by number
  std::vector<double>
      distance;  // by number: chamfer distance to the wall in nodes; openings are no wall
  // By number: directions of the 26 in which a wall between the nodes of two cells stands; empty
  // without cut links.
  std::vector<std::uint32_t> blocked;

  [[nodiscard]] std::int32_t at(const Int3& cell) const;
  // Distance in the cell at a lattice position; 0 without fluid.
  [[nodiscard]] double distanceAt(const Double3& place) const;
  // Middle of a cell in lattice coordinates.
  [[nodiscard]] Double3 middle(std::int32_t cell) const;
  // Fluid cell nearest to a position within a number of nodes; -1 for none.
  [[nodiscard]] std::int32_t nearest(const Double3& place, double within) const;
};

// A cell has fluid if at least half of its nodes are fluid and none of its links is cut.
WallDistanceGrid wallDistanceGrid(const NodeLookup& lookup, int side);

// Cells from one to another with the least sum of step / distance; empty if not connected.
std::vector<std::int32_t> middleWay(const WallDistanceGrid& grid, std::int32_t from,
                                    std::int32_t to);

}  // namespace tessera::postprocess::fields
