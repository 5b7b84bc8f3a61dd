// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/wall_distance_grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::fields {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

// Nearest first, ties by number: the same order everywhere.
using Entry = std::pair<double, std::int32_t>;
using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

double stepLength(const Int3& step) {
  return std::sqrt(static_cast<double>(dot(step, step)));
}

bool isBlocked(const WallDistanceGrid& grid, std::int32_t cell, int direction) {
  return !grid.blocked.empty() &&
         (grid.blocked[static_cast<std::size_t>(cell)] >> direction & 1U) != 0;
}

// Visits the 26 neighbours with their number (-1: no fluid or behind a wall), distance in cells and
// step.
template <class Visit>
void forEachNeighbour(const WallDistanceGrid& grid, std::int32_t cell, Visit&& visit) {
  const Int3& at = grid.cell[static_cast<std::size_t>(cell)];
  for (const auto& [n, step] :
       preprocess::geometry::stepsTo(preprocess::geometry::Neighbours::TwentySix))
    visit(isBlocked(grid, cell, n) ? -1 : grid.at(at + step), stepLength(step), step);
}

// Calls visit(cell, cell of the neighbour, cut) for each link in the box from a node of a chosen
// cell to another node.
template <class Chosen, class Visit>
void forEachLink(const NodeLookup& lookup, int side, Chosen&& chosen, Visit&& visit) {
  const auto cellOf = [side](const Int3& node) {
    return Int3{node[0] / side, node[1] / side, node[2] / side};
  };
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const FoundNode found{static_cast<std::int64_t>(index), t, l};
    const Int3 node = lookup.geometry.nodeOf(t, l);
    if (!chosen(found, cellOf(node))) return;
    const std::uint32_t cut = lookup.cutMaskOf(found);
    for (const auto& [n, step] :
         preprocess::geometry::stepsTo(preprocess::geometry::Neighbours::TwentySix)) {
      const Int3 next = node + step;
      bool inBox = true;
      for (std::size_t a = 0; a < 3; ++a)
        inBox = inBox && next[a] >= 0 && next[a] < lookup.geometry.nodes[a];
      if (inBox && lookup.indexOf(next) >= 0)
        visit(cellOf(node), cellOf(next), (cut >> n & 1U) != 0);
    }
  });
}

// Marks the directions in which a cut link leaves a cell, and of cells with such links those in
// which no link reaches the neighbour.
void blockWalls(const NodeLookup& lookup, WallDistanceGrid& grid) {
  if (!lookup.hasCutLinks()) return;
  std::vector<std::uint32_t> cut(grid.cell.size(), 0), linked(grid.cell.size(), 0);
  const auto visitLinks = [&](auto&& chosen) {
    forEachLink(lookup, grid.side, chosen, [&](const Int3& one, const Int3& other, bool isCut) {
      const std::int32_t cell = grid.at(one);
      if (cell < 0 || grid.at(other) < 0) return;
      const int direction = preprocess::geometry::directionOf(other - one);
      (isCut ? cut : linked)[static_cast<std::size_t>(cell)] |= std::uint32_t{1} << direction;
    });
  };
  visitLinks([&](const FoundNode& node, const Int3&) { return lookup.cutMaskOf(node) != 0; });
  const std::vector<std::uint32_t> near = cut;
  visitLinks([&](const FoundNode&, const Int3& place) {
    const std::int32_t cell = grid.at(place);
    return cell >= 0 && near[static_cast<std::size_t>(cell)] != 0;
  });
  grid.blocked.assign(grid.cell.size(), 0);
  for (std::size_t c = 0; c < grid.cell.size(); ++c) {
    if (near[c] == 0) continue;
    for (const auto& [n, step] :
         preprocess::geometry::stepsTo(preprocess::geometry::Neighbours::TwentySix)) {
      const std::int32_t other = grid.at(grid.cell[c] + step);
      if (other < 0 || ((cut[c] | ~linked[c]) >> n & 1U) == 0) continue;
      grid.blocked[c] |= std::uint32_t{1} << n;
      grid.blocked[static_cast<std::size_t>(other)] |=
          std::uint32_t{1} << preprocess::geometry::oppositeDirection(n);
    }
  }
}

void countCells(const NodeLookup& lookup, WallDistanceGrid& grid) {
  std::vector<std::int32_t> nodes(grid.number.size());
  const auto place = [&](const Int3& node) {
    return static_cast<std::size_t>(node[0] / grid.side) +
           static_cast<std::size_t>(grid.size[0]) *
               (static_cast<std::size_t>(node[1] / grid.side) +
                static_cast<std::size_t>(grid.size[1]) *
                    static_cast<std::size_t>(node[2] / grid.side));
  };
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t) {
    ++nodes[place(lookup.geometry.nodeOf(t, l))];
  });
  if (lookup.hasCutLinks() && grid.side > 1)
    forEachLink(
        lookup, grid.side,
        [&](const FoundNode& node, const Int3&) { return lookup.cutMaskOf(node) != 0; },
        [&](const Int3& one, const Int3& other, bool isCut) {
          if (isCut && one == other) nodes[place(grid.side * one)] = 0;
        });
  const std::int32_t half = (grid.side * grid.side * grid.side + 1) / 2;
  for (int z = 0; z < grid.size[2]; ++z)
    for (int y = 0; y < grid.size[1]; ++y)
      for (int x = 0; x < grid.size[0]; ++x) {
        const std::size_t at = place({x * grid.side, y * grid.side, z * grid.side});
        if (nodes[at] < half) continue;
        grid.number[at] = static_cast<std::int32_t>(grid.cell.size());
        grid.cell.push_back({x, y, z});
      }
}

