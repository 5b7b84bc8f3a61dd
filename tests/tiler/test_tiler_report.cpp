// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/tiler/plain_tiling.hpp"
#include "tiler/tiler_report.hpp"

using namespace tessera;

namespace {
Covering describe(const LatticeGeometry& geometry, const Int3& offset) {
  return describeCovering(geometry, countTilesAtAllOffsets(geometry.fluid, geometry.dimensions),
                          offset);
}
}  // namespace

TEST_CASE("The report has the contract's keys", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({8, 8, 4}), {false, false, false});
  const auto report = nlohmann::json::parse(reportJson(describe(geometry, {0, 1, 0})));
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

TEST_CASE("The report in two dimensions", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({16, 9, 1}), {false, false, true}, 2);
  const auto report = nlohmann::json::parse(reportJson(describe(geometry, {0, 7, 0})));
  CHECK(report.at("tile") == std::vector{8, 8, 1});
  CHECK(report.at("tiles") == 4);
  CHECK(report.at("offsets").at(63).at("offset") == std::vector{7, 7, 0});
  CHECK(report.at("bytes").at("f64") == 2 * 9 * 64 * 4 * 8);
}

TEST_CASE("The size foretold is that of the arrays", "[unit]") {
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
