// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles in rows: the same flow as by one mesh, shifts that a kernel reads, runs and refusals.
// test_step.cpp compares their steps with the plain reference.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "pipelines/stage/error.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/tiling.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// A tube that bends, some 9 nodes across.
bool inTube(int x, int y, int z) {
  const double dy = y - 9.0 - 3.5 * std::sin(0.21 * x);
  const double dz = z - 8.0 - 3.0 * std::cos(0.17 * x);
  return dy * dy + dz * dz < 21.0;
}

LatticeGeometry tube() {
  return imageLattice({40, 19, 17}, inTube, {}, {{0, false, 1}, {0, true, 2}}, 1e-4);
}

TilesFile oneMesh(const LatticeGeometry& geometry) {
  TilesFile file;
  file.geometry =
      coverWithTiles(geometry, chooseOffset(countTilesAtAllOffsets(geometry.fluid, 3), geometry));
  file.contentHash = "made by a test";
  return file;
}

SolverCase tubeCase() {
  SolverCase run = waterCase(0.7);
  run.precision = PrecisionId::F64;
  run.ramp = 0.0;
  run.steps = 200;
  run.openings = {Velocity{Profile::Parabolic, 0.004}, Pressure{0.0}};
  return run;
}

// 19 populations of every fluid node, by its position.
std::map<Int3, std::vector<double>> byNode(const TilesFile& tiles, const std::vector<double>& f) {
  std::map<Int3, std::vector<double>> nodes;
  const TiledGeometry& g = tiles.geometry;
  for (std::size_t t = 0; t < g.tiles(); ++t)
    for (std::size_t l = 0; l < tileNodes; ++l) {
      if (g.nodeType[t * tileNodes + l] == 0) continue;
      std::vector<double>& node = nodes[g.nodeOf(t, static_cast<int>(l))];
      for (std::size_t i = 0; i < 19; ++i) node.push_back(f[(t * 19 + i) * tileNodes + l]);
    }
  return nodes;
}

std::map<Int3, std::vector<double>> afterSteps(const TilesFile& tiles, const std::string& backend,
                                               std::uint64_t steps) {
  Simulation simulation(tiles, prepare(tiles.geometry, tubeCase(), backend));
  simulation.advance(steps);
  return byNode(tiles, simulation.populations());
}

double largestDifference(const std::map<Int3, std::vector<double>>& a,
                         const std::map<Int3, std::vector<double>>& b) {
  double difference = 0.0, largest = 0.0;
  REQUIRE(a.size() == b.size());
  for (const auto& [node, f] : a)
    for (std::size_t i = 0; i < f.size(); ++i) {
      // A NaN on either side must not pass.
      if (!(std::abs(f[i] - b.at(node)[i]) <= difference))
        difference = std::abs(f[i] - b.at(node)[i]);
      largest = std::max(largest, std::abs(f[i]));
    }
  REQUIRE(largest > 1e-6);
  return difference / largest;
}

void compareBackend(const std::string& backend) {
  const LatticeGeometry geometry = tube();
  const TilesFile one = oneMesh(geometry);
  const auto expected = afterSteps(one, backend, 1000);
  for (const auto& axes : rowOrders) {
    INFO(axes[0] << axes[1] << axes[2]);
    const TilesFile rows = shiftedTiles(geometry, axes);
    CHECK(rows.geometry.tiles() < one.geometry.tiles());
    CHECK(largestDifference(expected, afterSteps(rows, backend, 1000)) < 1e-12);
  }
}

}  // namespace

TEST_CASE("Shifted tiling: in any order of axes a tube flows as by the aligned tiling", "[unit]") {
  compareBackend("cpu");
}

TEST_CASE("Shifted tiling: in any order of axes a tube flows as by the aligned tiling on the GPU",
          "[gpu]") {
  if (!findDevice()) {
    WARN("no CUDA device: tiles in rows are not compared there");
    return;
  }
  compareBackend("cuda");
}

TEST_CASE("Shifted tiling: neighbour table and shifts of a tile lead to every node around it",
          "[unit]") {
  const LatticeGeometry geometry = tube();
  std::uint32_t seen = 0;  // bits of all shifts
  for (const auto& axes : rowOrders) {
    const TilesFile tiles = shiftedTiles(geometry, axes);
    const TiledGeometry& g = tiles.geometry;
    const Setup setup = prepare(g, tubeCase(), "cpu");
    for (std::size_t t = 0; t < g.tiles(); ++t) {
      const std::uint32_t slot = setup.order.slotOfTile[t];
      const std::int32_t* row = &setup.order.neighbourTable[std::size_t{slot} * neighbourStride];
      const auto shifts = static_cast<std::uint32_t>(row[shiftEntry]);
      seen |= shifts;
      const Int3 corner = g.nodeOf(t, 0);
      for (int k = 0; k < 216; ++k) {
        const Int3 d{k % 6 - 1, k / 6 % 6 - 1, k / 36 - 1};
        const TilePlace place = g.placeOf({corner[0] + d[0], corner[1] + d[1], corner[2] + d[2]});
        const std::int32_t tile = g.tileAt(place.tile[0], place.tile[1], place.tile[2]);
        const NeighbourNode source = withShiftAxes(axes, [&](auto order) {
          return neighbourNode<decltype(order)>(d[0], d[1], d[2], shifts);
        });
        REQUIRE(source.local == place.local);
        if (tile >= 0)
          REQUIRE(
              row[source.neighbour] ==
              static_cast<std::int32_t>(setup.order.slotOfTile[static_cast<std::size_t>(tile)]));
      }
    }
  }
  // All but those of the tile's own row, which is not shifted against itself.
  CHECK(seen == (((1U << 22U) - 1U) & ~(3U << rowShiftBit(0))));
}

TEST_CASE("Shifted tiling: a run resumes from its checkpoint to the same bits", "[unit]") {
  const TilesFile tiles = shiftedTiles(tube(), {1, 2, 0});
  const auto finish = [&](const TemporaryFolder& folder, std::uint64_t first) {
    const RunFiles files{folder.path() / "run.monitor.csv", folder.path() / "run.ckpt"};
    if (first > 0) {
      SolverCase part = tubeCase();
      part.steps = first;
      part.converged = 1e-30;  // never met, which leaves a checkpoint
      Simulation simulation(tiles, prepare(tiles.geometry, part, "cpu"));
      const std::atomic<bool> stop{false};
      runToEnd(simulation, files, false, stop, newProvenance("test"));
      CHECK(std::filesystem::exists(files.checkpoint));
    }
    Simulation simulation(tiles, prepare(tiles.geometry, tubeCase(), "cpu"));
    const std::atomic<bool> stop{false};
    runToEnd(simulation, files, first > 0, stop, newProvenance("test"));
    return simulation.populations();
  };
  const TemporaryFolder once, twice;
  CHECK(finish(once, 0) == finish(twice, 90));
}

TEST_CASE("Shifted tiling: variants that are not built are refused with those that are", "[unit]") {
  const TilesFile tiles = shiftedTiles(tube(), {0, 1, 2});
  for (const CollisionId collision : {CollisionId::Mrt, CollisionId::Regularised}) {
    SolverCase run = tubeCase();
    run.collision = collision;
    const std::string sentence =
        sentenceOfError(ExitCode::Usage, [&] { prepare(tiles.geometry, run, "cpu"); });
    CHECK_THAT(sentence, Catch::Contains("rows") &&
                             Catch::Contains("D3Q19 trt quasi-compressible f64 rows") &&
                             Catch::Contains("--placement global"));
  }
}
