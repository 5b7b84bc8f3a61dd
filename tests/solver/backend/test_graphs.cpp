// SPDX-License-Identifier: GPL-3.0-or-later
// Steps recorded as a CUDA graph and repeated, against single steps; samples of a state that
// further steps follow.
#include <catch2/catch.hpp>

#include "solver/backend/gpu/device.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// Walls that remember alternate between two memories, as the state does.
constexpr std::array<StateKind, 7> graphKinds{{
    {CollisionId::Bgk, PrecisionId::F64, StateId::Populations, WallScheme::Halfway},
    {CollisionId::Bgk, PrecisionId::F32, StateId::Populations, WallScheme::Halfway},
    {CollisionId::Bgk, PrecisionId::F16, StateId::Populations, WallScheme::Halfway},
    {CollisionId::Bgk, PrecisionId::F64, StateId::Populations, WallScheme::SingleNode},
    {CollisionId::Trt, PrecisionId::F32, StateId::Populations, WallScheme::Bouzidi},
    {CollisionId::Bgk, PrecisionId::F64, StateId::Populations, WallScheme::Multireflection},
    {CollisionId::Regularised, PrecisionId::F64, StateId::Moments, WallScheme::Halfway},
}};

enum class Shape { Closed, Open, Long };

// Grains in a box, with a lid that may slide; Open: with openings on three faces; Long: with two at
// its ends, most tiles far from them.
TilesFile grains(Shape shape) {
  const auto porous = strewn(0.8);
  const Int3 nodes = shape == Shape::Long ? Int3{150, 13, 14} : Int3{56, 24, 22};
  const auto fluid = [&](int x, int y, int z) {
    return x < 2 || x > nodes[0] - 3 || porous(x / 2, y / 3, z / 2);
  };
  std::vector<BoxFace> ends;
  if (shape != Shape::Closed) ends = {{0, false, 1}, {0, true, 2}};
  if (shape == Shape::Open) ends.push_back({2, true, 3});
  LatticeGeometry geometry =
      imageLattice(nodes, fluid, {false, shape == Shape::Open, false}, ends, 1e-3);
  setWalls(geometry, 2, [](const Int3& node, const Int3& step, double& distance, int& label) {
    distance = 0.1 + 0.8 * ((node[0] * 7 + node[1] * 3 + step[2] + 1) % 10) / 10.0;
    label = node[2] + step[2] < 0 ? 1 : 0;
  });
  return inTiles(geometry, {1, 0, 2});
}

SolverCase caseOf(const StateKind& kind, Shape shape) {
  SolverCase run = caseOf(kind);
  run.ramp = 5.0;  // s, some 75 steps
  run.steps = 401;
  run.bodyForce = {5e-3, -2.5e-3, 1e-3};
  run.wallConditions.resize(2);
  if (kind.walls != WallScheme::Halfway)
    run.wallConditions[1] = {WallKind::Moving, {2e-4, 0.0, 0.0}, {}, {}};
  if (shape == Shape::Closed) return run;
  run.openings.assign(shape == Shape::Open ? 3 : 2, Pressure{});
  run.openings[0] = pulsating(
      periodicSeries(8.0, [](double s) { return 2e-4 * (1.0 + 0.5 * std::sin(6.2831853 * s)); }),
      Profile::Parabolic);
  run.openings[1] = Windkessel{.proximal = 1e2, .compliance = 1e-2, .resistance = 1e3};
  if (shape == Shape::Open) run.openings[2] = Pressure{1e-4};
  return run;
}

bool sameBits(const MonitorSample& one, const MonitorSample& other) {
  return one.step == other.step && one.flowRate == other.flowRate &&
         one.pressure == other.pressure && one.nodes.kineticEnergy == other.nodes.kineticEnergy &&
         one.nodes.speedMax == other.nodes.speedMax &&
         std::equal(one.openings.begin(), one.openings.end(), other.openings.begin(),
                    other.openings.end(), [](const ForceOnWall& a, const ForceOnWall& b) {
                      return a.force == b.force && a.torque == b.torque;
                    });
}

bool noDevice(const char* what) {
  if (findDevice()) return false;
  WARN("no CUDA device: " << what << " here");
  return true;
}

}  // namespace

