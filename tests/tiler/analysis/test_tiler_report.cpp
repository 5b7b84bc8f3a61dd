// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tiler/analysis/analyse_tiling.hpp"
#include "tiler/analysis/transactions.hpp"
#include "tiler/tiler_report.hpp"

using namespace tessera;
using namespace tessera::preprocess;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::analysis;

namespace {
Covering describe(const LatticeGeometry& geometry, const Int3& offset) {
  return describeCovering(geometry, countTilesAtAllOffsets(geometry.fluid, geometry.dimensions),
                          offset);
}

std::string reportOf(const LatticeGeometry& geometry, const Int3& offset) {
  return reportJson(describe(geometry, offset), analyseTiling(coverWithTiles(geometry, offset)),
                    1e12);
}
}  // namespace

TEST_CASE("Tiler report: it has the contract's keys", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({8, 8, 4}), {false, false, false});
  const auto report = nlohmann::json::parse(reportOf(geometry, {0, 1, 0}));
  CHECK(report.at("tile") == std::vector{4, 4, 4});
  CHECK(report.at("offset") == std::vector{0, 1, 0});
  CHECK(report.at("tiles") == 6);
  CHECK(report.at("fluid_nodes") == 256);
  CHECK(report.at("utilisation").get<double>() == Approx(256.0 / 384.0));
  REQUIRE(report.at("offsets").size() == 64);
  CHECK(report.at("offsets").at(0).at("tiles") == 4);
  CHECK(report.at("offsets").at(5).at("offset") == std::vector{1, 1, 0});
  CHECK(report.at("offsets").at(5).at("tiles") == 9);
  CHECK(report.at("offsets").at(63).at("offset") == std::vector{3, 3, 3});
  CHECK(report.at("offsets").at(63).at("tiles") == 18);
  // Two copies of 19 numbers for each of 64 nodes of 6 tiles.
  CHECK(report.at("bytes").at("f64") == 2 * 19 * 64 * 6 * 8);
  CHECK(report.at("bytes").at("f32") == 2 * 19 * 64 * 6 * 4);
  CHECK(report.at("bytes").at("f16") == 2 * 19 * 64 * 6 * 2);
}

TEST_CASE("Tiler report: a covering of more tiles than an index can hold ends at its count",
          "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({8, 8, 4}), {false, false, false});
  OffsetCounts counts = countTilesAtAllOffsets(geometry.fluid, 3);
  RowSearch rows = searchRows(geometry.fluid);
  rows.tiles = std::uint64_t{1} << 31;
  sentenceOfError(ExitCode::BadInput, [&] { describeCovering(geometry, counts, rows); });
  counts.tiles[5] = std::uint64_t{1} << 31;
  CHECK(describeCovering(geometry, counts, Int3{0, 0, 0}).tiles == 4);
  const std::string sentence = sentenceOfError(ExitCode::BadInput, [&] {
    describeCovering(geometry, counts, Int3{1, 1, 0});
  });
  CHECK_THAT(sentence, Catch::Contains("2147483648 tiles"));
}

TEST_CASE("Tiler report: in two dimensions it has 8 x 8 tiles", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({16, 9, 1}), {false, false, true}, 2);
  const auto report = nlohmann::json::parse(reportOf(geometry, {0, 7, 0}));
  CHECK(report.at("tile") == std::vector{8, 8, 1});
  CHECK(report.at("tiles") == 4);
  CHECK(report.at("offsets").at(63).at("offset") == std::vector{7, 7, 0});
  CHECK(report.at("bytes").at("f64") == 2 * 9 * 64 * 4 * 8);
}

TEST_CASE("Tiler report: the predicted size is that of the arrays", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::randomLattice({21, 34, 17}, 0.6, 5, 9), {false, true, false});
  const Covering covering = describe(geometry, {1, 0, 3});
  const TiledGeometry tiled = coverWithTiles(geometry, {1, 0, 3});
  const auto bytes = [](const auto& array) { return array.size() * sizeof(array[0]); };
  CHECK(covering.tiles == tiled.tiles());
  CHECK(covering.fluidNodes == tiled.fluidNodes);
  CHECK(covering.utilisation() == tiled.utilisation());
  CHECK(covering.fileBytes() ==
        bytes(tiled.tileMap) + bytes(tiled.nonEmptyTiles) + bytes(tiled.nodeType) +
            bytes(tiled.tileFlags) + (tiled.tiles()) * 16 + bytes(tiled.boundaryLocal) +
            bytes(tiled.boundaryMask) + bytes(tiled.boundaryNormal) + bytes(tiled.linkDistance) +
            bytes(tiled.linkPatch) + bytes(tiled.surface.vertex) + bytes(tiled.surface.triangle) +
            bytes(tiled.surface.label));
}

