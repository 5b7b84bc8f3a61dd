// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/flow_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "preprocess/file/node_types.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "solver/boundary/profiles.hpp"

namespace tessera::solver::cases {

namespace {

using boundary::LatticeOpening;
using tiler::TiledGeometry;
using Key = std::int64_t;

constexpr Key noKey = -1;

// Cells of `side` nodes each way in the box of the lattice, in 2D one layer.
struct CellGrid {
  int side = 1;
  Int3 cells{};
  std::array<bool, 3> wraps{};

  CellGrid(const TiledGeometry& geometry, int nodesEachWay) : side(nodesEachWay) {
    for (std::size_t a = 0; a < 3; ++a) {
      const bool flat = a == 2 && geometry.dimensions == 2;
      cells[a] = flat ? 1 : (geometry.nodes[a] + side - 1) / side;
      wraps[a] = !flat && geometry.periodic[a] && geometry.nodes[a] % side == 0;
    }
  }
  // The cell whose middle the node is; noKey for others.
  [[nodiscard]] Key keyOfNode(const Int3& node) const {
    Int3 at{};
    for (std::size_t a = 0; a < 3; ++a) {
      if (cells[a] == 1) continue;
      if (node[a] % side != side / 2) return noKey;
      at[a] = node[a] / side;
    }
    return keyOf(at);
  }
  [[nodiscard]] Key keyOf(const Int3& at) const {
    return at[0] + cells[0] * (at[1] + Key{cells[1]} * at[2]);
  }
  [[nodiscard]] Int3 cellOf(Key key) const {
    const Key row = key / cells[0];
    return {static_cast<int>(key % cells[0]), static_cast<int>(row % cells[1]),
            static_cast<int>(row / cells[1])};
  }
  // Position of a cell's middle in nodes.
  [[nodiscard]] Double3 middleOf(const Int3& at) const {
    Double3 middle{};
    for (std::size_t a = 0; a < 3; ++a) middle[a] = cells[a] == 1 ? 0.0 : at[a] * side + side / 2;
    return middle;
  }
  // Wraps on periodic axes; noKey beyond the box.
  [[nodiscard]] Key keyWithin(Int3 at) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (wraps[a]) at[a] = (at[a] + cells[a]) % cells[a];
      if (at[a] < 0 || at[a] >= cells[a]) return noKey;
    }
    return keyOf(at);
  }
};

// Index of each key in a sorted list, by open addressing.
class KeyTable {
 public:
  explicit KeyTable(const std::vector<Key>& keys) {
    std::size_t size = 16;
    while (size < 4 * keys.size()) size *= 2;
    slots_.assign(size, {noKey, FlowCells::wall});
    for (std::size_t k = 0; k < keys.size(); ++k) {
      std::size_t at = slotOf(keys[k]);
      while (slots_[at].key != noKey) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {keys[k], static_cast<std::int32_t>(k)};
    }
  }
  [[nodiscard]] std::int32_t find(Key key) const {
    if (key == noKey) return FlowCells::wall;
    for (std::size_t at = slotOf(key);; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].key == key || slots_[at].key == noKey) return slots_[at].index;
  }

 private:
  struct Slot {
    Key key;
    std::int32_t index;
  };
  [[nodiscard]] std::size_t slotOf(Key key) const {
    const auto mixed = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(mixed >> 20U) & (slots_.size() - 1);
  }
  std::vector<Slot> slots_;
};

