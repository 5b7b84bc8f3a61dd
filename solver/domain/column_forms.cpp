// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/column_forms.hpp"

#include <algorithm>

namespace tessera::solver::domain {

std::vector<int> columnLengths(int steps, std::size_t tiles) {
  constexpr std::size_t many = 1'000'000;
  if (tiles > many) return {steps == 1 ? 6 : 16};
  return steps == 1 ? std::vector{2, 3, 4, 6, 8} : std::vector{4, 6, 8, 12, 16, 24};
}

double columnTablesBytes(std::span<const std::array<std::int32_t, 3>> positions,
                         std::size_t bytesPerNumber) {
  // Shorter pieces have more rows; the fastest so far is kept while another is tried.
  const auto most = [&](int steps, const ColumnTiles& tiles) {
    const std::vector<int> lengths = columnLengths(steps, positions.size());
    return columnBytes(positions, tiles, lengths.front()) * (lengths.size() > 1 ? 2.0 : 1.0);
  };
  const double one = most(1, columnOfOne);
  const double kept =
      columnBytes(positions, columnOfOne, columnLengths(1, positions.size()).front());
  return std::max(one, kept + most(2, columnOfTwo(bytesPerNumber)));
}

}  // namespace tessera::solver::domain