TEST_CASE("Tiler report: it has the utilisation and the cost of storage", "[unit]") {
  // 9 x 8 x 4 nodes in a box that is all fluid: four full tiles and two with 16 nodes.
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({9, 8, 4}), {false, false, false});
  const auto report = nlohmann::json::parse(reportOf(geometry, {0, 0, 0}));
  REQUIRE(report.at("nodes_per_tile").size() == 64);
  CHECK(report.at("nodes_per_tile").at(63) == 4);
  CHECK(report.at("nodes_per_tile").at(15) == 2);
  CHECK(report.at("all_fluid_tiles") == 0);
  CHECK(report.at("porosity") == 1.0);
  CHECK(report.at("bandwidth_b_s") == 1e12);

  const auto& overheads = report.at("overheads");
  REQUIRE(overheads.size() == 15);
  const auto& tiles = overheads.at(0);
  CHECK(tiles.at("structure") == "tiles_two_copies");
  CHECK(tiles.at("precision") == "f64");
  const double eta = 288.0 / (6 * 64);
  CHECK(tiles.at("memory").get<double>() ==
        Approx((2.0 - eta) / eta + 1.0 / 152.0 / eta + 4.0 / 9728.0 / eta));
  CHECK(tiles.at("mflups").get<double>() ==
        Approx(1e6 / (304.0 * (1.0 + tiles.at("bandwidth").get<double>()))));
  // A dense box loses nothing to solid nodes.
  CHECK(overheads.at(4).at("bandwidth") == 0.0);

  const auto& transactions = report.at("transactions");
  REQUIRE(transactions.size() == 12);
  CHECK(transactions.at(0).at("full_tile").at("requested") == 464);
  CHECK(transactions.at(3).at("layouts") == "XYZ + YXZ + zigzagNE");
  CHECK(transactions.at(3).at("full_tile").at("requested") == 344);
  // Full tiles write 16 sectors a population; of those with one column of nodes each row is one.
  CHECK(transactions.at(0).at("geometry").at("written") == 19 * (4 * 16 + 2 * 16));
  CHECK(report.at("layouts").at("known").at(2).at("name") == "zigzagNE");
  CHECK(report.at("layouts").at("assignments").at(3).at("populations").size() == 19);
}

TEST_CASE("Tiler report: for a shifted tiling it has all but the ghost buffers", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::randomLattice({40, 30, 22}, 0.6, 7, 4), {false, false, false});
  const RowSearch search = searchRows(geometry.fluid);
  const TilingAnalysis analysis = analyseTiling(coverByMesh(geometry, search.mesh));
  const Covering covering =
      describeCovering(geometry, countTilesAtAllOffsets(geometry.fluid, 3), search);
  const auto report = nlohmann::json::parse(reportJson(covering, analysis, 1e12));
  CHECK_FALSE(report.contains("ghost_buffers"));
  REQUIRE(report.at("overheads").size() == 12);
  for (const auto& overhead : report.at("overheads"))
    CHECK(overhead.at("structure") != "tiles_ghost_buffers");
  REQUIRE(report.at("transactions").size() == 12);
  std::uint64_t sectors = 0;
  for (const int n : populationDirections(19))
    sectors += sectorsInRows(coverByMesh(geometry, search.mesh),
                             std::array{PopulationLayout{&tileLayouts()[0], n, 8}})
                   .at(0)
                   .requested;
  CHECK(report.at("transactions").at(0).at("geometry").at("requested") == sectors);
  const std::string text = analysisText(analysis, 1e12);
  CHECK_THAT(text, Catch::Contains("connectivity matrix") && Catch::Contains("zigzagNE") &&
                       Catch::Contains("ghost buffers"));
}

TEST_CASE("Tiler report: in two dimensions it leaves the layouts of 4 x 4 x 4 out", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({16, 16, 1}), {true, true, true}, 2);
  const auto report = nlohmann::json::parse(reportOf(geometry, {0, 0, 0}));
  CHECK(report.count("transactions") == 0);
  CHECK(report.at("all_fluid_tiles") == 4);
  CHECK(report.at("ghost_buffers").at("alpha") == 1.0);
  CHECK(report.at("overheads").at(2).at("memory").get<double>() == Approx(1.0 + 32.0 / 72.0));
}
