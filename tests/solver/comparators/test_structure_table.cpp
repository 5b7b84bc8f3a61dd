// SPDX-License-Identifier: GPL-3.0-or-later
// --plan --structures: counts by hand, those of --bench comparators, predicted speeds and the text.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/compare_structures.hpp"
#include "solver/bench/structure_shares.hpp"
#include "solver/bench/structure_table.hpp"
#include "solver/comparators/comparator.hpp"
#include "solver/domain/column_forms.hpp"
#include "solver/model/lattice/d3q19.hpp"
#include "solver/tiles/update_window.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

const StructurePlan& planOf(const std::vector<StructurePlan>& plans, const std::string& name) {
  const auto found = std::find_if(plans.begin(), plans.end(),
                                  [&](const StructurePlan& plan) { return plan.name == name; });
  REQUIRE(found != plans.end());
  return *found;
}

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

TEST_CASE("Structure table: tiles counted by hand", "[unit]") {
  // 8 x 4 x 4 nodes: two tiles, the second with one row of four nodes in its corner.
  const TilesFile tiles =
      imageGeometry({8, 4, 4}, [](int x, int y, int z) { return x < 4 || (y == 0 && z == 0); },
                    {true, true, true}, {}, 1e-4, {0, 0, 0});
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  REQUIRE(nodes.count() == 68);
  REQUIRE(nodes.tileOrder().tiles == 2);
  // Both tiles have 64 masks and 32 entries of neighbours, of 4 bytes.
  const double table = 2 * (32 + 64) * 4.0;
  const StructureBytes f64 = tileBytes(nodes, {19, 8});
  CHECK(f64.moved == 2 * 19 * 8 * 68.0 + table);
  CHECK(f64.held == 2 * 19 * 8 * 128.0 + table);
  // A sector has 8 values of f32; the row of four fills half of one.
  CHECK(tileBytes(nodes, {19, 4}).moved == 2 * 19 * 4 * 72.0 + table);
  const StructureBytes moments = tileBytes(nodes, {10, 8, 2});
  CHECK(moments.moved == 0.5 * (2 * 10 * 8 * 68.0 + table));
  CHECK(moments.held == 2 * 10 * 8 * 128.0 + table);
  CHECK_FALSE(tileBytesInPlace(nodes, {19, 8}));
  // A large box: between one copy and two.
  const TilesFile box = builtInTiles({"channel", {16, 16, 2048}});
  const FluidNodes many(box.geometry, NodeOrder::Curve);
  const auto inPlace = tileBytesInPlace(many, {19, 8});
  REQUIRE(inPlace);
  const double state = 19.0 * 8 * 64 * many.tileOrder().tiles;
  CHECK(inPlace->held > 1.01 * state);
  CHECK(inPlace->held < 1.5 * state);
  CHECK(inPlace->moved == tileBytes(many, {19, 8}).moved);
}

TEST_CASE("Structure table: the bytes of --bench comparators", "[unit]") {
  const TilesFile tiles = builtInTiles({"spheres", {24, 24, 24}});
  const auto nodes = static_cast<double>(tiles.geometry.fluidNodes);
  for (const unsigned valueBytes : {8U, 4U}) {
    const std::vector<StructurePlan> plans = planStructures(tiles.geometry, {valueBytes});
    const std::string table = benchComparators(tiles, {.backend = "cpu",
                                                       .precision = valueBytes == 8 ? "f64" : "f32",
                                                       .effort = BenchEffort{1, 0.001}});
    std::istringstream lines(table);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> header = cellsOf(line);
    const auto column = [&](const char* name) {
      return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) -
                                      header.begin());
    };
    const std::size_t moved = column("bytes_per_node"), held = column("memory_per_node");
    const std::size_t predicted = column("predicted_mflups");
    std::vector<std::array<double, 2>> predictions;  // printed, and for a bandwidth of 1
    std::size_t compared = 0;
    while (std::getline(lines, line)) {
      const std::vector<std::string> cells = cellsOf(line);
      INFO(cells[0]);
      const StructurePlan& plan = planOf(plans, cells[0]);
      REQUIRE(plan.bytes);
      CHECK(std::stod(cells[moved]) == Approx(plan.bytes->moved / nodes).margin(0.05));
      CHECK(std::stod(cells[held]) == Approx(plan.bytes->held / nodes).margin(0.05));
      ++compared;
      if (!plan.share) {
        CHECK(cells.size() == predicted);
        continue;
      }
      predictions.push_back(
          {std::stod(cells[predicted]), predictedMflups(plan, tiles.geometry.fluidNodes, 1.0)});
    }
    // All are of one bandwidth; one digit behind the point is printed.
    const std::array<double, 2> fastest = *std::max_element(predictions.begin(), predictions.end());
    const double bandwidth = fastest[0] / fastest[1];
    for (const auto& [printed, unit] : predictions)
      CHECK(printed == Approx(bandwidth * unit).epsilon(0.02).margin(0.1));
    CHECK(compared >= 2 * (plans.size() - 1));  // all but moments, LBGK and TRT
  }
}

