// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that structures of the papers move and hold, compared with the papers' formulas, and the
// table of --bench comparators.
#include <algorithm>
#include <catch2/catch.hpp>

#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/compare_structures.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/solver/comparators/structure_flows.hpp"
#include "tiler/analysis/layouts.hpp"
#include "tiler/analysis/overhead.hpp"

using namespace tessera;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::analysis;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

StructureChoice quick(const std::string& precision) {
  return {.backend = "cpu", .precision = precision, .effort = BenchEffort{1, 0.001}};
}

}  // namespace

TEST_CASE("Comparators: bytes counted by the plan alone are those of the state", "[unit]") {
  const TilesFile tiles = spheres();
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
    if (info.collision != CollisionId::Bgk) continue;
    INFO(titleOf(info));
    const StructureBytes bytes = info.count(nodes, {});
    const auto state = info.makeCpu(nodes, {relaxation});
    CHECK(bytes.moved / nodes.count() == state->bytesPerNode());
    CHECK(bytes.held / nodes.count() == state->memoryPerNode());
    if (info.name.starts_with("lists") || info.name == "connectivity-matrix")
      CHECK(info.count(nodes, {{}, true}).moved > bytes.moved);
  }
}

TEST_CASE("Comparators: bytes moved a node are those of the papers", "[unit]") {
  const TilesFile tiles = vessel();
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  const auto bytes = [&](const char* name, PrecisionId precision) {
    return infoOf(name, CollisionId::Bgk, precision).makeCpu(nodes, {relaxation})->bytesPerNode();
  };
  // Suffa et al. 2024, Table 2.
  CHECK(bytes("lists", PrecisionId::F64) == Approx(2 * 19 * 8 + 18 * 4));
  CHECK(bytes("lists", PrecisionId::F32) == Approx(2 * 19 * 4 + 18 * 4));
  CHECK(bytes("lists-in-place", PrecisionId::F64) == Approx(2 * 19 * 8 + 9 * 4));
  CHECK(bytes("lists-in-place", PrecisionId::F32) == Approx(2 * 19 * 4 + 9 * 4));
  CHECK(bytes("connectivity-matrix", PrecisionId::F64) == Approx(2 * 19 * 8 + 18 * 4));
  // Tomczak & Szafran 2016: one index a node of the box, here with the layer around it.
  CHECK(bytes("fluid-index-array", PrecisionId::F64) ==
        Approx(304.0 + 4.0 * 18 * 14 * 14 / nodes.count()));
  // A box of whole rows and runs: nothing but populations and runs inside, masks in runs at walls.
  const TilesFile whole = imageGeometry({32, 8, 8}, strewn(1.0), {true, true, true}, {}, 1e-4, {});
  const FluidNodes inBox(whole.geometry, NodeOrder::Rows);
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32}) {
    const double populations = precision == PrecisionId::F64 ? 304.0 : 152.0;
    const auto dense = infoOf("dense", CollisionId::Bgk, precision).makeCpu(inBox, {relaxation});
    CHECK(dense->bytesPerNode() == Approx(populations + 4.0 / 32 + 4.0));
    CHECK(dense->memoryPerNode() > dense->bytesPerNode());
    const auto compact =
        infoOf("tiles-compact", CollisionId::Bgk, precision).makeCpu(inBox, {relaxation});
    CHECK(compact->bytesPerNode() == Approx(populations + 144.0 / 64));
  }
}

TEST_CASE("Comparators: memory and traffic are those of the models of the tiler", "[unit]") {
  for (const TilesFile& tiles : {builtInTiles({"spheres", {72, 72, 72}}), vessel(4)}) {
    const tiler::TileNeighbourhood around = tiler::neighboursOfTiles(tiles.geometry);
    const GhostShares ghosts = ghostShares(around, populationDirections(19));
    const auto& size = tiles.geometry.nodes;
    const double porosity =
        double(tiles.geometry.fluidNodes) / (double(size[0]) * size[1] * size[2]);
    const GeometryShares shares{porosity, tiles.geometry.utilisation(), ghosts.alpha, ghosts.beta,
                                0.0};
    const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
    const auto overhead = [&](const char* name) {
      const auto state = infoOf(name, CollisionId::Bgk, PrecisionId::F64).makeCpu(nodes, {});
      return std::array{state->memoryPerNode() / (19 * 8) - 1.0,
                        state->bytesPerNode() / (2 * 19 * 8) - 1.0};
    };
    const auto matrix = overhead("connectivity-matrix");
    CHECK(matrix[0] == Approx(connectivityMatrix({}, shares).memory).epsilon(0.02));
    CHECK(matrix[1] == Approx(connectivityMatrix({}, shares).bandwidth).epsilon(0.02));
    // With the layer around the box; one kernel, the ideal of the paper.
    const auto array = overhead("fluid-index-array");
    CHECK(array[0] == Approx(fluidIndexArray({}, shares).memory).epsilon(0.03));
    CHECK(array[1] == Approx(fluidIndexArray({}, shares).bandwidthIdeal).epsilon(0.2));
    // Rows padded to 16 nodes; sectors without fluid are passed over.
    const auto dense = overhead("dense");
    CHECK(dense[0] == Approx(denseStorage({}, shares).memory).epsilon(0.25));
    CHECK(dense[1] < denseStorage({}, shares).bandwidth);
    // No buffers that only walls meet, masks in place of a byte a node; between the traffic of an
    // ideal machine and that of whole tiles and buffers.
    const Overhead model = tilesWithGhostBuffers({}, shares);
    const auto buffers = overhead("tiles-ghost-buffers");
    CHECK(buffers[0] < model.memory + 4.0 / 152 / shares.utilisation);
    CHECK(buffers[0] > 0.6 * model.memory);
    CHECK(buffers[1] > model.bandwidth);
    CHECK(buffers[1] < model.bandwidthBursts);
    // Compact tiles: less than one sector's worth of padding a direction, no solid nodes.
    const auto compact = overhead("tiles-compact");
    CHECK(compact[0] < solidOverhead(shares.utilisation) + 1.0);
    CHECK(compact[1] < 0.5 * solidOverhead(shares.utilisation));
  }
}

