// SPDX-License-Identifier: GPL-3.0-or-later
// scheme_choice: gains by hand, rows counted and measured, the verdict; divisions among devices.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "solver/bench/bench_geometry.hpp"
#include "tests/bench/structure_rule.hpp"
#include "tests/bench/structures_divided.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::paper;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::testing;
using namespace tessera::tiler::file;

namespace {

RuleRow row(const std::string& geometry, const std::string& structure, double memory,
            double mflups) {
  RuleRow row;
  row.geometry = geometry;
  row.real = true;
  row.nodes = 1000;
  row.precision = "f64";
  row.structure = structure;
  row.memoryPerNode = memory;
  row.mflups = Spread{mflups, mflups, mflups};
  return row;
}

const RuleRow& rowOf(const std::vector<RuleRow>& rows, const std::string& structure,
                     const std::string& precision) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const RuleRow& of) {
    return of.structure == structure && of.precision == precision;
  });
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

TEST_CASE("Scheme choice: gains against the better form of whole tiles", "[unit]") {
  // Two copies are faster, one holds less; lists in the faster of their orders.
  std::vector<RuleRow> rows{
      row("a", "tiles", 400, 110),        row("a", "tiles-in-place", 250, 100),
      row("a", "tiles-moments", 10, 900), row("a", "lists", 300, 90),
      row("a", "lists", 300, 132),        row("a", "lists-in-place", 180, 99)};
  std::vector<RuleGain> gains = gainsOf(rows);
  REQUIRE(gains.size() == 2);
  CHECK(gains[0].structure == "lists");
  CHECK(gains[0].memory == Approx(1.0 - 300.0 / 250));
  CHECK(gains[0].memoryOfTwoCopies == Approx(0.25));
  CHECK(gains[0].speed == Approx(0.2));
  CHECK(gains[0].passes());
  CHECK(gains[1].memory == Approx(0.28));
  CHECK(gains[1].speed == Approx(-0.1));
  CHECK(gains[1].passes());
  // Memory that all have alike counts too.
  for (RuleRow& of : rows) of.otherMemoryPerNode = 200;
  gains = gainsOf(rows);
  CHECK(gains[1].memory == Approx(1.0 - 380.0 / 450));
  CHECK_FALSE(gains[1].passes());
  CHECK(gainsOf({row("a", "lists", 1, 1)}).empty());
}

TEST_CASE("Scheme choice: five real geometries qualify, generated ones do not count", "[unit]") {
  std::vector<RuleRow> rows;
  for (const std::string name : {"a", "b", "c", "d"}) {
    rows.push_back(row(name, "tiles", 400, 100));
    rows.push_back(row(name, "lists-in-place", 200, 50));
    rows.push_back(row(name, "hybrid", 400, 109));
  }
  const auto addFifth = [&](bool real) {
    for (const char* structure : {"tiles", "lists-in-place"}) {
      rows.push_back(row("e", structure, structure[0] == 't' ? 400 : 200, 100));
      rows.back().real = real;
    }
  };
  const std::vector<RuleRow> four = rows;
  addFifth(false);
  CHECK_THAT(
      verdict(gainsOf(rows)),
      Catch::Contains(
          "lists-in-place   f64: faster on 0, smaller on 4 of 4 (than two copies on 4): does not"));
  rows = four;
  addFifth(true);
  const std::string text = verdict(gainsOf(rows));
  CHECK_THAT(text,
             Catch::Contains(
                 "lists-in-place   f64: faster on 0, smaller on 5 of 5 (than two copies on 5): "
                 "qualifies\n"));
  CHECK_THAT(
      text,
      Catch::Contains(
          "hybrid           f64: faster on 0, smaller on 0 of 4 (than two copies on 0): does not"));
}

TEST_CASE("Scheme choice: counted and measured rows have the same bytes", "[unit]") {
  const TilesFile tiles = builtInTiles({"spheres", {24, 24, 24}});
  RuleChoice choice;
  choice.backend = "cpu";
  choice.effort = {1, 0.001};
  const std::vector<RuleRow> measured = ruleRows("spheres", false, tiles, choice);
  choice.countOnly = true;
  const std::vector<RuleRow> counted = ruleRows("spheres", false, tiles, choice);
  for (const char* precision : {"f64", "f32"})
    for (const char* structure : {"tiles", "tiles-moments", "lists", "lists-in-place", "hybrid",
                                  "hybrid-tiles", "tiles-compact", "dense"}) {
      INFO(structure << " " << precision);
      const RuleRow& of = rowOf(counted, structure, precision);
      CHECK(of.bytesPerNode == Approx(rowOf(measured, structure, precision).bytesPerNode));
      CHECK(of.memoryPerNode == Approx(rowOf(measured, structure, precision).memoryPerNode));
      CHECK_FALSE(of.mflups);
      CHECK(rowOf(measured, structure, precision).mflups->median > 0.0);
    }
  CHECK(rowOf(counted, "lists", "f64").predictedMflups > 0.0);
  choice.countOnly = false;
  choice.precisions = {"f64"};
  choice.structures = {"hybrid-tiles"};
  const std::vector<RuleRow> some = ruleRows("spheres", false, tiles, choice);
  CHECK(std::count_if(some.begin(), some.end(),
                      [](const RuleRow& of) { return of.structure == "hybrid-tiles"; }) == 1);
  CHECK(some.size() == 3);  // tiles in two copies, of moments
  // Voxels have halfway walls: nodes of forces on walls alone.
  const double other = rowOf(counted, "lists", "f64").otherMemoryPerNode;
  CHECK(other > 0.0);
  CHECK(other < 50.0);
}

