// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/partition.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "pipelines/stage/chain_sizes.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "tiler/file/part_of_tiles.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::tiles {

namespace {

// An edge of a box along an axis; negative: against it.
struct Edge {
  int axis = 0;
  int length = 0;

  [[nodiscard]] int sign() const { return length < 0 ? -1 : 1; }
  [[nodiscard]] int cells() const { return std::abs(length); }
  [[nodiscard]] Edge back() const { return {axis, -length}; }
};

// Part of the curve: from the cell at start to the last cell along a.
struct Box {
  Int3 start{};
  Edge a, b, c;

  [[nodiscard]] std::uint64_t cells() const {
    return static_cast<std::uint64_t>(a.cells()) * static_cast<std::uint64_t>(b.cells()) *
           static_cast<std::uint64_t>(c.cells());
  }
  [[nodiscard]] bool holds(const Int3& cell) const {
    for (const Edge& edge : {a, b, c}) {
      const auto axis = static_cast<std::size_t>(edge.axis);
      const int along = (cell[axis] - start[axis]) * edge.sign();
      if (along < 0 || along >= edge.cells()) return false;
    }
    return true;
  }
};

Int3 moved(Int3 from, const Edge& edge) {
  from[static_cast<std::size_t>(edge.axis)] += edge.length;
  return from;
}
// Moves to the last cell along an edge.
Int3 movedToEnd(Int3 from, const Edge& edge) {
  from[static_cast<std::size_t>(edge.axis)] += edge.length - edge.sign();
  return from;
}

// Two parts of an edge, the first of even length where it can be.
struct Halves {
  Edge first, second;
  explicit Halves(const Edge& edge) : first(edge), second(edge) {
    first.length = edge.length / 2;
    if (first.length % 2 != 0 && edge.cells() > 2) first.length += edge.sign();
    second.length = edge.length - first.length;
  }
};

// Parts of a box in the order of the curve; unused ones are empty.
using Parts = std::array<Box, 5>;

// Halves b, then a; c stays whole.
Parts cutFlat(const Box& box) {
  const Halves a(box.a), b(box.b);
  return {
      {{box.start, b.first, box.c, a.first},
       {moved(box.start, b.first), box.a, b.second, box.c},
       {movedToEnd(movedToEnd(box.start, box.a), b.first), b.first.back(), box.c, a.second.back()},
       {},
       {}}};
}

Parts cutDeep(const Box& box) {
  const Halves a(box.a), c(box.c);
  return {
      {{box.start, c.first, a.first, box.b},
       {moved(box.start, c.first), box.a, box.b, c.second},
       {movedToEnd(movedToEnd(box.start, box.a), c.first), c.first.back(), a.second.back(), box.b},
       {},
       {}}};
}

Parts cutAll(const Box& box) {
  const Halves a(box.a), b(box.b), c(box.c);
  const Int3 far = movedToEnd(box.start, box.a);
  return {
      {{box.start, b.first, c.first, a.first},
       {moved(box.start, b.first), box.c, a.first, b.second},
       {movedToEnd(movedToEnd(box.start, b.first), box.c), box.a, b.first.back(), c.second.back()},
       {moved(movedToEnd(far, box.c), b.first), box.c.back(), a.second.back(), b.second},
       {movedToEnd(far, b.first), b.first.back(), c.first, a.second.back()}}};
}

Parts cut(const Box& box) {
  const int a = box.a.cells(), b = box.b.cells(), c = box.c.cells();
  if (2 * a > 3 * b && 2 * a > 3 * c) {
    const Halves half(box.a);
    return {{{box.start, half.first, box.b, box.c},
             {moved(box.start, half.first), half.second, box.b, box.c},
             {},
             {},
             {}}};
  }
  if (3 * b > 4 * c) return cutFlat(box);
  if (3 * c > 4 * b) return cutDeep(box);
  return cutAll(box);
}

bool isRow(const Box& box) {
  return (box.a.cells() == 1) + (box.b.cells() == 1) + (box.c.cells() == 1) >= 2;
}

Box wholeBox(const Int3& size) {
  std::array<Edge, 3> edges;
  for (int axis = 0; axis < 3; ++axis) {
    const int length = size[static_cast<std::size_t>(axis)];
    edges[static_cast<std::size_t>(axis)] = {axis, length + (length > 1 ? length % 2 : 0)};
  }
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis)
    if (edges[axis].length > edges[longest].length) longest = axis;
  const std::size_t other = longest == 0 ? 1 : 0;
  return {{0, 0, 0}, edges[longest], edges[other], edges[3 - longest - other]};
}

}  // namespace

