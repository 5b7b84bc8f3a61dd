// SPDX-License-Identifier: GPL-3.0-or-later
// Parts made larger against parts that are larger.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/bench/scaling_beds.hpp"
#include "tests/bench/scaling_model.hpp"

using namespace tessera;
using namespace tessera::solver::bench;
using namespace tessera::solver::tiles;
using namespace tessera::tiler;
using namespace tessera::scaling;

TEST_CASE("Scaling prediction: parts grow as their volume, and their exchange as their surface",
          "[unit]") {
  const TileCosts costs = tileCosts(19, 8, false);
  const ByRanks small = countParts(geometryOf("box", "dense:64"), {2, 8}, costs);
  const ByRanks large = countParts(geometryOf("box", "dense:128"), {2, 8}, costs);
  for (const int ranks : {2, 8})
    for (std::size_t r = 0; r < small.at(ranks).size(); ++r) {
      const RankStatistics found = grown(small.at(ranks)[r], 8.0);
      const RankStatistics& counted = large.at(ranks)[r];
      CHECK(found.tiles == counted.tiles);
      CHECK(found.fluidNodes == counted.fluidNodes);
      // Without edges, of which a large box has fewer.
      CHECK(double(found.borderTiles) == Approx(double(counted.borderTiles)).epsilon(0.08));
      CHECK(double(found.populationsIn) == Approx(double(counted.populationsIn)).epsilon(0.03));
    }
  CHECK(grownError(small, large, 2) == Approx(1.0).epsilon(0.01));
}

TEST_CASE("Scaling prediction: a rock of an eighth of the nodes predicts the rock", "[unit]") {
  const TileCosts costs = tileCosts(19, 8, false);
  const ByRanks small = countParts(geometryOf("rock", "porous:64"), {8}, costs);
  const ByRanks large = countParts(geometryOf("rock", "porous:128"), {8}, costs);
  CHECK(grownError(small, large, 8) == Approx(1.0).epsilon(0.15));
}

TEST_CASE("Scaling prediction: weak scaling has the requested nodes, and one rank loses nothing",
          "[unit]") {
  const Geometry box = geometryOf("box", "dense:64");
  const ByRanks parts = countParts(box, {1, 8}, tileCosts(19, 8, false));
  const StoredState f64{false, 19, 8};
  const Row alone = predict("box", parts.at(1), 1e7, f64, {});
  CHECK(alone.time.efficiency == Approx(1.0));
  // 1.6e5 tiles of 19,584 bytes, some with masks, and a launch.
  CHECK(alone.time.slowest.step > 1e7 / 64 * 19584 / (0.955 * 4.26e12));
  CHECK(alone.time.slowest.step < 1.05 * 1e7 / 64 * 19584 / (0.955 * 4.26e12));
  const Row eight = predict("box", parts.at(8), 8e7, f64, {});
  CHECK(eight.factor == Approx(8e7 / (64 * 64 * 64)));
  CHECK(eight.time.efficiency < 1.0);
  CHECK(eight.time.efficiency > 0.9);
  const ByRanks single = countParts(box, {8}, tileCosts(19, 4, false));
  const Row half = predict("box", single.at(8), 8e7, {false, 19, 4}, {});
  CHECK(half.haloBytes == Approx(0.5 * eight.haloBytes));
  CHECK(half.time.slowest.compute < 0.56 * eight.time.slowest.compute);
}

TEST_CASE(
    "Scaling prediction: a river bed in equal blocks is unbalanced, divided by cost it is not",
    "[unit]") {
  const std::vector<Bed> both = beds(104, 10.4);
  const TiledGeometry& river = both[1].tiles.geometry;
  const std::vector<std::uint64_t> cost = costsOfTiles(river, tileCosts(19, 8, false));
  const Partition blocks = equalBlocks(river, 2);
  CHECK(*std::max_element(blocks.rankOfTile.begin(), blocks.rankOfTile.end()) == 7);
  const double even = balanceOf(partitionTiles(river, 8, tileCosts(19, 8, false)), cost, 8);
  CHECK(even < 1.005);
  CHECK(balanceOf(blocks, cost, 8) > even);
  // 100 % of the nodes above, 36 % below: 1 over the mean of both.
  CHECK(static_cast<double>(river.fluidNodes) / (104.0 * 104.0 * 104.0) ==
        Approx(0.678).margin(0.01));
  const std::string table = bedTable(both, 2);
  CHECK(std::count(table.begin(), table.end(), '\n') == 7);
}
