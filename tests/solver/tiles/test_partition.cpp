// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges of tiles along a curve, and the values that ranks read of each other.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "preprocess/file/node_types.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/scaling.hpp"
#include "solver/model/lattice/d2q9.hpp"
#include "solver/model/lattice/d3q19.hpp"
#include "solver/model/lattice/d3q27.hpp"
#include "solver/model/populations.hpp"
#include "solver/tiles/partition.hpp"
#include "solver/tiles/tile_order.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tiler/file/part_of_tiles.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::bench;
using namespace tessera::solver::model;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// With tiles in rows, periodic faces that tiles do not meet, openings, and one node thick.
struct Named {
  std::string name;
  TilesFile tiles;
};

std::vector<Named> geometries() {
  std::vector<Named> all;
  for (const char* word : {"vessel:200", "porous:96", "spheres:96", "dense:64"})
    all.push_back({word, builtInTiles(*builtInNamed(word))});
  all.push_back({"rows", shiftedTiles(builtInLattice(*builtInNamed("porous:64")), {0, 1, 2})});
  all.push_back(
      {"open and periodic", imageGeometry({37, 30, 22}, strewn(0.8), {false, true, true},
                                          {{0, false, 1}, {0, true, 2}}, 1e-4, {1, 2, 3})});
  all.push_back({"periodic, whole tiles", imageGeometry({40, 24, 16}, strewn(0.7),
                                                        {true, true, true}, {}, 1e-4, {0, 0, 0})});
  all.push_back({"2D", imageGeometry({203, 90, 1}, strewn(0.8), {true, false, true}, {}, 1e-4,
                                     {0, 0, 0}, 2)});
  return all;
}

std::vector<std::uint32_t> tilesAlongCurve(const TiledGeometry& g) {
  std::map<std::uint64_t, std::uint32_t> tiles;
  for (std::uint32_t t = 0; t < g.tiles(); ++t) tiles[curveIndex(g.grid, g.nonEmptyTiles[t])] = t;
  std::vector<std::uint32_t> along;
  for (const auto& [place, tile] : tiles) along.push_back(tile);
  return along;
}

std::span<const std::array<int, 3>> velocitiesOf(const TiledGeometry& g) {
  if (g.dimensions == 2) return D2Q9::c;
  return D3Q19::c;
}

constexpr int rankCounts[]{1, 2, 3, 4, 7, 8, 13, 32, 64};

// --- halos by other ways -------------------------------------------------------------------------

std::int64_t tileOf(const TiledGeometry& g, const Int3& node) {
  const TilePlace place = g.placeOf(node);
  return g.tileAt(place.tile[0], place.tile[1], place.tile[2]);
}

bool isFluid(const TiledGeometry& g, const Int3& node) {
  for (std::size_t a = 0; a < 3; ++a)
    if (node[a] < 0 || node[a] >= g.nodes[a]) return false;
  const std::int64_t t = tileOf(g, node);
  return t >= 0 && g.nodeType[static_cast<std::size_t>(t * tileNodes + g.placeOf(node).local)] !=
                       static_cast<std::uint8_t>(NodeType::Solid);
}

// (source node, direction, reader) of all pairs of fluid nodes that two ranks own.
using Crossing = std::tuple<Int3, std::size_t, std::uint32_t>;
std::set<Crossing> crossings(const TiledGeometry& g, const Partition& partition) {
  std::set<Crossing> all;
  const auto velocities = velocitiesOf(g);
  for (int z = 0; z < g.nodes[2]; ++z)
    for (int y = 0; y < g.nodes[1]; ++y)
      for (int x = 0; x < g.nodes[0]; ++x) {
        if (!isFluid(g, {x, y, z})) continue;
        const std::uint32_t reader =
            partition.rankOfTile[static_cast<std::size_t>(tileOf(g, {x, y, z}))];
        for (std::size_t i = 1; i < velocities.size(); ++i) {
          Int3 from{x - velocities[i][0], y - velocities[i][1], z - velocities[i][2]};
          for (std::size_t a = 0; a < 3; ++a)
            if (g.periodic[a]) from[a] = (from[a] + g.nodes[a]) % g.nodes[a];
          if (!isFluid(g, from)) continue;
          const std::uint32_t owner =
              partition.rankOfTile[static_cast<std::size_t>(tileOf(g, from))];
          if (owner != reader) all.insert({from, i, reader});
        }
      }
  return all;
}