std::uint64_t curveIndex(const Int3& size, const Int3& cell) {
  Box box = wholeBox(size);
  std::uint64_t place = 0;
  while (!isRow(box))
    for (const Box& part : cut(box)) {
      if (part.cells() > 0 && part.holds(cell)) {
        box = part;
        break;
      }
      place += part.cells();
    }
  for (const Edge& edge : {box.a, box.b, box.c}) {
    const auto axis = static_cast<std::size_t>(edge.axis);
    place += static_cast<std::uint64_t>((cell[axis] - box.start[axis]) * edge.sign());
  }
  return place;
}

using tiler::TiledGeometry;

namespace {

struct LinkCounts {
  std::uint64_t walls = 0, openings = 0;
};
LinkCounts countLinks(const TiledGeometry& geometry, std::size_t t, std::uint32_t directions) {
  LinkCounts counts;
  tiler::forBoundaryNodes(geometry, t, [&](std::uint8_t, std::uint32_t mask, std::uint64_t first) {
    for (std::uint32_t rest = mask & directions; rest != 0; rest &= rest - 1) {
      const std::uint64_t link = tiler::linkIndex(first, mask, std::countr_zero(rest));
      ++(preprocess::geometry::isOpening(geometry.linkPatch[link]) ? counts.openings
                                                                   : counts.walls);
    }
  });
  return counts;
}

// Tiles of a rank from which on it owns whole cells: they are then less than half a percent of it.
constexpr std::size_t tilesForCells = 32768;

Int3 cellOf(const Int3& tile, const Int3& size) {
  return {tile[0] / size[0], tile[1] / size[1], tile[2] / size[2]};
}

// Tiles in the order of a curve through cells of this size. Those of a cell follow each other and
// have its number along the curve.
std::vector<std::pair<std::uint64_t, std::uint32_t>> alongCurve(const TiledGeometry& geometry,
                                                                const Int3& size) {
  Int3 cells = cellOf(geometry.grid, size);
  for (std::size_t a = 0; a < 3; ++a) cells[a] += geometry.grid[a] % size[a] == 0 ? 0 : 1;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> along(geometry.tiles());
  stage::parallelFor(along.size(), [&](std::size_t t) {
    along[t] = {curveIndex(cells, cellOf(geometry.nonEmptyTiles[t], size)),
                static_cast<std::uint32_t>(t)};
  });
  tbb::parallel_sort(along.begin(), along.end());
  return along;
}

// First index of each rank and the end of the last: sums as equal as tiles allow, no rank empty.
std::vector<std::size_t> cuts(const std::vector<std::uint64_t>& sums, std::size_t ranks) {
  const std::size_t tiles = sums.size();
  std::vector<std::size_t> first(ranks + 1, tiles);
  first[0] = 0;
  for (std::size_t r = 1; r < ranks; ++r) {
    const double target =
        static_cast<double>(sums.back()) / static_cast<double>(ranks) * static_cast<double>(r);
    const auto below = [&](std::uint64_t sum, double value) {
      return static_cast<double>(sum) < value;
    };
    auto at = static_cast<std::size_t>(std::lower_bound(sums.begin(), sums.end(), target, below) -
                                       sums.begin());
    // The sum is too large with tile `at`, too small without it.
    const double before = at == 0 ? 0.0 : static_cast<double>(sums[at - 1]);
    if (static_cast<double>(sums[at]) - target <= target - before) ++at;
    first[r] = std::clamp(at, first[r - 1] + 1, tiles - (ranks - r));
  }
  return first;
}

}  // namespace

// Costs. tile: 64 nodes read and written, and its entries in the neighbour table. Solid nodes cost
// as much as fluid ones. Masks: measured on one H200, TRT (tests/bench/RESULTS.md), in ns per tile,
// 64 x utilisation / GFLUPS, with the fraction m of tiles that have masks:
//   box 256^3          m 0.091   fp64 4.836   fp32 2.483
//   bent tube 730      m 0.180   fp64 4.847   fp32 2.522
//   spheres 352^3      m 0.537   fp64 4.958   fp32 2.625
// Box and spheres give 4.811 + 0.272 m and 2.454 + 0.320 m (the tube deviates by 0.3 and 0.4 %), at
// the bandwidth of a tile without masks 1,108 and 1,284 bytes. Wall link of the interpolated pass:
// on one core a tube of 17,730 tiles and 385,676 links takes 33.6 ms per step in fp64 and 19.1 ms
// in fp32, with "bouzidi" 9.5 and 7.8 ms more: 255 and 185 bytes. Link of an opening, counted in
// the code: its record, half of the sectors of its node's populations, one written.
TileCosts tileCosts(unsigned values, unsigned storageBytes, bool interpolatedWalls) {
  constexpr std::uint64_t sector = 32;
  TileCosts costs;
  costs.tile = std::uint64_t{2} * tiler::tileNodes * values * storageBytes +
               static_cast<std::uint64_t>(stage::neighbourBytes);
  costs.maskedTile = 1200;
  if (interpolatedWalls) costs.wallLink = 220;
  costs.links =
      values == 27
          ? preprocess::geometry::linkBits
          : preprocess::geometry::directionBits(preprocess::geometry::Neighbours::Eighteen);
  costs.openingLink =
      static_cast<std::uint64_t>(stage::openingLinkBytes) + sector * (values / 2) + sector;
  return costs;
}

