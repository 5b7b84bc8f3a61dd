// SPDX-License-Identifier: GPL-3.0-or-later
// Forms of a pass on columns of tiles that a GPU chooses from, by the speed that each has on the
// geometry, and the memory of their tables.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "solver/domain/tile_columns.hpp"

namespace tessera::solver::domain {

// Steps of a pass, tiles of a column, layers of a piece at most.
struct ColumnForm {
  int steps = 1;
  ColumnTiles tiles{};
  int layers = 0;
};

// Columns of 16x16 nodes for one step; narrower ones where shared memory is scarce. In fp32 two
// steps have room for 32x16, which needs fewer reads around it.
constexpr ColumnTiles columnOfOne{4, 4}, narrowColumn{4, 2};
constexpr ColumnTiles columnOfTwo(std::size_t bytesPerNumber) {
  return {bytesPerNumber == 4 ? 8 : 4, 4};
}

// Layers of the pieces that are tried for passes of so many steps. With millions of tiles lengths
// differ by 3 % at the most, and their tables take longer than that gains.
std::vector<int> columnLengths(int steps, std::size_t tiles);

// Bytes on the device of all tables that are there at a time while the forms are tried, the chosen
// ones among them. positions: of the tiles in the tile grid. In-place updates have more parts, and
// a few rows more.
double columnTablesBytes(std::span<const std::array<std::int32_t, 3>> positions,
                         std::size_t bytesPerNumber);

}  // namespace tessera::solver::domain
