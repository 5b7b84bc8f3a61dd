// SPDX-License-Identifier: GPL-3.0-or-later
// What a row of tiles costs at each place that it may take on the two axes across it. Stored by
// columns of blocks of the lattice, and only those that a row meets a node in: everywhere else a
// row costs nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"

namespace tessera::tiler {

constexpr int rowTileEdge = 4;  // rows are for three dimensions

// A count of tiles and the lowest offset that gives it, so that the smaller one is the better one.
constexpr std::uint64_t tileCost(std::uint64_t tiles, int offset) {
  return tiles * rowTileEdge + static_cast<unsigned>(offset);
}
constexpr std::uint64_t tilesOfCost(std::uint64_t cost) {
  return cost / rowTileEdge;
}
constexpr std::uint8_t offsetOfCost(std::uint64_t cost) {
  return static_cast<std::uint8_t>(cost % rowTileEdge);
}

// Of rows along one axis. A place across them is named by the last node of its window: window e
// holds nodes e - 3 .. e, so a tile at offset o whose index is g is window 4 g + 3 - o.
struct RowCosts {
  struct Column {
    int u, v;
  };
  int along = 0;
  std::array<int, 2> axes{1, 2};     // across: the lower one (u), the higher one (v)
  std::array<int, 2> windows{0, 0};  // on these
  std::array<int, 2> edges{0, 0};    // windows of a column
  std::array<int, 2> columns{0, 0};
  std::vector<std::uint32_t> number;  // of each column from 1, u fastest; 0: costs nothing
  std::vector<Column> column;         // 1, 2, ...
  std::vector<std::uint32_t> cost;    // tileCost() of column 1, then 2, ...; u fastest in each

  [[nodiscard]] std::size_t inColumn() const {
    return static_cast<std::size_t>(edges[0]) * static_cast<std::size_t>(edges[1]);
  }
  [[nodiscard]] std::uint32_t at(int u, int v) const {
    const std::uint32_t known =
        number[static_cast<std::size_t>(u / edges[0]) +
               static_cast<std::size_t>(columns[0]) * static_cast<std::size_t>(v / edges[1])];
    return known == 0
               ? 0
               : cost[inColumn() * (known - 1) + static_cast<std::size_t>(u % edges[0]) +
                      static_cast<std::size_t>(edges[0]) * static_cast<std::size_t>(v % edges[1])];
  }
};

// Throws StageError(NoResource) when there is not enough memory for it.
RowCosts costsOfRows(const preprocess::geometry::BitLattice& fluid, int along);

}  // namespace tessera::tiler