std::vector<std::uint64_t> costsOfTiles(const TiledGeometry& geometry, const TileCosts& costs) {
  std::vector<std::uint64_t> cost(geometry.tiles());
  stage::parallelFor(cost.size(), [&](std::size_t t) {
    const std::uint8_t flags = geometry.tileFlags[t];
    const bool masked = (flags & tiler::tileAllFluid) == 0;
    cost[t] = costs.tile + (masked ? costs.maskedTile : 0);
    if (costs.wallLink == 0 && (flags & tiler::tileHasOpening) == 0) return;
    const LinkCounts links = countLinks(geometry, t, costs.links);
    cost[t] += costs.wallLink * links.walls + costs.openingLink * links.openings;
  });
  return cost;
}

std::vector<std::uint64_t> costsOfTiles(const tiler::file::TilesIndex& index,
                                        const TileCosts& costs) {
  std::vector<std::uint64_t> cost(index.outline.tiles());
  const bool leavesOut =
      costs.links != preprocess::geometry::linkBits && index.outline.dimensions == 3;
  stage::parallelFor(cost.size(), [&](std::size_t t) {
    const bool masked = (index.outline.tileFlags[t] & tiler::tileAllFluid) == 0;
    const std::uint64_t openings = index.openingLinks[t];
    const std::uint64_t walls =
        index.outline.linkStart[t + 1] - index.outline.linkStart[t] - openings;
    cost[t] = costs.tile + (masked ? costs.maskedTile : 0) + costs.openingLink * openings +
              costs.wallLink * (leavesOut ? walls * 5 / 9 : walls);
  });
  return cost;
}

Partition partitionTiles(const TiledGeometry& geometry, int ranks, const TileCosts& costs) {
  return partitionByCost(geometry, ranks, costsOfTiles(geometry, costs));
}

Partition partitionByCost(const TiledGeometry& geometry, int ranks,
                          const std::vector<std::uint64_t>& costOfTile) {
  if (ranks < 1)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("the geometry cannot be divided among {} ranks; at least 1 is required",
                            ranks));
  if (static_cast<std::size_t>(ranks) > geometry.tiles())
    stage::fail(stage::ExitCode::Usage,
                fmt::format("{} ranks are requested, but the geometry has {} tiles and each rank "
                            "needs one; use fewer ranks or a finer spacing",
                            ranks, geometry.tiles()));
  const bool inCells = geometry.tiles() / static_cast<std::size_t>(ranks) >= tilesForCells;
  const auto along = alongCurve(geometry, inCells ? columnCell : Int3{1, 1, 1});
  std::vector<std::uint64_t> sums;  // up to the end of each cell
  std::vector<std::size_t> ends;
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < along.size(); ++k) {
    sum += costOfTile[along[k].second];
    if (k + 1 < along.size() && along[k + 1].first == along[k].first) continue;
    sums.push_back(sum);
    ends.push_back(k + 1);
  }
  const std::vector<std::size_t> first = cuts(sums, static_cast<std::size_t>(ranks));
  Partition partition{std::vector<std::uint32_t>(along.size())};
  std::size_t k = 0;
  for (std::size_t r = 0; r + 1 < first.size(); ++r)
    for (const std::size_t end = ends[first[r + 1] - 1]; k < end; ++k)
      partition.rankOfTile[along[k].second] = static_cast<std::uint32_t>(r);
  return partition;
}

double balanceOf(const Partition& partition, const std::vector<std::uint64_t>& costOfTile,
                 int ranks) {
  std::vector<double> sums(static_cast<std::size_t>(ranks), 0.0);
  double all = 0.0;
  for (std::size_t t = 0; t < costOfTile.size(); ++t) {
    sums[partition.rankOfTile[t]] += static_cast<double>(costOfTile[t]);
    all += static_cast<double>(costOfTile[t]);
  }
  return *std::max_element(sums.begin(), sums.end()) * ranks / all;
}

}  // namespace tessera::solver::tiles
