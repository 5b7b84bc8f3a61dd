// SPDX-License-Identifier: GPL-3.0-or-later
// One copy of a state, written over itself some places on, against two.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

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

constexpr std::array<StateKind, 7> kinds{{
    {CollisionId::Regularised, PrecisionId::F64, StateId::Moments, WallScheme::Halfway},
    {CollisionId::Regularised, PrecisionId::F32, StateId::Moments, WallScheme::Halfway},
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
    for (const StateKind& kind : kinds) {
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

// Memory of the in-place update: at most 1.14 (f64) and 1.3 (f32, f16) of a copy at 10 million
// nodes, 1.05 above 100 million, in a cube, whose layers are the largest.
TEST_CASE("In-place update: the window is little larger than one copy", "[unit]") {
  const auto factor = [](int tilesAcross, unsigned bytes) {
    const auto n = static_cast<std::uint32_t>(tilesAcross);
    const std::uint32_t farthest = 2 * n * n + 4 * n + 8;  // two layers, in blocks of 2x2x2
    return 1.0 + static_cast<double>(stateWindow(n * n * n, farthest, bytes).shift) / (n * n * n);
  };
  CHECK(factor(54, 8) < 1.14);
  CHECK(factor(54, 4) < 1.3);
  CHECK(factor(54, 2) < 1.3);
  for (const unsigned bytes : {2U, 4U, 8U}) CHECK(factor(118, bytes) < 1.05);
  // Also with thicker layers, which are faster and used up to the bound.
  CHECK(allowedWindow(8, 54 * 54 * 54) <= 0.14 * 54 * 54 * 54);
  CHECK(allowedWindow(4, 54 * 54 * 54) <= 0.3 * 54 * 54 * 54);
  for (const unsigned bytes : {4U, 8U}) CHECK(allowedWindow(bytes, 1'700'000) <= 0.05 * 1'700'000);
  CHECK(stateWindow(8, 7, 8).shift == 0);
}

// Which a step on moments takes for granted, and with it the window of one copy.
TEST_CASE("In-place update: tiles of a block follow each other in layers of any thickness",
          "[unit]") {
  const TilesFile tiles = closedBox({64, 40, 72}, {}, 1e-3);
  for (const TileSequence sequence :
       {TileSequence::InLayersOf2, TileSequence::InLayersOf4, TileSequence::InLayersOf8}) {
    const TileOrder order = orderTiles(tiles.geometry, D3Q19::c, sequence);
    std::map<std::array<int, 3>, std::vector<std::uint32_t>> blocks;
    for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t) {
      const auto& at = tiles.geometry.nonEmptyTiles[t];
      blocks[{at[0] / 2, at[1] / 2, at[2] / 2}].push_back(order.slotOfTile[t]);
    }
    std::set<std::uint32_t> firsts;
    for (auto& [place, slots] : blocks) {
      std::sort(slots.begin(), slots.end());
      CHECK(slots.back() - slots.front() == 7);
      firsts.insert(slots.front());
    }
    CHECK(firsts.size() == blocks.size());
    // Two layers at the most between neighbours.
    const std::uint32_t thickness = sequence == TileSequence::InLayersOf2   ? 2
                                    : sequence == TileSequence::InLayersOf4 ? 4
                                                                            : 8;
    CHECK(farthestNeighbour(order.neighbourTable, order.tiles) < 2 * thickness * 16 * 10);
  }
}

TEST_CASE("In-place update: it is refused where it is not available", "[unit]") {
  const TilesFile tiles = imageGeometry({8, 8, 8}, strewn(0.9), {}, {}, 1e-3, {0, 0, 0});
  SolverCase run = caseOf(kinds[2], false);
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
