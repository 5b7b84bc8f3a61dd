// SPDX-License-Identifier: GPL-3.0-or-later
// Symmetry planes that openings end at: links there, profiles, flows of halves and quarters.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/boundary/symmetry.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tiler/opening_links.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// A duct along x between openings; links beyond the high sides of the given axes have label 1.
TilesFile ductWithPlanes(const Int3& nodes, const std::vector<std::size_t>& axes) {
  const int dimensions = nodes[2] == 1 ? 2 : 3;
  LatticeGeometry geometry = imageLattice(
      nodes, [](int, int, int) { return true; }, {false, false, dimensions == 2},
      {{0, false, 1}, {0, true, 2}}, 1e-4, dimensions);
  setWalls(geometry, 2, [&](const Int3& node, const Int3& step, double&, int& label) {
    bool low = false, high = false;
    for (std::size_t a = 1; a < 3; ++a) {
      const bool isPlane = std::find(axes.begin(), axes.end(), a) != axes.end();
      low |= node[a] + step[a] < 0 || (!isPlane && node[a] + step[a] >= nodes[a]);
      high |= isPlane && node[a] + step[a] >= nodes[a];
    }
    label = high && !low ? 1 : 0;
  });
  return inTiles(geometry, {1, 2, dimensions == 2 ? 0 : 3});
}

std::vector<WallCondition> secondReflects() {
  std::vector<WallCondition> walls(2);
  walls[1].kind = WallKind::Symmetry;
  return walls;
}

// Links towards the high side of y that end on an opening end on the plane, as a surface may have
// them.
std::size_t givePlaneTheRim(TilesFile& tiles) {
  tiler::TiledGeometry& g = tiles.geometry;
  std::size_t count = 0;
  for (std::size_t t = 0; t < g.tiles(); ++t)
    tiler::forBoundaryNodes(g, t, [&](std::uint8_t l, std::uint32_t mask, std::uint64_t link) {
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1, ++link) {
        const Int3 c = directionStep(std::countr_zero(rest));
        if (!isOpening(g.linkPatch[link]) || g.nodeOf(t, l)[1] + c[1] < g.nodes[1]) continue;
        g.linkPatch[link] = 1;
        ++count;
      }
    });
  return count;
}

// Flow rate and pressures of a run, of the whole duct.
struct Flow {
  double rate;
  double drop;
};

Flow flowThrough(TilesFile tiles, const Condition& inlet, int images, std::uint64_t steps) {
  SolverCase run = planeCase();
  if (tiles.geometry.dimensions == 3) run.lattice = LatticeId::D3Q19;
  run.openings = {inlet, Pressure{}};
  if (images > 1) run.wallConditions = secondReflects();
  continueBeyondPlanes(run.wallConditions, tiles.geometry);
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(steps);
  const MonitorSample sample = simulation.sample();
  return {images * sample.flowRate[1], sample.pressure[0] - sample.pressure[1]};
}

}  // namespace

TEST_CASE("Planes at openings: links beyond a plane leave through the opening that it ends at",
          "[unit]") {
  const TilesFile whole = ductWithPlanes({5, 4, 6}, {1});
  TilesFile tiles = whole;
  REQUIRE(givePlaneTheRim(tiles) > 20);
  CHECK(tiles.geometry.linkPatch != whole.geometry.linkPatch);
  const auto before = tiles.geometry.linkPatch;
  continueBeyondPlanes({}, tiles.geometry);
  CHECK(tiles.geometry.linkPatch == before);
  const std::vector<WallCondition> walls = secondReflects();
  continueBeyondPlanes(walls, tiles.geometry);
  TilesFile expected = whole;
  continueBeyondPlanes(walls, expected.geometry);
  CHECK(tiles.geometry.linkPatch == expected.geometry.linkPatch);
  CHECK(tiles.geometry.linkDistance == whole.geometry.linkDistance);
}

TEST_CASE("Planes at openings: half a channel is the whole channel", "[unit]") {
  const TilesFile whole = ductWithPlanes({12, 16, 1}, {});
  TilesFile half = ductWithPlanes({12, 8, 1}, {1});
  REQUIRE(givePlaneTheRim(half) > 0);
  for (const Condition& inlet : std::vector<Condition>{
           Pressure{0.01}, Velocity{Profile::Parabolic, 1e-3}, Velocity{Profile::Developed, 1e-3},
           Velocity{Profile::BiParabolic, 1e-3}}) {
    const Flow expected = flowThrough(whole, inlet, 1, 3000);
    const Flow found = flowThrough(half, inlet, 2, 3000);
    INFO(nameOf(inlet) << ": " << found.rate / expected.rate << ", " << found.drop / expected.drop);
    CHECK(found.rate == Approx(expected.rate).epsilon(1e-5));
    CHECK(found.drop == Approx(expected.drop).epsilon(1e-5));
  }
}

TEST_CASE("Planes at openings: a half and a quarter of a duct are the whole duct", "[unit]") {
  const TilesFile whole = ductWithPlanes({8, 12, 12}, {});
  TilesFile half = ductWithPlanes({8, 6, 12}, {1});
  TilesFile quarter = ductWithPlanes({8, 6, 6}, {1, 2});
  REQUIRE(givePlaneTheRim(half) > 0);
  REQUIRE(givePlaneTheRim(quarter) > 0);
  for (const Condition& inlet :
       std::vector<Condition>{Pressure{0.01}, Velocity{Profile::BiParabolic, 1e-3},
                              Velocity{Profile::Developed, 1e-3}}) {
    const Flow expected = flowThrough(whole, inlet, 1, 1000);
    for (const bool isHalf : {true, false}) {
      const Flow found = flowThrough(isHalf ? half : quarter, inlet, isHalf ? 2 : 4, 1000);
      INFO(nameOf(inlet) << ", half " << isHalf << ": " << found.rate / expected.rate << ", "
                         << found.drop / expected.drop);
      CHECK(found.rate == Approx(expected.rate).epsilon(5e-3));
      CHECK(found.drop == Approx(expected.drop).epsilon(5e-3));
    }
  }
}