// Sorted keys of the cells whose middle is fluid, of all ranks.
std::vector<Key> fluidCells(const TiledGeometry& geometry, const CellGrid& grid,
                            comm::Ranks& ranks) {
  std::vector<Key> own;
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    for (int l = 0; l < tiler::tileNodes; ++l) {
      if (geometry.nodeType[t * tiler::tileNodes + static_cast<std::size_t>(l)] ==
          static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        continue;
      const Key key = grid.keyOfNode(geometry.nodeOf(t, l));
      if (key != noKey) own.push_back(key);
    }
  std::vector<Key> all =
      ranks.alone() ? std::move(own) : stage::gatherValues(ranks, std::span<const Key>(own));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// A link of a cell's node to a wall.
struct WallCut {
  Key key = noKey;
  std::int32_t direction = 0;
  float part = 0.0F;  // of the link
};

// Index over all ranks: where each node is a cell; empty for larger cells.
std::vector<WallCut> wallCuts(const TiledGeometry& geometry, const CellGrid& grid,
                              comm::Ranks& ranks) {
  std::vector<WallCut> own;
  if (grid.side > 1) return own;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    std::uint64_t link = geometry.linkStart[t];
    for (std::uint64_t b = geometry.boundaryStart[t]; b < geometry.boundaryStart[t + 1]; ++b) {
      const Key key = grid.keyOfNode(geometry.nodeOf(t, geometry.boundaryLocal[b]));
      for (int n = 0; n < preprocess::geometry::directionCount; ++n) {
        if (((geometry.boundaryMask[b] >> static_cast<unsigned>(n)) & 1U) == 0) continue;
        const std::uint64_t at = link++;
        if (preprocess::geometry::isOpening(geometry.linkPatch[at])) continue;
        const double part = preprocess::geometry::distanceFromCode(geometry.linkDistance[at]);
        own.push_back({key, n, static_cast<float>(part)});
      }
    }
  }
  return ranks.alone() ? own : stage::gatherValues(ranks, std::span<const WallCut>(own));
}

// The opening through which the line from one place to another leaves the fluid; -1: none.
int openingBetween(const Double3& inside, const Double3& outside,
                   const std::vector<LatticeOpening>& openings, int side) {
  constexpr double outOfRound = 1.5;  // half the long side of an ellipse of 2.25 to 1, in radii
  for (std::size_t k = 0; k < openings.size(); ++k) {
    const LatticeOpening& of = openings[k];
    const double before = dot(inside - of.centre, of.normal);
    const double after = dot(outside - of.centre, of.normal);
    if (after <= 0.0 || after <= before || before > 0.5 * side) continue;
    const double part = std::clamp(-before / (after - before), 0.0, 1.0);
    const Double3 way = inside + part * (outside - inside) - of.centre;
    if (length(way) <= outOfRound * of.radius + 0.5 * side) return static_cast<int>(k);
  }
  return -1;
}

// Nearest wall: of the points halfway to cells in the solid the nearest lies before a round wall,
// by some part of a cell.
constexpr double nearestOfMany = 0.25;

class CellsOfFluid {
 public:
  CellsOfFluid(const TiledGeometry& geometry, const CellGrid& grid, std::vector<Key> keys,
               std::vector<WallCut> cuts)
      : grid_(grid),
        keys_(std::move(keys)),
        table_(keys_),
        cuts_(std::move(cuts)),
        flat_(geometry.dimensions == 2) {
    for (const auto& opening : geometry.openings)
      openings_.push_back(boundary::inLattice(opening, geometry));
  }

  [[nodiscard]] FlowCells cells(const TiledGeometry& geometry) const {
    FlowCells out;
    out.dimensions = geometry.dimensions;
    out.side = grid_.side * geometry.frame.spacing;
    out.beyond.resize(keys_.size());
    for (std::size_t k = 0; k < keys_.size(); ++k) out.beyond[k] = beyond(k);
    if (keys_.empty()) return out;
    Walls walls = nearestWalls();
    std::vector<double> radius = coveringRadii(walls);
    if (grid_.side > 1)
      for (std::size_t k = 0; k < keys_.size(); ++k) {
        walls.distance[k] += nearestOfMany;
        radius[k] += nearestOfMany;
      }
    const double share = (flat_ ? 0.5 : 0.25) * out.side * out.side;
    for (std::size_t k = 0; k < keys_.size(); ++k)
      out.permeability.push_back(share * walls.distance[k] * (2.0 * radius[k] - walls.distance[k]));
    return out;
  }

 private:
  [[nodiscard]] std::int32_t index(const Int3& at) const {
    return table_.find(grid_.keyWithin(at));
  }
  // Not across the ends of a period, where positions jump.
  [[nodiscard]] std::int32_t indexInBox(const Int3& at) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (at[a] < 0 || at[a] >= grid_.cells[a]) return FlowCells::wall;
    return table_.find(grid_.keyOf(at));
  }
  static Double3 asDouble(const Int3& at) { return {double(at[0]), double(at[1]), double(at[2])}; }
  [[nodiscard]] bool isStep(const Int3& step) const { return !flat_ || step[2] == 0; }

  // The opening beyond a cell in the direction of a step; -1: a wall.
  [[nodiscard]] int openingBeyond(const Int3& at, const Int3& step) const {
    return openingBetween(grid_.middleOf(at), grid_.middleOf(at + step), openings_, grid_.side);
  }

  [[nodiscard]] std::array<std::int32_t, 6> beyond(std::size_t k) const {
    const Int3 at = grid_.cellOf(keys_[k]);
    std::array<std::int32_t, 6> out{};
    for (std::size_t n = 0; n < 6; ++n) {
      Int3 step{};
      step[n / 2] = n % 2 == 0 ? -1 : 1;
      out[n] = isStep(step) ? index(at + step) : FlowCells::wall;
      if (out[n] != FlowCells::wall || !isStep(step)) continue;
      const int opening = openingBeyond(at, step);
      if (opening >= 0) out[n] = static_cast<std::int32_t>(keys_.size()) + opening;
    }
    return out;
  }

  struct Walls {
    std::vector<double> distance;  // of each cell from the nearest wall, in sides of a cell
    std::vector<Double3> nearest;
  };
  struct Front {
    double distance;
    std::int32_t cell;
    Double3 wall;
    bool operator>(const Front& other) const {
      return distance != other.distance ? distance > other.distance : cell > other.cell;
    }
  };
  using Fronts = std::priority_queue<Front, std::vector<Front>, std::greater<>>;

  static void reach(std::size_t k, double from, const Double3& wall, Walls& walls, Fronts& fronts) {
    if (from >= walls.distance[k]) return;
    walls.distance[k] = from;
    walls.nearest[k] = wall;
    fronts.push({from, static_cast<std::int32_t>(k), wall});
  }
  template <class Action>
  void forSteps(const Action& action) const {
    for (const auto& [n, step] :
         preprocess::geometry::stepsTo(preprocess::geometry::Neighbours::TwentySix))
      if (isStep(step)) action(step);
  }

  // Points on walls next to cells: where links end, or halfway to a cell in the solid.
  void reachFirst(Walls& walls, Fronts& fronts) const {
    for (const WallCut& cut : cuts_) {
      const Int3 step = preprocess::geometry::directionStep(cut.direction);
      if (!isStep(step)) continue;
      const auto k = static_cast<std::size_t>(table_.find(cut.key));
      const Double3 way = static_cast<double>(cut.part) * asDouble(step);
      reach(k, length(way), asDouble(grid_.cellOf(cut.key)) + way, walls, fronts);
    }
    if (!cuts_.empty()) return;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const Int3 at = grid_.cellOf(keys_[k]);
      forSteps([&](const Int3& step) {
        if (index(at + step) != FlowCells::wall || openingBeyond(at, step) >= 0) return;
        const Double3 half = 0.5 * asDouble(step);
        reach(k, length(half), asDouble(at) + half, walls, fronts);
      });
    }
  }

  // The nearest points of walls are propagated (Danielsson 1980), nearest first.
  [[nodiscard]] Walls nearestWalls() const {
    const double widest = *std::max_element(grid_.cells.begin(), grid_.cells.end());
    Walls walls{std::vector<double>(keys_.size(), widest), std::vector<Double3>(keys_.size())};
    Fronts fronts;
    reachFirst(walls, fronts);
    while (!fronts.empty()) {
      const Front front = fronts.top();
      fronts.pop();
      if (front.distance > walls.distance[static_cast<std::size_t>(front.cell)]) continue;
      const Int3 at = grid_.cellOf(keys_[static_cast<std::size_t>(front.cell)]);
      forSteps([&](const Int3& step) {
        const std::int32_t next = indexInBox(at + step);
        if (next == FlowCells::wall) return;
        reach(static_cast<std::size_t>(next), length(asDouble(at + step) - front.wall), front.wall,
              walls, fronts);
      });
    }
    return walls;
  }

  // From the middle of a cell on the medial axis to the axis itself, away from the nearest wall:
  // distances rise up to there and then fall.
  [[nodiscard]] double toAxis(std::size_t k, const Walls& walls) const {
    const Int3 at = grid_.cellOf(keys_[k]);
    const Double3 away = unit(asDouble(at) - walls.nearest[k]);
    Int3 step{};
    for (std::size_t a = 0; a < 3; ++a) step[a] = static_cast<int>(std::lround(away[a]));
    const std::int32_t next = indexInBox(at + step);
    if (next == FlowCells::wall) return 0.0;
    const double way = length(asDouble(step));
    const double rise = walls.distance[static_cast<std::size_t>(next)] - walls.distance[k];
    return std::clamp(0.5 * (rise + way), 0.0, 0.5 * way);
  }

  // Radius of the largest ball in the fluid that covers each cell. Balls within another, or nearly,
  // are passed over, so that those of the medial axis are left.
  [[nodiscard]] std::vector<double> coveringRadii(const Walls& walls) const {
    constexpr double nearly = 0.3;
    std::vector<std::size_t> order(keys_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return walls.distance[a] > walls.distance[b];
    });
    std::vector<double> radius = walls.distance;
    std::vector<double> depth(keys_.size(), -1.0);  // below the surface of the balls so far
    for (const std::size_t k : order) {
      const double r = walls.distance[k];
      if (depth[k] >= r - nearly) continue;
      const double whole = r + toAxis(k, walls);
      forBall(grid_.cellOf(keys_[k]), r, [&](std::size_t cell, double below) {
        radius[cell] = std::max(radius[cell], whole);
        depth[cell] = std::max(depth[cell], below);
      });
    }
    return radius;
  }

  // Cells in a ball, each with its depth below the surface.
  template <class Action>
  void forBall(const Int3& middle, double radius, const Action& action) const {
    const int reach = static_cast<int>(radius);
    const int across = flat_ ? 0 : reach;
    for (int z = -across; z <= across; ++z)
      for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
          const double below = radius - std::sqrt(double(x * x + y * y + z * z));
          const std::int32_t cell = below > 0.0 ? index(middle + Int3{x, y, z}) : FlowCells::wall;
          if (cell != FlowCells::wall) action(static_cast<std::size_t>(cell), below);
        }
  }

  CellGrid grid_;
  std::vector<Key> keys_;
  KeyTable table_;
  std::vector<WallCut> cuts_;
  bool flat_;
  std::vector<LatticeOpening> openings_;
};

}  // namespace

FlowCells flowCells(const TiledGeometry& geometry, comm::Ranks& ranks, std::size_t most) {
  int side = 1;
  const auto nodes = static_cast<double>(geometry.fluidNodes);
  while (nodes / std::pow(side, geometry.dimensions) > static_cast<double>(most)) ++side;
  const CellGrid grid(geometry, side);
  return CellsOfFluid(geometry, grid, fluidCells(geometry, grid, ranks),
                      wallCuts(geometry, grid, ranks))
      .cells(geometry);
}

}  // namespace tessera::solver::cases
