// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/partition.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "pipelines/stage/chain_sizes.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "solver/tiles/box_curve.hpp"
#include "tiler/file/part_of_tiles.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::tiles {

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

// The first place of each rank and the end of the last: as near to equal sums as tiles allow, no
// rank empty.
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
    // Up to and with tile `at` it is too much, without it too little.
    const double before = at == 0 ? 0.0 : static_cast<double>(sums[at - 1]);
    if (static_cast<double>(sums[at]) - target <= target - before) ++at;
    first[r] = std::clamp(at, first[r - 1] + 1, tiles - (ranks - r));
  }
  return first;
}

}  // namespace

// tile: 64 nodes read and written, and the row of neighbours. That solid nodes cost as much as
// fluid ones, and what masks cost, is measured: one H200, TRT (solver/backend/README.md), in ns a
// tile, 64 x utilisation / GFLUPS, with the part m of tiles that have masks:
//   box 256^3          m 0.091   fp64 4.836   fp32 2.483
//   bent tube 730      m 0.180   fp64 4.847   fp32 2.522
//   spheres 352^3      m 0.537   fp64 4.958   fp32 2.625
// The first and the last give 4.811 + 0.272 m and 2.454 + 0.320 m, from which the tube is 0.3 % and
// 0.4 % off; at the speed of the bytes of a tile without masks these are 1,108 and 1,284 bytes,
// more than the 256 of the masks because their tiles take another way through the kernel. A wall
// link of the pass: on one core a tube of 17,730 tiles and 385,676 links takes 33.6 ms a step in
// fp64 and 19.1 ms in fp32, with walls "bouzidi" 9.5 ms and 7.8 ms more, of user time, which is 255
// and 185 bytes a link at the speed of the others. Of an opening's link: its record, half of the
// sectors of its node's populations (those beside it read the same ones) and one written: counted
// in the code, not measured.
TileCosts tileCosts(unsigned values, unsigned storageBytes, bool interpolatedWalls) {
  constexpr std::uint64_t sector = 32;
  TileCosts costs;
  costs.tile = std::uint64_t{2} * tiler::tileNodes * values * storageBytes +
               static_cast<std::uint64_t>(stage::rowBytes);
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

std::vector<std::uint32_t> tilesAlongCurve(const TiledGeometry& geometry) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> places(geometry.tiles());
  stage::parallelFor(places.size(), [&](std::size_t t) {
    places[t] = {placeOnCurve(geometry.grid, geometry.nonEmptyTiles[t]),
                 static_cast<std::uint32_t>(t)};
  });
  tbb::parallel_sort(places.begin(), places.end());
  std::vector<std::uint32_t> tiles(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) tiles[k] = places[k].second;
  return tiles;
}

Partition partitionTiles(const TiledGeometry& geometry, int ranks, const TileCosts& costs) {
  return partitionByCost(geometry, ranks, costsOfTiles(geometry, costs));
}

Partition partitionByCost(const TiledGeometry& geometry, int ranks,
                          const std::vector<std::uint64_t>& costOfTile) {
  if (ranks < 1)
    stage::fail(stage::ExitCode::Usage, "the geometry cannot be divided among " +
                                            std::to_string(ranks) +
                                            " ranks, expected is at least 1");
  if (static_cast<std::size_t>(ranks) > geometry.tiles())
    stage::fail(stage::ExitCode::Usage,
                std::to_string(ranks) + " ranks were asked for, but the geometry has " +
                    std::to_string(geometry.tiles()) +
                    " tiles and each rank needs one; use fewer ranks or a finer spacing");
  const std::vector<std::uint32_t> along = tilesAlongCurve(geometry);
  std::vector<std::uint64_t> sums(along.size());
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < along.size(); ++k) sums[k] = sum += costOfTile[along[k]];
  const std::vector<std::size_t> first = cuts(sums, static_cast<std::size_t>(ranks));
  Partition partition{std::vector<std::uint32_t>(along.size())};
  for (std::size_t r = 0; r + 1 < first.size(); ++r)
    for (std::size_t k = first[r]; k < first[r + 1]; ++k)
      partition.rankOfTile[along[k]] = static_cast<std::uint32_t>(r);
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
