// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs in memory: openings, stopping, checkpoints, divergence, the files.
#include <catch2/catch.hpp>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/oracle/reference.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

RunResult runIn(const TemporaryFolder& folder, Simulation& simulation, bool resume,
                const std::atomic<bool>& stop) {
  return runToEnd(simulation, {folder.path() / "run.monitor.csv", folder.path() / "run.ckpt"},
                  resume, stop, newProvenance("test"));
}

}  // namespace

TEST_CASE("Run: a duct between a velocity and a pressure opening settles and keeps its mass",
          "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = straightDuct();
  Simulation simulation(tiles, prepare(tiles.geometry, steadyDuctFlow(1e-9), "cpu"));
  const std::atomic<bool> stop{false};
  const RunResult result = runIn(folder, simulation, false, stop);
  CHECK(result.converged);
  const double flow = 0.02 * 81e-8;
  CHECK(result.last.flowRate[0] == Approx(-flow).epsilon(1e-9));
  CHECK(massResidual(result.last.flowRate) < 1e-6);
  const Fields fields = fieldsOf(simulation, result);
  // Developed at the outlet: Q = 0.0351442537 G L^4 / mu gives the gradient in the second half.
  const double gradient = flow * 1e-3 / (0.0351442537 * std::pow(9e-4, 4));
  // At the nodes beside the plane, half a spacing before it.
  CHECK(result.last.pressure[1] == Approx(500.0 + 0.5e-4 * gradient).margin(0.01));
  double sum[2] = {0.0, 0.0};
  std::uint64_t node = 0;
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      if (tiles.geometry.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
      const int x = tiles.geometry.nodeOf(t, l)[0];
      if (x == 14 || x == 20) sum[x == 20] += fields.pressurePa(fields.pressure[node]) / 81.0;
      ++node;
    }
  CHECK((sum[0] - sum[1]) / 6e-4 == Approx(gradient).epsilon(0.03));

  const auto path = folder.path() / "run.fields";
  writeFieldsFile(path, fields);
  const Fields again = readFieldsFile(path);
  CHECK(again.pressure == fields.pressure);
  CHECK(again.velocity == fields.velocity);
  CHECK(again.stress == fields.stress);
  CHECK(again.pressureReference == 500.0);
  CHECK(again.openings[0].flowRate == fields.openings[0].flowRate);
}

TEST_CASE("Run: stopped and resumed it gives the bits of an uninterrupted one", "[unit]") {
  const TemporaryFolder whole;
  const TemporaryFolder halves;
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-9);
  run.steps = 501;
  run.converged.reset();
  const std::pair<StateId, PrecisionId> kept[] = {
      {StateId::Moments, PrecisionId::F64},        {StateId::Moments, PrecisionId::F32},
      {StateId::Moments, PrecisionId::M32F16},     {StateId::Populations, PrecisionId::F64},
      {StateId::Populations, PrecisionId::F32F64}, {StateId::Populations, PrecisionId::F16},
      {StateId::Populations, PrecisionId::F32}};
  for (const auto& [state, precision] : kept) {
    run.state = state;
    run.collision = run.state == StateId::Moments ? CollisionId::Regularised : CollisionId::Trt;
    run.precision = precision;
    Simulation straight(tiles, prepare(tiles.geometry, run, "cpu"));
    runIn(whole, straight, false, std::atomic<bool>{false});
    Simulation first(tiles, prepare(tiles.geometry, run, "cpu"));
    CHECK(runIn(halves, first, false, std::atomic<bool>{true}).stopped);
    Simulation second(tiles, prepare(tiles.geometry, run, "cpu"));
    const RunResult result = runIn(halves, second, true, std::atomic<bool>{false});
    CHECK(result.step == 501);
    CHECK(second.populations() == straight.populations());
    CHECK(result.monitor.rows.size() == 5 * result.monitor.columns.size());
  }
  // Other conditions at the openings are another run.
  SolverCase faster = run;
  std::get<Velocity>(faster.openings[0]).mean *= 1.1;
  Simulation changed(tiles, prepare(tiles.geometry, faster, "cpu"));
  CHECK_THROWS_AS(runIn(halves, changed, true, std::atomic<bool>{false}), StageError);
  // The checkpoint is of f32; a run of another variant refuses it.
  run.precision = PrecisionId::F64;
  Simulation other(tiles, prepare(tiles.geometry, run, "cpu"));
  CHECK_THROWS_AS(runIn(halves, other, true, std::atomic<bool>{false}), StageError);
}

TEST_CASE("Run: a checkpoint of another instruction set is resumed with a warning", "[unit]") {
  const TemporaryFolder folder;
  const Checkpoint checkpoint{"tiles", "variant", "physics", 0.8, 1.0, 3};
  const std::vector<std::uint32_t> slots{0};
  const std::vector<std::uint8_t> fluid(64, 1);
  const TileLayout layout{slots, fluid, 1, 8};
  const std::vector<std::byte> state(layout.size());
  const auto warningsFor = [&](const std::string& build) {
    Provenance provenance = newProvenance("test");
    if (!build.empty()) provenance.build = build;
    writeCheckpoint(folder.path() / "run.ckpt", checkpoint, state, layout, provenance);
    return standardErrorOf(
        [&] { CHECK(readCheckpoint(folder.path() / "run.ckpt", checkpoint, layout).has_value()); });
  };
  CHECK_THAT(warningsFor("x86-64-v9 g++ 99"),
             Catch::Contains("warning") && Catch::Contains("x86-64-v9 g++ 99"));
  CHECK_THAT(warningsFor(""), !Catch::Contains("warning"));
}

TEST_CASE("Run: one that diverges is stopped with advice, at any kind of value", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-9);
  for (const double bad : {3.0, std::nan("")}) {
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    std::vector<double> f(tiles.geometry.tiles() * 19 * 64, 0.0);
    f[64 * 3 + 5] = bad;
    simulation.setPopulations(f);
    try {
      runIn(folder, simulation, false, std::atomic<bool>{false});
      FAIL("the run went on");
    } catch (const StageError& error) {
      CHECK(error.code() == ExitCode::RunFailed);
      CHECK_THAT(error.what(), Catch::Contains("diverged") && Catch::Contains("spacing"));
    }
  }
}

TEST_CASE("Run: required convergence that is not reached is a failure with a checkpoint",
          "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-9);
  run.steps = 300;
  run.requireConvergence = true;
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  CHECK_THROWS_AS(runIn(folder, simulation, false, std::atomic<bool>{false}), StageError);
  CHECK(std::filesystem::exists(folder.path() / "run.ckpt"));
}