TEST_CASE("Structure table: moments, tiles in place and passes of two steps", "[unit]") {
  const TilesFile tiles = builtInTiles({"channel", {16, 16, 2048}});
  const std::vector<StructurePlan> cpu = planStructures(tiles.geometry, {8});
  CHECK(std::none_of(cpu.begin(), cpu.end(),
                     [](const StructurePlan& plan) { return plan.name == "tiles-in-place"; }));
  const std::vector<StructurePlan> one = planStructures(tiles.geometry, {8, true, false});
  const std::vector<StructurePlan> two = planStructures(tiles.geometry, {8, true, true});
  CHECK(planOf(one, "tiles-in-place").bytes->held < planOf(one, "tiles").bytes->held);
  CHECK(planOf(two, "tiles-moments").bytes->moved ==
        2.0 * planOf(two, "tiles-moments-twice").bytes->moved);
  CHECK(one.size() + 1 == two.size());
  CHECK(planOf(one, "tiles").bytes->moved == planOf(two, "tiles").bytes->moved);
}

TEST_CASE("Structure table: predicted speeds, and a text of 80 columns", "[unit]") {
  std::vector<StructurePlan> plans{{"tiles", StructureBytes{400e6, 800e6}, 0.9},
                                   {"lists", StructureBytes{500e6, 500e6}, std::nullopt},
                                   {"tiles-compact", std::nullopt, std::nullopt}};
  // 4000 GB/s over 400 B, of which 90 %.
  CHECK(predictedMflups(plans[0], 1'000'000, 4e12) == Approx(9000.0));
  CHECK(predictedMflups(plans[1], 1'000'000, 4e12) == Approx(8000.0));
  CHECK(predictedMflups(plans[2], 1'000'000, 4e12) == 0.0);
  CHECK(predictedMflups(plans[0], 1'000'000, 0.0) == 0.0);
  const std::string text = structureText(plans, 1'000'000, {4e12, "measured by --bench"}, true);
  CHECK_THAT(text, Catch::Contains("90 %       9,000\n"));
  CHECK_THAT(text, Catch::Contains("-     < 8,000\n"));
  CHECK_THAT(text, Catch::Contains("tiles-compact        cannot store this geometry\n"));
  CHECK_THAT(text, Catch::Contains("copy bandwidth 4000 GB/s, measured by --bench"));
  CHECK_THAT(text, Catch::Contains("only lists in\n             place in f64 are 10 % faster"));
  const std::string onCpu = structureText(plans, 1'000'000, {}, false);
  CHECK_THAT(onCpu, Catch::Contains("copy bandwidth unknown"));
  CHECK_THAT(onCpu, Catch::Contains("Runs store whole tiles (--scheme): lists in place"));

  const TilesFile tiles = closedBox({7, 6, 9});
  const std::vector<StructurePlan> all = planStructures(tiles.geometry, {8, true, true});
  for (const bool cuda : {false, true}) {
    std::istringstream lines(
        structureText(all, tiles.geometry.fluidNodes, {4.25e12, "by a guess"}, cuda));
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("Structure table: of a plane, D2Q9", "[unit]") {
  const TilesFile tiles = closedBox({64, 64, 1});
  const std::vector<StructurePlan> plans = planStructures(tiles.geometry, {4, true, true});
  CHECK(planOf(plans, "lists").bytes->moved == 4096.0 * (2 * 9 * 4 + 8 * 4));
  CHECK(planOf(plans, "tiles").bytes->held > 4096.0 * 2 * 9 * 4);
  CHECK(planOf(plans, "tiles").bytes->held < 4096.0 * 2 * 9 * 4 * 1.2);
  for (const StructurePlan& plan : plans) {
    CHECK_FALSE(plan.share);
    CHECK(plan.name != "hybrid");
    CHECK(plan.name != "tiles-moments");
  }
}

TEST_CASE("Structure table: measured shares are of structures that exist", "[unit]") {
  const TilesFile tiles = builtInTiles({"channel", {16, 16, 2048}});
  for (const unsigned valueBytes : {8U, 4U}) {
    const std::vector<StructurePlan> cuda =
        planStructures(tiles.geometry, {valueBytes, true, true});
    const auto check = [&](std::string_view structure) {
      INFO(structure);
      const StructurePlan& plan = planOf(cuda, std::string(structure));
      REQUIRE(plan.share);
      CHECK((*plan.share > 0.1 && *plan.share <= 1.2));
    };
    for (const TimesOnGpu& of : timesOnGpu) check(of.structure);
    for (const PartTimesOnGpu& of : partTimesOnGpu) check(of.structure);
    const std::vector<StructurePlan> cpu = planStructures(tiles.geometry, {valueBytes});
    for (const SharesOnCpu& of : sharesOnCpu) {
      INFO(of.structure);
      const Shares& shares = valueBytes == 8 ? of.f64 : of.f32;
      CHECK(planOf(cpu, std::string(of.structure)).share == shares.back());
      for (const double share : shares) CHECK((share > 0.0 && share <= 1.0));
    }
  }
}

TEST_CASE("Structure table: no step on a GPU is shorter than its start, no large one than a copy",
          "[unit]") {
  for (const int length : {60, 400, 2400}) {
    const TilesFile tiles = builtInTiles({"channel", {16, 16, length}});
    for (const unsigned valueBytes : {8U, 4U})
      for (const StructurePlan& plan : planStructures(tiles.geometry, {valueBytes, true, true})) {
        if (!plan.share) continue;
        INFO(plan.name << ", " << length << ", " << valueBytes);
        const double copy = 1e6 * plan.bytes->moved / copyOfTimes;
        CHECK(copy / *plan.share >= 9.29);
        if (plan.bytes->moved > 120e6) CHECK(*plan.share <= 1.0);
      }
  }
}

TEST_CASE("Structure table: shares on a CPU between the measured utilisations", "[unit]") {
  static_assert(sharesOnCpu.front().structure == "tiles");
  const auto share = [](double utilisation, unsigned bytes) {
    return measuredShare("tiles", false, bytes, {utilisation}).value_or(0.0);
  };
  const Shares& at = utilisationsOfCpu;
  const Shares& f32 = sharesOnCpu.front().f32;
  for (std::size_t k = 0; k < at.size(); ++k) CHECK(share(at[k], 4) == Approx(f32[k]));
  CHECK(share(0.5 * (at[0] + at[1]), 4) == Approx(0.5 * (f32[0] + f32[1])));
  CHECK(share(0.1, 4) == f32[0]);
  CHECK(share(1.0, 8) == sharesOnCpu.front().f64[2]);
  CHECK_FALSE(measuredShare("no such structure", false, 8, {}));
}

TEST_CASE("Structure table: times on a GPU by bytes, emptiness and size", "[unit]") {
  // A step that copies for 1000 us, of half-full tiles in a box of which a ninth is fluid.
  const SharedGeometry large{0.5, 1.0 / 9.0, 1e-3 * copyOfTimes};
  const double copy = 1000.0;
  const auto time = [&](Empty empty, const SharedGeometry& geometry) {
    const TimesOnGpu of{"", empty, {1.1, 0.3, 900.0}, {2.0, 0.0, -1e9}};
    return 1e6 * geometry.movedBytes / copyOfTimes / shareOf(of, 8, geometry);
  };
  CHECK(time(Empty::Tiles, large) == Approx(std::sqrt(copy * copy * (1.1 + 0.3) + 900.0)));
  CHECK(time(Empty::Box, large) == Approx(std::sqrt(copy * copy * (1.1 + 0.6) + 900.0)));
  CHECK(time(Empty::Both, large) ==
        Approx(std::sqrt(copy * copy * (1.1 + 0.3 * std::sqrt(8.0)) + 900.0)));
  // A small one waits 30 us.
  const SharedGeometry small{1.0, 1.0, 1e-6 * copyOfTimes};
  CHECK(time(Empty::Tiles, small) == Approx(std::sqrt(1.1 + 900.0)));
  // A cache saves at most a sixth of what it can hold, and a start takes 9.3 us.
  const TimesOnGpu saving{"", Empty::Tiles, {}, {2.0, 0.0, -1e9}};
  CHECK(shareOf(saving, 4, {1.0, 1.0, 1e8}) == Approx(1.2));
  CHECK(shareOf(saving, 4, {1.0, 1.0, 1.3e8}) == Approx(1.0));
  CHECK(shareOf(saving, 4, small) == Approx(1.0 / 9.3));
  CHECK_FALSE(measuredShare("no such structure", true, 8, large));
}

TEST_CASE("Structure table: times on a GPU by the parts of a pass", "[unit]") {
  const PartTimesOnGpu of{"", {1.1, 0.2, 2.0, 5.0, 50.0}, {0.5, 0.0, 0.1, 0.0, 0.0}};
  const auto time = [&](unsigned valueBytes, const SharedGeometry& geometry) {
    return 1e6 * geometry.movedBytes / copyOfTimes / shareOf(of, valueBytes, geometry);
  };
  // Half-full tiles copied in 1000 us.
  const double bytes = 1e-3 * copyOfTimes;
  CHECK(time(8, {0.5, 1.0, bytes, 20.0}) == Approx(1000.0 * (1.1 + 0.2) + 2.0 * 20.0 + 5.0));
  CHECK(time(8, {0.5, 1.0, bytes, 40.0}) == Approx(50.0 * 40.0));
  CHECK(time(4, {0.5, 1.0, bytes, 8000.0}) == Approx(0.5 * 1000.0 + 0.1 * 8000.0));
  CHECK(time(4, {0.5, 1.0, bytes, 10.0}) == Approx(1000.0));  // no faster than a copy

  // 32 x 32 x 6 tiles: chunks of a 20th (f64) or a 9th (f32) and 8 tiles, columns of 4 x 4 tiles,
  // and of 8 x 4 for two steps in f32.
  const TilesFile box = builtInTiles({"channel", {128, 128, 24}});
  REQUIRE(box.geometry.tiles() == 6144);
  const auto parts = [&](const char* structure, unsigned valueBytes) {
    return partsOfPass(box.geometry, structure, valueBytes);
  };
  const tiles::TileOrder order =
      tiles::orderTiles(box.geometry, model::D3Q19::c, tiles::TileSequence::InLayers);
  for (const unsigned bytes : {8U, 4U}) {
    const tiles::StateWindow window =
        tiles::windowOf(order, model::StateId::Populations, bytes, true);
    REQUIRE(window.chunk == (bytes == 8 ? 307 + 8 : 682 + 8));
    CHECK(parts("tiles-in-place", bytes) == std::ceil(6144.0 / window.chunk));
  }
  CHECK(parts("tiles-moments", 8) == 64 * 6);
  CHECK(parts("tiles-moments", 4) == 64 * 6);
  CHECK(parts("tiles-moments-twice", 8) == 64 * 6);
  CHECK(parts("tiles-moments-twice", 4) == 32 * 6);
  CHECK(parts("lists", 8) == 0.0);
  // Layers without a tile do not count, those of a column with a single tile do.
  const std::vector<std::array<std::int32_t, 3>> single{{0, 0, 0}, {3, 3, 0}, {0, 0, 1},
                                                        {0, 0, 5}, {4, 0, 0}, {9, 9, 300}};
  CHECK(domain::columnLayers(single, {4, 4}) == 5);
  CHECK(domain::columnLayers(single, {8, 4}) == 4);
}

TEST_CASE("Structure table: bandwidth of a stored speed of this device", "[unit]") {
  const std::vector<StoredSpeed> stored{{"another", "v", 2, 100.0, 1.0, 1e9},
                                        {deviceOf(false), "v", 2, 100.0, 1.0, 2e9},
                                        {deviceOf(false), "v", 2, 100.0, 1.0, 3e9}};
  CHECK(expectedBandwidth(stored, false).value == 2e9);
  CHECK(expectedBandwidth({}, false).value > 1e8);
}