// Values that kernels gather of other ranks by neighbour table and masks, with the copies that fill
// ghosts; a count.
std::size_t gathered(const TiledGeometry& g, const Partition& partition) {
  const TileOrder order = orderTiles(g, D3Q19::c);
  std::vector<std::size_t> tileOfSlot(order.tiles);
  for (std::size_t t = 0; t < g.tiles(); ++t) tileOfSlot[order.slotOfTile[t]] = t;
  using Target = std::tuple<std::uint32_t, int, int>;  // slot, local, direction
  std::map<Target, std::uint32_t> copied;
  for (const PeriodicCopy& copy : order.copies)
    copied[{copy.toSlot, copy.toLocal, copy.direction}] = copy.fromSlot;
  std::set<Target> incoming;
  for (const OpeningLink& link : order.openingLinks)
    incoming.insert({link.targetSlot, link.targetLocal, ((link.direction - 1) ^ 1) + 1});
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < order.tiles; ++s) {
    const std::int32_t* const row = &order.neighbourTable[std::size_t{s} * neighbourStride];
    for (int l = 0; l < tileNodes; ++l) {
      const std::uint32_t mask =
          row[maskEntry] < 0 ? 0
                             : order.masks[static_cast<std::size_t>(row[maskEntry]) * tileNodes +
                                           static_cast<std::size_t>(l)];
      if ((mask >> solidBit & 1U) != 0) continue;
      for (int i = 1; i < D3Q19::q; ++i) {
        const auto& c = D3Q19::c[static_cast<std::size_t>(i)];
        if ((mask >> directionOf(-c[0], -c[1], -c[2]) & 1U) != 0) continue;
        int step[3], in[3];
        for (int a = 0; a < 3; ++a) {
          const int at = (l >> 2 * a & 3) - c[static_cast<std::size_t>(a)];
          step[a] = at < 0 ? -1 : at > 3 ? 1 : 0;
          in[a] = at & 3;
        }
        auto slot = static_cast<std::uint32_t>(row[directionOf(step[0], step[1], step[2])]);
        const Target target{slot, in[0] + 4 * in[1] + 16 * in[2], i};
        if (incoming.count(target) != 0) continue;
        if (const auto found = copied.find(target); found != copied.end()) slot = found->second;
        if (slot >= order.tiles) FAIL("gathered from a ghost that nothing fills");
        count += partition.rankOfTile[tileOfSlot[slot]] != partition.rankOfTile[tileOfSlot[s]];
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("Partition: the curve visits each cell of a box once, each next to the one before",
          "[unit]") {
  for (const Int3& size : {Int3{1, 1, 1},
                           {2, 2, 2},
                           {8, 8, 8},
                           {16, 16, 16},
                           {6, 4, 2},
                           {40, 12, 22},
                           {4, 4, 100},
                           {100, 4, 4},
                           {64, 64, 1},
                           {1, 30, 18},
                           {1, 1, 9},
                           {7, 5, 3},
                           {25, 25, 1},
                           {5, 41, 17}}) {
    CAPTURE(size[0], size[1], size[2]);
    Int3 even = size;
    for (int& side : even) side += side > 1 ? side % 2 : 0;
    const auto cells = static_cast<std::size_t>(even[0] * even[1] * even[2]);
    std::vector<Int3> at(cells, {-9, -9, -9});
    std::size_t twice = 0;
    for (int z = 0; z < even[2]; ++z)
      for (int y = 0; y < even[1]; ++y)
        for (int x = 0; x < even[0]; ++x) {
          const std::uint64_t place = curveIndex(size, {x, y, z});
          if (place >= cells) FAIL("a place beyond the box");
          twice += at[place][0] != -9;
          at[place] = {x, y, z};
        }
    CHECK(twice == 0);
    std::size_t jumps = 0;
    for (std::size_t k = 1; k < cells; ++k)
      jumps += std::abs(at[k][0] - at[k - 1][0]) + std::abs(at[k][1] - at[k - 1][1]) +
                   std::abs(at[k][2] - at[k - 1][2]) !=
               1;
    CHECK(jumps == 0);
  }
}

TEST_CASE("Partition: ranks own ranges of tiles along the curve, of equal cost to a tile",
          "[unit]") {
  for (const auto& [name, tiles] : geometries()) {
    const TiledGeometry& g = tiles.geometry;
    const std::vector<std::uint32_t> along = tilesAlongCurve(g);
    CHECK(std::set<std::uint32_t>(along.begin(), along.end()).size() == g.tiles());
    for (const bool interpolated : {false, true}) {
      const TileCosts costs = tileCosts(19, 8, interpolated);
      const std::vector<std::uint64_t> cost = costsOfTiles(g, costs);
      const auto dearest = static_cast<double>(*std::max_element(cost.begin(), cost.end()));
      for (const int ranks : rankCounts) {
        CAPTURE(name, interpolated, ranks, g.tiles());
        const Partition partition = partitionTiles(g, ranks, costs);
        REQUIRE(partition.rankOfTile.size() == g.tiles());
        std::vector<double> sum(static_cast<std::size_t>(ranks), 0.0);
        std::uint32_t last = 0;
        for (const std::uint32_t t : along) {
          const std::uint32_t rank = partition.rankOfTile[t];
          if (rank != last && rank != last + 1) FAIL("a range is broken");
          last = rank;
          sum[rank] += static_cast<double>(cost[t]);
        }
        CHECK(last + 1 == static_cast<std::uint32_t>(ranks));
        double all = 0.0;
        for (const double part : sum) all += part;
        for (const double part : sum) CHECK(std::abs(part - all / ranks) <= dearest);
        const double balance = balanceOf(partition, cost, ranks);
        CHECK(balance == Approx(*std::max_element(sum.begin(), sum.end()) * ranks / all));
        if (dearest < 0.02 * all / ranks) CHECK(balance <= 1.02);
      }
    }
  }
}

TEST_CASE("Partition: large parts own whole cells, of equal cost to a cell", "[unit]") {
  TiledGeometry g;
  g.grid = {61, 41, 38};
  const auto fluid = strewn(0.9);
  for (int z = 0; z < g.grid[2]; ++z)
    for (int y = 0; y < g.grid[1]; ++y)
      for (int x = 0; x < g.grid[0]; ++x)
        if (fluid(x, y, z)) g.nonEmptyTiles.push_back({x, y, z});
  std::vector<std::uint64_t> cost(g.tiles());
  for (std::size_t t = 0; t < cost.size(); ++t) cost[t] = 100 + t % 7;
  const double all = static_cast<double>(std::accumulate(cost.begin(), cost.end(), 0ULL));
  for (const int ranks : {2, 3}) {
    const bool large = g.tiles() / static_cast<std::size_t>(ranks) >= 32768;
    CHECK(large == (ranks == 2));
    const Partition partition = partitionByCost(g, ranks, cost);
    std::map<Int3, std::set<std::uint32_t>> owners;
    std::vector<double> sum(static_cast<std::size_t>(ranks), 0.0);
    for (std::size_t t = 0; t < g.tiles(); ++t) {
      const Int3& at = g.nonEmptyTiles[t];
      owners[{at[0] / columnCell[0], at[1] / columnCell[1], at[2] / columnCell[2]}].insert(
          partition.rankOfTile[t]);
      sum[partition.rankOfTile[t]] += static_cast<double>(cost[t]);
    }
    const auto shared =
        std::ranges::count_if(owners, [](const auto& cell) { return cell.second.size() > 1; });
    CHECK((shared == 0) == large);
    for (const double part : sum) CHECK(std::abs(part - all / ranks) <= (large ? 128 * 106 : 106));
  }
}

TEST_CASE("Tile order: whole cells that hold border tiles are the border", "[unit]") {
  const TilesFile tiles = builtInTiles(*builtInNamed("vessel:200"));
  for (const int ranks : {2, 3})
    for (int rank = 0; rank < ranks; ++rank) {
      const PartOfGeometry part =
          partOf(tiles.geometry, partitionTiles(tiles.geometry, ranks), rank);
      const TileOrder order = orderTiles(part.geometry, D3Q19::c, TileSequence::InColumns,
                                         part.part, BorderTiles::FirstInCells);
      std::map<Int3, std::set<TileRole>> rolesOf;
      const auto cellOf = [&](std::size_t t) {
        const Int3& at = part.geometry.nonEmptyTiles[t];
        return Int3{at[0] / columnCell[0], at[1] / columnCell[1], at[2] / columnCell[2]};
      };
      for (std::size_t t = 0; t < part.geometry.tiles(); ++t)
        rolesOf[cellOf(t)].insert(part.part.role[t]);
      std::uint32_t border = 0;
      for (std::size_t t = 0; t < part.geometry.tiles(); ++t) {
        if (!part.part.owns(t)) continue;
        const bool first = order.slotOfTile[t] < order.border;
        border += first ? 1 : 0;
        CHECK(first == rolesOf[cellOf(t)].contains(TileRole::Border));
      }
      CHECK(border == order.border);
      CHECK(border > 0);
      CHECK(border < order.tiles);
    }
}

TEST_CASE("Partition: as many ranks as tiles have one each, also where some cost much more",
          "[unit]") {
  const TilesFile tiles =
      imageGeometry({16, 16, 8}, strewn(0.5), {}, {{0, false, 1}, {0, true, 2}}, 1e-4, {0, 0, 0});
  const TiledGeometry& g = tiles.geometry;
  const auto count = static_cast<int>(g.tiles());
  for (int ranks = 1; ranks <= count; ++ranks) {
    const Partition partition =
        partitionTiles(g, ranks, {1, 0, 100, 1000, tileCosts(19, 4, true).links});
    std::set<std::uint32_t> owners(partition.rankOfTile.begin(), partition.rankOfTile.end());
    CHECK(owners.size() == static_cast<std::size_t>(ranks));
  }
  checkError(ExitCode::Usage, [&] { partitionTiles(g, count + 1); },
             {std::to_string(count + 1), std::to_string(count)});
  checkError(ExitCode::Usage, [&] { partitionTiles(g, 0); }, {"1"});
}

TEST_CASE("Partition: the cost of a tile counts its masks, its interpolated walls and its openings",
          "[unit]") {
  const TilesFile tiles = imageGeometry({12, 12, 12}, [](int, int, int) { return true; }, {},
                                        {{0, false, 1}}, 1e-4, {0, 0, 0});
  const std::uint32_t directions = tileCosts(19, 4, true).links;
  CHECK(std::popcount(directions) == 18);
  const auto cost = costsOfTiles(tiles.geometry, {10'000'000, 1'000'000, 1000, 1, directions});
  const auto at = [&](int x, int y, int z) {
    return cost[static_cast<std::size_t>(tiles.geometry.tileAt(x, y, z))];
  };
  CHECK(at(1, 1, 1) == 10'000'000);
  // 16 nodes with five of D3Q19's links each out of a face.
  CHECK(at(2, 1, 1) == 11'000'000 + 80 * 1000);
  CHECK(at(0, 1, 1) == 11'000'000 + 80);
  CHECK(tileCosts(19, 4, false).wallLink == 0);
}

TEST_CASE("Partition: the index of a file divides walls nearly as well as their links do",
          "[unit]") {
  const TileCosts costs = tileCosts(19, 4, true);
  const TemporaryFolder folder;
  OneProcess alone;
  for (const char* word : {"vessel:200", "porous:96"}) {
    INFO(word);
    const TiledGeometry g = builtInTiles(*builtInNamed(word)).geometry;
    writeTilesFile(folder / "a.tiles", g, newProvenance("test"));
    const TilesIndex index = readTilesIndex(folder / "a.tiles", alone);
    const auto balance = [&](const TileCosts& known) {
      return balanceOf(partitionByCost(g, 8, costsOfTiles(index, known)), costsOfTiles(g, costs),
                       8);
    };
    const double without = balance(tileCosts(19, 4, false));
    CAPTURE(without, balance(costs));
    CHECK(balance(costs) < 1.01);
    CHECK(balance(costs) - 1.0 < 0.5 * (without - 1.0));
  }
}

TEST_CASE("Partition: halves of a box read five populations for each node of the face between them",
          "[unit]") {
  const TilesFile tiles = builtInTiles(*builtInNamed("dense:64"));
  const TileCosts costs = tileCosts(19, 8, false);
  const Partition partition = partitionTiles(tiles.geometry, 2, costs);
  const auto ranks = haloStatistics(tiles.geometry, D3Q19::c, partition, 2, costs);
  for (const RankStatistics& rank : ranks) {
    CHECK(rank.tiles == 2048);
    CHECK(rank.fluidNodes == 64 * 64 * 32);
    CHECK(rank.neighbours == 1);
    CHECK(rank.populationsIn == 64 * 64 + 4 * 63 * 64);
    CHECK(rank.populationsOut == rank.populationsIn);
    CHECK(rank.nodesIn == 64 * 64);
    CHECK(rank.nodesOut == 64 * 64);
    CHECK(rank.borderTiles == 256);
    CHECK(rank.ghostTiles == 256);
    CHECK(haloBytes(rank, false, 19, 8).in == 8.0 * (64 * 64 + 4 * 63 * 64));
    CHECK(haloBytes(rank, true, 10, 4).out == 4.0 * 10 * 64 * 64);
  }
  const auto full = haloStatistics(tiles.geometry, D3Q27::c, partition, 2, costs);
  CHECK(full[0].populationsIn == 64 * 64 + 4 * 63 * 64 + 4 * 63 * 63);
}

TEST_CASE("Partition: halos hold exactly the exchange between pairs of fluid nodes", "[unit]") {
  for (const auto& [name, tiles] : geometries()) {
    const TiledGeometry& g = tiles.geometry;
    for (const int ranks : {1, 3, 8}) {
      CAPTURE(name, ranks);
      const TileCosts costs = tileCosts(19, 4, false);
      const Partition partition = partitionTiles(g, ranks, costs);
      const auto found = haloStatistics(g, velocitiesOf(g), partition, ranks, costs);
      std::vector<RankStatistics> expected(static_cast<std::size_t>(ranks));
      std::vector<std::set<std::uint32_t>> met(expected.size());
      std::vector<std::set<std::int64_t>> ghosts(expected.size()), border(expected.size());
      std::set<std::pair<Int3, std::uint32_t>> nodes;
      for (const auto& [from, direction, reader] : crossings(g, partition)) {
        const std::int64_t t = tileOf(g, from);
        const std::uint32_t owner = partition.rankOfTile[static_cast<std::size_t>(t)];
        ++expected[reader].populationsIn;
        ++expected[owner].populationsOut;
        met[reader].insert(owner);
        met[owner].insert(reader);
        ghosts[reader].insert(t);
        border[owner].insert(t);
        if (!nodes.insert({from, reader}).second) continue;
        ++expected[reader].nodesIn;
        ++expected[owner].nodesOut;
      }
      std::uint64_t fluid = 0, own = 0;
      for (std::size_t r = 0; r < expected.size(); ++r) {
        CHECK(found[r].populationsIn == expected[r].populationsIn);
        CHECK(found[r].populationsOut == expected[r].populationsOut);
        CHECK(found[r].nodesIn == expected[r].nodesIn);
        CHECK(found[r].nodesOut == expected[r].nodesOut);
        CHECK(found[r].neighbours == met[r].size());
        CHECK(found[r].ghostTiles == ghosts[r].size());
        CHECK(found[r].borderTiles == border[r].size());
        fluid += found[r].fluidNodes;
        own += found[r].tiles;
      }
      CHECK(fluid == g.fluidNodes);
      CHECK(own == g.tiles());
    }
  }
}

TEST_CASE(
    "Partition: halos are the entries that kernels gather by neighbour table, masks and copies",
    "[unit]") {
  for (const auto& [name, tiles] : geometries()) {
    const TiledGeometry& g = tiles.geometry;
    if (g.dimensions == 2 || g.isShifted()) continue;
    CAPTURE(name);
    const TileCosts costs = tileCosts(19, 4, false);
    const Partition partition = partitionTiles(g, 5, costs);
    std::uint64_t sum = 0;
    for (const RankStatistics& rank : haloStatistics(g, D3Q19::c, partition, 5, costs))
      sum += rank.populationsIn;
    CHECK(sum == gathered(g, partition));
  }
}
