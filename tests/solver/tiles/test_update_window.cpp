// SPDX-License-Identifier: GPL-3.0-or-later
// One copy of a state, written over itself some places on, against two.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "solver/backend/gpu/device.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/simulation.hpp"
#include "solver/tiles/update_window.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

constexpr std::array<StateKind, 8> windowKinds{{
    {CollisionId::Regularised, PrecisionId::F64, StateId::Moments, WallScheme::Halfway},
    {CollisionId::Regularised, PrecisionId::F32, StateId::Moments, WallScheme::Halfway},
    {CollisionId::Regularised, PrecisionId::M32F16, StateId::Moments, WallScheme::Halfway},
    {CollisionId::Bgk, PrecisionId::F64, StateId::Populations, WallScheme::Halfway},
    {CollisionId::Trt, PrecisionId::F32, StateId::Populations, WallScheme::Bouzidi},
    {CollisionId::Bgk, PrecisionId::F16, StateId::Populations, WallScheme::Halfway},
    {CollisionId::Bgk, PrecisionId::F64, StateId::Populations, WallScheme::Multireflection},
    {CollisionId::Trt, PrecisionId::F32, StateId::Populations, WallScheme::SingleNode},
}};

SolverCase caseOf(const StateKind& kind, bool open) {
  SolverCase run = caseOf(kind);
  run.ramp = 5.0;
  run.steps = 400;
  run.bodyForce = {5e-3, -2.5e-3, 1e-3};
  if (!open) return run;
  run.openings.assign(3, Pressure{});
  run.openings[0] = Velocity{Profile::Parabolic, 2e-4};
  run.openings[2] = Pressure{1e-4};
  return run;
}

}  // namespace

TEST_CASE(
    "In-place update: it gives the bits of two copies and takes little more than half their memory",
    "[gpu]") {
  if (!findDevice()) {
    WARN("no CUDA device: one copy is not compared with two here");
    return;
  }
  const auto porous = strewn(0.8);
  const auto grains = [&](int x, int y, int z) { return x < 2 || porous(x / 2, y / 3, z / 2); };
  const TilesFile closed = imageGeometry({40, 24, 160}, grains, {}, {}, 1e-3, {1, 2, 0});
  const TilesFile open =
      imageGeometry({160, 24, 40}, grains, {false, true, false},
                    {{0, false, 1}, {0, true, 2}, {2, true, 3}}, 1e-3, {0, 1, 0});
  for (const TilesFile* tiles : {&closed, &open})
    for (const StateKind& kind : windowKinds) {
      INFO(nameOf(kind.collision) << " " << nameOf(kind.precision) << " " << nameOf(kind.state));
      SolverCase run = caseOf(kind, tiles == &open);
      std::vector<std::vector<double>> states;
      std::vector<double> bytes;
      for (const char* copies : {"2", "1"}) {
        run.copies = copies;
        const Setup setup = prepare(tiles->geometry, run, "cuda");
        CHECK(setup.copies == (copies[0] == '1' ? 1 : 2));
        bytes.push_back(static_cast<double>(stateBytes(setup)));
        Simulation simulation(*tiles, setup);
        simulation.advance(300);
        states.push_back(simulation.state());
      }
      const bool same = states[0] == states[1];  // not shown: they are large
      CHECK(same);
      // Stencils of openings are the same in both.
      if (kind.walls == WallScheme::Halfway && tiles == &closed) CHECK(bytes[1] < 0.8 * bytes[0]);
    }
}

// Memory of the in-place update in a cube, whose layers are the largest: populations at most 1.14
// (f64) and 1.3 (f32, f16) of a copy at 10 million nodes, 1.05 above 100 million; moments 1.25 and
// 1.08.
TEST_CASE("In-place update: the window is little larger than one copy", "[unit]") {
  const auto factor = [](int tilesAcross, StateId state, unsigned bytes) {
    const auto n = static_cast<std::uint32_t>(tilesAcross);
    const std::uint32_t tiles = n * n * n;
    const std::uint32_t farthest = n * n + n + 1;
    const std::uint32_t chunk = state == StateId::Moments ? chunkOfMoments(tiles, farthest)
                                                          : chunkOfPopulations(tiles, bytes);
    return 1.0 + static_cast<double>(stateWindow(tiles, farthest, chunk).shift) / tiles;
  };
  CHECK(factor(54, StateId::Populations, 8) < 1.14);
  CHECK(factor(54, StateId::Populations, 4) < 1.3);
  CHECK(factor(54, StateId::Populations, 2) < 1.3);
  for (const unsigned bytes : {2U, 4U, 8U}) CHECK(factor(118, StateId::Populations, bytes) < 1.05);
  CHECK(factor(54, StateId::Moments, 4) < 1.251);
  CHECK(factor(54, StateId::Moments, 4) > 1.2);
  CHECK(factor(118, StateId::Moments, 4) < 1.081);
  CHECK(stateWindow(8, 7, 0).shift == 0);
}

// The cubes of 4x4x4 tiles follow each other, and at most two layers of them lie between
// neighbours.
TEST_CASE("In-place update: tiles in cubes follow each other", "[unit]") {
  const TilesFile tiles = closedBox({128, 48, 64}, {}, 1e-3);
  REQUIRE(layerAxis(tiles.geometry.grid, TileSequence::InCubes) == 0);
  const TileOrder order = orderTiles(tiles.geometry, D3Q19::c, TileSequence::InCubes);
  std::map<std::array<int, 3>, std::vector<std::uint32_t>> cubes;
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t) {
    const auto& at = tiles.geometry.nonEmptyTiles[t];
    cubes[{at[0] / 4, at[1] / 4, at[2] / 4}].push_back(order.slotOfTile[t]);
  }
  for (auto& [place, slots] : cubes) {
    std::sort(slots.begin(), slots.end());
    CHECK(slots.back() - slots.front() + 1 == slots.size());
  }
  CHECK(farthestNeighbour(order.neighbourTable, order.tiles) < 2 * 4 * 12 * 16);
}

TEST_CASE("In-place update: it is refused where it is not available", "[unit]") {
  const TilesFile tiles = imageGeometry({8, 8, 8}, strewn(0.9), {}, {}, 1e-3, {0, 0, 0});
  SolverCase run = caseOf(windowKinds[2], false);
  run.copies = "1";
  checkError(ExitCode::Usage, [&] { prepare(tiles.geometry, run, "cpu"); }, {"--copies 1"});
}

TEST_CASE("Tile order: tiles at walls and openings follow all others where that is asked for",
          "[unit]") {
  const TilesFile tiles =
      imageGeometry({40, 30, 26}, [](int x, int y, int z) { return x + y + z > 9 || x < 2; },
                    {false, true, false}, {{0, false, 1}, {0, true, 2}}, 1e-3, {0, 2, 0});
  const TileOrder order = orderTiles(tiles.geometry, D3Q19::c, TileSequence::BoundariesLast);
  std::vector<bool> atBoundary(order.tiles, false);
  for (const OpeningLink& link : order.openingLinks) atBoundary[link.slot] = true;
  for (std::uint32_t slot = 0; slot < order.tiles; ++slot)
    if (order.neighbourTable[std::size_t{slot} * neighbourStride + maskEntry] >= 0)
      atBoundary[slot] = true;
  const auto first = std::find(atBoundary.begin(), atBoundary.end(), true);
  CHECK(first != atBoundary.begin());
  CHECK(first != atBoundary.end());
  CHECK(std::find(first, atBoundary.end(), false) == atBoundary.end());
}
