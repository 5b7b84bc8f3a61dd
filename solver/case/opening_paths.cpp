// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/opening_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "preprocess/geometry/neighbourhood.hpp"
#include "solver/boundary/profiles.hpp"

namespace tessera::solver::cases {

namespace {

constexpr std::int64_t mostCells = 1 << 18;
constexpr std::int32_t noCell = -1;

std::int64_t countOf(const Int3& cells) {
  return std::int64_t{cells[0]} * cells[1] * cells[2];
}

// Cells of a box of tiles, `side` tiles each way; a layer of nodes beyond either end of a shifted
// tiling falls into the outer cells.
Int3 cellsOf(const Int3& grid, int side) {
  Int3 cells{};
  for (std::size_t a = 0; a < 3; ++a) cells[a] = (grid[a] + side - 1) / side;
  return cells;
}

double distance(const Double3& a, const Double3& b) {
  const Double3 d = a - b;
  return std::sqrt(dot(d, d));
}

}  // namespace

OpeningPaths::OpeningPaths(const tiler::TiledGeometry& geometry, comm::Ranks& ranks)
    : spacing_(geometry.frame.spacing) {
  int side = 1;
  while (countOf(cellsOf(geometry.grid, side)) > mostCells) ++side;
  cells_ = cellsOf(geometry.grid, side);
  cellSize_ = side * geometry.tileSize;
  std::vector<std::int64_t> count(static_cast<std::size_t>(countOf(cells_)), 0);
  for (const auto& tile : geometry.nonEmptyTiles) {
    const Int3 corner = geometry.cornerOf(tile);
    Double3 middle{};
    for (std::size_t a = 0; a < 3; ++a) middle[a] = corner[a] + 0.5 * (geometry.tileSize[a] - 1);
    ++count[static_cast<std::size_t>(cellOf(middle))];
  }
  if (!ranks.alone()) ranks.sumOnHost(count);
  for (const std::int64_t tiles : count) isFluid_.push_back(tiles > 0 ? 1 : 0);
  for (const preprocess::geometry::Opening& opening : geometry.openings)
    centre_.push_back(boundary::inLattice(opening, geometry).centre);
}

std::int32_t OpeningPaths::cellOf(const Double3& position) const {
  Int3 at{};
  for (std::size_t a = 0; a < 3; ++a)
    at[a] = std::clamp(static_cast<int>(std::floor(position[a] / cellSize_[a])), 0, cells_[a] - 1);
  return at[0] + cells_[0] * (at[1] + cells_[1] * at[2]);
}

Double3 OpeningPaths::centreOf(std::int32_t cell) const {
  const Int3 at{cell % cells_[0], cell / cells_[0] % cells_[1], cell / (cells_[0] * cells_[1])};
  Double3 centre{};
  for (std::size_t a = 0; a < 3; ++a) centre[a] = (at[a] + 0.5) * cellSize_[a] - 0.5;
  return centre;
}

std::int32_t OpeningPaths::nearestCell(const Double3& position) const {
  std::int32_t nearest = cellOf(position);
  if (isFluid_[static_cast<std::size_t>(nearest)] != 0) return nearest;
  nearest = noCell;
  double least = std::numeric_limits<double>::max();
  for (std::size_t cell = 0; cell < isFluid_.size(); ++cell) {
    if (isFluid_[cell] == 0) continue;
    const double away = distance(centreOf(static_cast<std::int32_t>(cell)), position);
    if (away >= least) continue;
    least = away;
    nearest = static_cast<std::int32_t>(cell);
  }
  return nearest;
}

std::vector<std::int32_t> OpeningPaths::cellsBefore(std::int32_t start) const {
  std::vector<double> length(isFluid_.size(), std::numeric_limits<double>::max());
  std::vector<std::int32_t> before(isFluid_.size(), noCell);
  using Reached = std::pair<double, std::int32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
  length[static_cast<std::size_t>(start)] = 0.0;
  before[static_cast<std::size_t>(start)] = start;
  front.emplace(0.0, start);
  while (!front.empty()) {
    const auto [reached, cell] = front.top();
    front.pop();
    if (reached > length[static_cast<std::size_t>(cell)]) continue;
    const Int3 at{cell % cells_[0], cell / cells_[0] % cells_[1], cell / (cells_[0] * cells_[1])};
    for (const auto& [n, step] :
         preprocess::geometry::stepsTo(preprocess::geometry::Neighbours::TwentySix)) {
      const Int3 to = at + step;
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a) inside = inside && to[a] >= 0 && to[a] < cells_[a];
      if (!inside) continue;
      const std::int32_t next = to[0] + cells_[0] * (to[1] + cells_[1] * to[2]);
      const auto k = static_cast<std::size_t>(next);
      const double total = reached + distance(centreOf(next), centreOf(cell));
      if (isFluid_[k] == 0 || total >= length[k]) continue;
      length[k] = total;
      before[k] = cell;
      front.emplace(total, next);
    }
  }
  return before;
}

bool OpeningPaths::sees(const Double3& from, const Double3& to) const {
  const int shortest = std::min({cellSize_[0], cellSize_[1], std::max(cellSize_[2], 4)});
  const int samples = 1 + static_cast<int>(2.0 * distance(from, to) / shortest);
  for (int k = 1; k < samples; ++k) {
    const Double3 at = from + (double(k) / samples) * (to - from);
    if (isFluid_[static_cast<std::size_t>(cellOf(at))] == 0) return false;
  }
  return true;
}

double OpeningPaths::tautLength(const std::vector<Double3>& points) const {
  double length = 0.0;
  std::size_t from = 0;
  for (std::size_t to = 1; to < points.size(); ++to) {
    if (to + 1 < points.size() && sees(points[from], points[to + 1])) continue;
    length += distance(points[from], points[to]);
    from = to;
  }
  return length;
}

std::vector<double> OpeningPaths::lengthsFrom(std::size_t opening) const {
  std::vector<double> lengths(centre_.size(), 0.0);
  const std::int32_t start = nearestCell(centre_[opening]);
  if (start == noCell) return lengths;
  const std::vector<std::int32_t> before = cellsBefore(start);
  for (std::size_t k = 0; k < centre_.size(); ++k) {
    std::int32_t cell = nearestCell(centre_[k]);
    if (k == opening || before[static_cast<std::size_t>(cell)] == noCell) continue;
    std::vector<Double3> points{centre_[k]};
    for (; cell != start; cell = before[static_cast<std::size_t>(cell)])
      points.push_back(centreOf(cell));
    points.push_back(centre_[opening]);
    lengths[k] = spacing_ * tautLength(points);
  }
  return lengths;
}

}  // namespace tessera::solver::cases