TEST_CASE("Comparators: bytes moved a node in a plane", "[unit]") {
  const TilesFile tiles =
      imageGeometry({64, 64, 1}, strewn(1.0), {true, true, true}, {}, 1e-4, {}, 2);
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  const auto bytes = [&](const char* name) {
    return infoOf(name, CollisionId::Bgk, PrecisionId::F64, LatticeId::D2Q9)
               .count(nodes, {})
               .moved /
           nodes.count();
  };
  CHECK(bytes("lists") == Approx(2 * 9 * 8 + 8 * 4));
  CHECK(bytes("connectivity-matrix") == Approx(2 * 9 * 8 + 8 * 4));
  // A layer of nodes around the plane, none above and below.
  CHECK(bytes("fluid-index-array") == Approx(144.0 + 4.0 * 66 * 66 / 4096));
  // Masks in runs at periodic faces.
  CHECK(bytes("dense") == Approx(144.0 + 4.0 / 32 + 4.0));
  CHECK(bytes("dense-shared-memory") == bytes("dense"));
  // Tomczak & Szafran 2016: 12 buffers written and 16 read; corners have values of their own.
  const StorageSizes flat{.dimensions = 2, .populations = 9, .tileEdge = 8};
  const Overhead model = tilesWithGhostBuffers(flat, {1.0, 1.0, 1.0, 1.0, 0.0});
  CHECK(bytes("tiles-ghost-buffers") / 144.0 - 1.0 < model.bandwidthBursts);
  CHECK(bytes("tiles-ghost-buffers") / 144.0 - 1.0 > model.bandwidth);
  const StructureBytes held =
      infoOf("tiles-ghost-buffers", CollisionId::Bgk, PrecisionId::F64, LatticeId::D2Q9)
          .count(nodes, {});
  CHECK(held.held / nodes.count() / 72.0 - 1.0 == Approx(model.memory).epsilon(0.1));
  const StructureBytes large =
      infoOf("tiles-ghost-16x16", CollisionId::Bgk, PrecisionId::F64, LatticeId::D2Q9)
          .count(nodes, {});
  const Overhead paper = tilesWithGhostBuffers({.dimensions = 2, .populations = 9, .tileEdge = 16},
                                               {1.0, 1.0, 1.0, 1.0, 0.0});
  CHECK(large.held / nodes.count() / 72.0 - 1.0 == Approx(paper.memory).epsilon(0.1));
  CHECK(large.held < held.held);
}

TEST_CASE("Comparators: --bench lists tiles and every structure with its bound", "[unit]") {
  const TilesFile tiles = spheres();
  const std::string table = benchComparators(tiles, quick("f64"));
  long expected = 1 + 2 + 1;  // header; tiles, LBGK and TRT; moments
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry))
    if (info.precision == PrecisionId::F64) {
      ++expected;
      CHECK_THAT(table, Catch::Contains("\n" + info.name + "," +
                                        solver::comparators::nameOf(info.order) + ","));
    }
  CHECK(std::count(table.begin(), table.end(), '\n') == expected);
  CHECK_THAT(table, Catch::Contains("\ntiles,curve,bgk,f64,cpu,"));
  CHECK_THAT(table, Catch::Contains("\ntiles-moments,curve,regularised,f64,cpu,"));
  CHECK_THAT(table, !Catch::Contains("tiles-in-place"));  // on CUDA alone
  CHECK_THAT(table, !Catch::Contains("f32"));
  checkError(ExitCode::Usage, [&] { benchComparators(tiles, quick("f16")); }, {"f64 and f32"});
}

TEST_CASE("Comparators: --bench measures those of D2Q9 in a plane", "[unit]") {
  const std::string table = benchComparators(plane({48, 24, 1}, {true, false, true}), quick("f64"));
  for (const char* name : {"tiles,curve", "lists,rows", "dense-shared-memory,rows",
                           "tiles-ghost-buffers,curve", "fluid-index-array,rows"})
    CHECK_THAT(table, Catch::Contains("\n" + std::string(name) + ",bgk,f64,cpu,"));
  CHECK_THAT(table, !Catch::Contains("hybrid"));
}