TEST_CASE("CUDA graphs: steps recorded together have the bits of single steps", "[gpu]") {
  if (noDevice("steps are not given together")) return;
  for (const Shape shape : {Shape::Closed, Shape::Open, Shape::Long}) {
    const TilesFile tiles = grains(shape);
    for (const StateKind& kind : graphKinds) {
      INFO(nameOf(kind.collision) << " " << nameOf(kind.precision) << " " << nameOf(kind.state)
                                  << ", walls " << int(kind.walls) << ", shape " << int(shape));
      const Setup setup = prepare(tiles.geometry, caseOf(kind, shape), "cuda");
      Simulation alone(tiles, setup);
      Simulation together(tiles, setup);
      for (int k = 0; k < 215; ++k) alone.advance(1);
      // Lengths that leave the state in either of its two copies between them.
      for (const std::uint64_t steps : {3, 100, 1, 67, 36, 8}) together.advance(steps);
      const bool same = alone.state() == together.state();  // not shown: they are large
      CHECK(same);
      CHECK(sameBits(alone.sample(), together.sample()));
      // From a given state.
      const std::vector<double> state = alone.state();
      for (Simulation* simulation : {&alone, &together}) simulation->setState(state);
      for (int k = 0; k < 37; ++k) alone.advance(1);
      together.advance(37);
      const bool sameAgain = alone.state() == together.state();
      CHECK(sameAgain);
    }
  }
}

TEST_CASE("CUDA graphs: a sample is of the state at which it was started, whatever steps follow",
          "[gpu]") {
  for (const char* backend : {"cpu", "cuda"}) {
    if (backend[1] == 'u' && noDevice("looks are not taken behind steps")) return;
    const TilesFile tiles = grains(Shape::Long);
    for (const StateKind& kind : {graphKinds[1], graphKinds[6]}) {
      INFO(backend << ", " << nameOf(kind.precision) << " " << nameOf(kind.state));
      const Setup setup = prepare(tiles.geometry, caseOf(kind, Shape::Long), backend);
      Simulation waiting(tiles, setup);
      Simulation going(tiles, setup);
      for (int k = 0; k < 4; ++k) {
        waiting.advance(25);
        going.advance(25);
        going.beginSample();
        const MonitorSample now = waiting.sample();
        waiting.advance(25);
        going.advance(25);
        CHECK(sameBits(now, going.endSample()));
      }
      const bool same = waiting.state() == going.state();
      CHECK(same);
    }
  }
}

TEST_CASE("CUDA graphs: a run on a device writes the monitor of its steps, and resumes bit by bit",
          "[gpu]") {
  if (noDevice("runs are not resumed on a device")) return;
  const TilesFile tiles = grains(Shape::Long);
  for (const StateKind& kind : {graphKinds[1], graphKinds[3], graphKinds[6]}) {
    INFO(nameOf(kind.precision) << " " << nameOf(kind.state) << ", walls " << int(kind.walls));
    const TemporaryFolder folder;
    const TemporaryFolder halves;
    SolverCase run = caseOf(kind, Shape::Long);
    run.monitorEvery = 50;
    run.converged = 1e-12;  // looked for, and not found
    const auto runTo = [&](const TemporaryFolder& where, std::uint64_t steps, bool resume) {
      SolverCase part = run;
      part.steps = steps;
      Simulation simulation(tiles, prepare(tiles.geometry, part, "cuda"));
      const RunFiles files{where.path() / "run.monitor.csv", where.path() / "run.ckpt"};
      const RunResult result =
          runToEnd(simulation, files, resume, std::atomic<bool>{false}, newProvenance("test"));
      return std::pair(simulation.state(), result.monitor.rows);
    };
    const auto straight = runTo(folder, 401, false);
    runTo(halves, 171, false);
    const auto resumed = runTo(halves, 401, true);
    const bool same = straight.first == resumed.first;
    CHECK(same);
    CHECK(straight.second == resumed.second);
    Simulation stepped(tiles, prepare(tiles.geometry, run, "cuda"));
    const std::size_t width = monitorColumns(2, tiles.geometry.wallNames.size());
    REQUIRE(straight.second.size() == 8 * width);
    for (std::size_t row = 0; row < 8; ++row) {
      stepped.advance(50);
      const MonitorSample sample = stepped.sample();
      CHECK(straight.second[row * width] == 50.0 * double(row + 1));
      CHECK(straight.second[row * width + 2] == sample.flowRate[0]);
      CHECK(straight.second[row * width + 5] == sample.pressure[1]);
      CHECK(straight.second[row * width + 10] == sample.walls[0].force[0]);
      CHECK(straight.second[(row + 1) * width - 1] == sample.openings[1].force[2]);
    }
  }
}