// Whether a position without fluid lies behind an opening instead of a wall.
bool behindOpening(const NodeLookup& lookup, const Double3& place, double side) {
  const preprocess::geometry::Frame& frame = lookup.geometry.frame;
  const double cell = side * frame.spacing;
  for (const preprocess::geometry::Opening& opening : lookup.geometry.openings) {
    const Double3 from = frame.toWorld(place) - opening.centre;
    const double out = dot(from, opening.normal);
    const double across = length(from - out * opening.normal);
    if (std::abs(out) < 2.5 * cell && across < opening.radius + 0.5 * cell) return true;
  }
  return false;
}

// Chamfer distance: shortest path of straight and diagonal steps to a cell without fluid, whose
// wall lies half a step before it (Dijkstra).
void measure(const NodeLookup& lookup, WallDistanceGrid& grid) {
  grid.distance.assign(grid.cell.size(), unknown);
  Queue queue;
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(grid.cell.size()); ++c) {
    double nearest = unknown;
    const Double3 here = grid.middle(c);
    forEachNeighbour(grid, c, [&](std::int32_t to, double step, const Int3& towards) {
      if (to >= 0) return;
      const Double3 way{1.0 * towards[0], 1.0 * towards[1], 1.0 * towards[2]};
      if (isBlocked(grid, c, preprocess::geometry::directionOf(towards)) ||
          !behindOpening(lookup, here + static_cast<double>(grid.side) * way, grid.side))
        nearest = std::min(nearest, 0.5 * step);
    });
    if (nearest == unknown) continue;
    grid.distance[static_cast<std::size_t>(c)] = nearest;
    queue.emplace(nearest, c);
  }
  while (!queue.empty()) {
    const auto [distance, cell] = queue.top();
    queue.pop();
    if (distance > grid.distance[static_cast<std::size_t>(cell)]) continue;
    forEachNeighbour(grid, cell, [&, known = distance](std::int32_t to, double step, const Int3&) {
      if (to < 0 || grid.distance[static_cast<std::size_t>(to)] <= known + step) return;
      grid.distance[static_cast<std::size_t>(to)] = known + step;
      queue.emplace(known + step, to);
    });
  }
  for (double& distance : grid.distance) distance *= grid.side;
}

}  // namespace

std::int32_t WallDistanceGrid::at(const Int3& place) const {
  for (std::size_t a = 0; a < 3; ++a)
    if (place[a] < 0 || place[a] >= size[a]) return -1;
  return number[static_cast<std::size_t>(place[0]) +
                static_cast<std::size_t>(size[0]) *
                    (static_cast<std::size_t>(place[1]) +
                     static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(place[2]))];
}

double WallDistanceGrid::distanceAt(const Double3& place) const {
  Int3 cellThere{};
  for (std::size_t a = 0; a < 3; ++a)
    cellThere[a] = static_cast<int>(std::floor((place[a] + 0.5) / side));
  const std::int32_t n = at(cellThere);
  return n < 0 ? 0.0 : distance[static_cast<std::size_t>(n)];
}

Double3 WallDistanceGrid::middle(std::int32_t n) const {
  const Int3& place = cell[static_cast<std::size_t>(n)];
  Double3 result{};
  for (std::size_t a = 0; a < 3; ++a) result[a] = side * (place[a] + 0.5) - 0.5;
  return result;
}

std::int32_t WallDistanceGrid::nearest(const Double3& place, double within) const {
  std::int32_t best = -1;
  double least = within;
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(cell.size()); ++c) {
    const double away = length(middle(c) - place);
    if (away >= least) continue;
    least = away;
    best = c;
  }
  return best;
}

WallDistanceGrid wallDistanceGrid(const NodeLookup& lookup, int side) {
  WallDistanceGrid grid;
  grid.side = side;
  std::size_t cells = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    grid.size[a] = (lookup.geometry.nodes[a] + side - 1) / side;
    cells *= static_cast<std::size_t>(grid.size[a]);
  }
  grid.number.assign(cells, -1);
  countCells(lookup, grid);
  blockWalls(lookup, grid);
  measure(lookup, grid);
  return grid;
}

std::vector<std::int32_t> middleWay(const WallDistanceGrid& grid, std::int32_t from,
                                    std::int32_t to) {
  std::vector<double> cost(grid.cell.size(), unknown);
  std::vector<std::int32_t> before(grid.cell.size(), -1);
  Queue queue;
  cost[static_cast<std::size_t>(from)] = 0.0;
  queue.emplace(0.0, from);
  while (!queue.empty() && queue.top().second != to) {
    const auto [known, cell] = queue.top();
    queue.pop();
    if (known > cost[static_cast<std::size_t>(cell)]) continue;
    const double here = grid.distance[static_cast<std::size_t>(cell)];
    forEachNeighbour(grid, cell,
                     [&, soFar = known, at = cell](std::int32_t next, double step, const Int3&) {
                       if (next < 0) return;
                       const auto n = static_cast<std::size_t>(next);
                       const double whole = soFar + 2.0 * step / (here + grid.distance[n]);
                       if (whole >= cost[n]) return;
                       cost[n] = whole;
                       before[n] = at;
                       queue.emplace(whole, next);
                     });
  }
  std::vector<std::int32_t> way;
  if (queue.empty()) return way;
  for (std::int32_t cell = to; cell >= 0; cell = before[static_cast<std::size_t>(cell)])
    way.push_back(cell);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace tessera::postprocess::fields