TEST_CASE("Scheme choice: the program writes both tables, and refuses wrong input", "[unit]") {
  const TemporaryFolder folder;
  const auto choose = [&](const std::string& arguments) {
    const int status = std::system(
        (std::string(TESSERA_BIN) + "/scheme_choice " + arguments + " >/dev/null 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const std::filesystem::path out = folder / "out";
  writeTilesFile(folder / "some.tiles", builtInTiles({"pack", {24, 40, 0}}).geometry,
                 newProvenance("t"));
  CHECK(choose((folder / "some.tiles").string() + " dense:16 --count -o " + out.string()) == 0);
  std::ifstream rows(out / "structures.csv"), gains(out / "gains.csv");
  std::string line, text;
  std::getline(rows, line);
  CHECK_THAT(line, Catch::StartsWith("geometry,real,fluid_nodes,porosity,utilisation,"));
  const std::vector<std::string> all((std::istream_iterator<std::string>(gains)), {});
  REQUIRE(all.size() > 1 + 2 * 2 * 3);
  CHECK_THAT(all[1], Catch::StartsWith("some,1,f64,"));
  CHECK_THAT(all.back(), Catch::StartsWith("dense:16,0,f32,"));
  CHECK(choose("no.tiles --count -o " + out.string()) == 3);
  CHECK(choose("dense:16 --repeats 0 -o " + out.string()) == 2);
  CHECK(choose("dense:16 --collision mrt -o " + out.string()) == 2);
  CHECK(choose("dense:16 --structure cells -o " + out.string()) == 2);
}

TEST_CASE("Devices: layers of equal number and of equal work", "[unit]") {
  // Half of the box along z is free, the other half half solid.
  const TilesFile tiles =
      imageGeometry({16, 16, 64}, [](int x, int, int z) { return z >= 32 || x % 2 == 0; },
                    {true, true, false}, {}, 1e-4, {0, 0, 0});
  CHECK(longestAxis(tiles.geometry) == 2);
  CHECK(equalLayers(tiles.geometry, 2, 2).starts == std::vector<int>{0, 32, 64});
  CHECK(equalLayers(tiles.geometry, 0, 3).starts == std::vector<int>{0, 4, 12, 16});
  const ComparatorInfo& lists =
      *std::find_if(comparators().begin(), comparators().end(),
                    [](const ComparatorInfo& info) { return info.name == "lists"; });
  const WorkOfSlabs work =
      workOfSlabs(tiles.geometry, 2, {&lists}, solver::comm::noOthers()).front();
  CHECK(work ==
        std::vector<std::int64_t>{128 * 16 * 376, 128 * 16 * 376, 256 * 16 * 376, 256 * 16 * 376});
  // 48 half full layers' worth on each side: 40 layers and 24.
  CHECK(balancedLayers(tiles.geometry, 2, 2, work).starts == std::vector<int>{0, 40, 64});
  CHECK(balancedLayers(tiles.geometry, 2, 2, {0, 0, 0, 7}).starts == std::vector<int>{0, 56, 64});
  // Each rank has a tile at least.
  CHECK(balancedLayers(tiles.geometry, 2, 3, {9, 0, 0, 0}).starts ==
        std::vector<int>{0, 4, 12, 64});
  CHECK(balancedLayers(tiles.geometry, 2, 3, {0, 0, 0, 1000}).starts.back() == 64);
  checkError(ExitCode::Usage, [&] { equalLayers(tiles.geometry, 0, 5); }, {"16", "5"});

  const Division division{2, {0, 40, 64}};
  const TilesFile first = layersOf(tiles.geometry, division, 0);
  const TilesFile second = layersOf(tiles.geometry, division, 1);
  CHECK(first.geometry.nodes == Int3{16, 16, 40});
  CHECK(first.geometry.fluidNodes == 32 * 128 + 8 * 256);
  CHECK(second.geometry.fluidNodes == 24 * 256);
  CHECK(second.geometry.periodic == std::array<bool, 3>{true, true, false});
  const solver::tiles::Partition partition = partitionOf(tiles.geometry, division);
  CHECK(std::accumulate(partition.rankOfTile.begin(), partition.rankOfTile.end(), 0U) == 6 * 16);
}
