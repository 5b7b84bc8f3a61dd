// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that start from the fields of another, and fields written on the way.
#include <catch2/catch.hpp>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "solver/run/initial_state.hpp"
#include "solver/run/physics.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

RunFiles filesIn(const TemporaryFolder& folder) {
  return {folder.path() / "run.monitor.csv",
          folder.path() / "run.ckpt",
          folder.path() / "run",
          "duct.tiles",
          "the case",
          folder.path() / "run.fields"};
}

struct Done {
  Fields fields;
  RunResult result;
};

Done runFrom(const TilesFile& tiles, SolverCase run, const Fields* initial) {
  const TemporaryFolder folder;
  if (initial != nullptr) run.initialHash = "of the fields";
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  if (initial != nullptr) simulation.startFrom(*initial);
  const RunFiles files = filesIn(folder);
  const RunResult result =
      runToEnd(simulation, files, false, std::atomic<bool>{false}, newProvenance("test"));
  return {readFieldsFile(files.fields), result};
}

// Largest change of the pressure drop and of the outlet's flow rate along a run, from a step on,
// and of the velocity field at its end, relative.
double departure(const Done& from, const Done& to, double fromStep = 0.0) {
  const auto drop = [](const std::vector<double>& p) { return p[0] - p[1]; };
  const double before = drop(from.result.last.pressure);
  double most = std::abs(drop(to.result.last.pressure) - before) / before;
  const double flow = from.result.last.flowRate[1];
  most = std::max(most, std::abs(to.result.last.flowRate[1] - flow) / flow);
  const std::size_t width = to.result.monitor.columns.size();
  const auto& rows = to.result.monitor.rows;
  for (std::size_t row = 0; row < rows.size(); row += width) {
    if (rows[row] < fromStep) continue;
    most = std::max(most, std::abs(rows[row + 4] - flow) / flow);
    most = std::max(most, std::abs(rows[row + 3] - rows[row + 5] - before) / before);
  }
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t n = 0; n < to.fields.velocity.size(); ++n)
    for (std::size_t a = 0; a < 3; ++a) {
      const double u = from.fields.velocity[n][a] * from.fields.velocityFactor;
      const double v = to.fields.velocity[n][a] * to.fields.velocityFactor;
      largest = std::max(largest, std::abs(u));
      difference = std::max(difference, std::abs(u - v));
    }
  return std::max(most, difference / largest);
}

}  // namespace

TEST_CASE("Initial fields: a steady run continues from them as if uninterrupted", "[unit]") {
  const TilesFile tiles = straightDuct();
  const Done steady = runFrom(tiles, steadyDuctFlow(1e-8), nullptr);
  REQUIRE(steady.result.converged);
  SolverCase again = steadyDuctFlow(1e-8);
  again.steps = 400;
  again.monitorEvery = 10;
  again.converged.reset();
  const double same = departure(steady, runFrom(tiles, again, &steady.fields));
  const double later = departure(steady, runFrom(tiles, again, &steady.fields), 100.0);
  INFO("departure " << same << ", after 100 steps " << later);
  // Third-order moments are not stored and recover within some steps.
  CHECK(same < 5e-3);
  CHECK(later < 1e-3);
  // Started from rest instead, that is not so.
  CHECK(departure(steady, runFrom(tiles, again, nullptr)) > 0.5);
}

TEST_CASE("Initial fields: a fluid of local viscosity continues from them as if uninterrupted",
          "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-8);
  run.law = {.model = FluidModel::CarreauYasuda,
             .lowest = run.kinematicViscosity,
             .highest = 8.0 * run.kinematicViscosity,
             .timeConstant = 0.01,
             .n = 0.3568};
  const Done steady = runFrom(tiles, run, nullptr);
  REQUIRE(steady.result.converged);
  run.steps = 400;
  run.monitorEvery = 10;
  run.converged.reset();
  const Done again = runFrom(tiles, run, &steady.fields);
  INFO("departure " << departure(steady, again) << ", later " << departure(steady, again, 100.0));
  CHECK(departure(steady, again) < 5e-3);
  CHECK(departure(steady, again, 100.0) < 1e-3);
}

TEST_CASE("Initial fields: they start a run of another precision, collision and time step",
          "[unit]") {
  const TilesFile tiles = straightDuct();
  const Done steady = runFrom(tiles, steadyDuctFlow(1e-8), nullptr);
  const auto soonerThere = [&](PrecisionId precision, EquilibriumId equilibrium,
                               CollisionId collision, double scale) {
    SolverCase other = steadyDuctFlow(1e-8);
    other.precision = precision;
    other.equilibrium = equilibrium;
    other.collision = collision;
    other.latticeVelocity = scale;
    other.converged = 3e-6;
    other.accelerate = false;  // from either start
    const Done fromRest = runFrom(tiles, other, nullptr);
    const Done fromFields = runFrom(tiles, other, &steady.fields);
    INFO(nameOf(precision) << " " << nameOf(equilibrium) << " " << nameOf(collision) << " " << scale
                           << ": " << fromRest.result.step << " and " << fromFields.result.step
                           << " steps");
    CHECK(fromFields.result.converged);
    CHECK(fromFields.result.step + 400 < fromRest.result.step);
    CHECK(departure(fromRest, fromFields, 1e9) < 1e-4);
  };
  soonerThere(PrecisionId::F32, EquilibriumId::QuasiCompressible, CollisionId::Trt, 0.05);
  soonerThere(PrecisionId::F64, EquilibriumId::Incompressible, CollisionId::Trt, 0.05);
  soonerThere(PrecisionId::F64, EquilibriumId::QuasiCompressible, CollisionId::Bgk, 0.05);
  soonerThere(PrecisionId::F64, EquilibriumId::QuasiCompressible, CollisionId::Trt, 0.03);
}

TEST_CASE("Initial fields: a forced flow continues from them, in 2D too", "[unit]") {
  const TilesFile tiles = periodicChannel(16);
  SolverCase run = forcedChannelFlow(5.0);
  run.steps = 100000;
  run.converged = 1e-9;
  const Done steady = runFrom(tiles, run, nullptr);
  SolverCase again = run;
  again.steps = 50;
  again.monitorEvery = 1;
  again.converged.reset();
  const Done gone = runFrom(tiles, again, &steady.fields);
  const std::size_t width = gone.result.monitor.columns.size();
  const std::size_t column = monitorColumns(0, 0) - 1;
  const auto& rows = steady.result.monitor.rows;
  const double energy = rows[rows.size() - width + column];
  for (std::size_t row = 0; row < gone.result.monitor.rows.size(); row += width)
    CHECK(gone.result.monitor.rows[row + column] == Approx(energy).epsilon(1e-5));
}

TEST_CASE(
    "Initial fields: those of another geometry or with values that are not numbers are refused",
    "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-8);
  run.steps = 20;
  run.converged.reset();
  Fields fields = runFrom(tiles, run, nullptr).fields;
  const auto refused = [&](const std::string& part) {
    try {
      checkInitialFields("start.fields", fields, tiles);
      FAIL("not refused");
    } catch (const StageError& error) {
      CHECK(error.code() == ExitCode::BadInput);
      CHECK_THAT(error.what(), Catch::Contains("start.fields") && Catch::Contains(part));
    }
  };
  checkInitialFields("start.fields", fields, tiles);
  fields.velocity[7][1] = NAN;
  refused("numbers");
  fields.velocity[7][1] = 0.0F;
  fields.pressure.pop_back();
  refused("1944");
  fields.tilesHash = "another";
  refused("geometry");
}

TEST_CASE("Initial fields: a run from them has no ramp, and another physics hash", "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-8);
  run.ramp = 1e-2;
  const Setup fromRest = prepare(tiles.geometry, run, "cpu");
  CHECK(fromRest.rampSteps > 0);
  run.initialHash = "a";
  const Setup fromA = prepare(tiles.geometry, run, "cpu");
  CHECK(fromA.rampSteps == 0);
  run.initialHash = "b";
  CHECK(physicsHash(fromA) != physicsHash(prepare(tiles.geometry, run, "cpu")));
}

TEST_CASE("Intermediate output: each file equals that of a run that ends there", "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-8);
  run.converged.reset();
  run.ramp = 0.0;
  run.steps = 100;
  run.fieldsEveryTime = 40.2 * prepare(tiles.geometry, run, "cpu").lattice.scales.timeStep;
  const TemporaryFolder folder;
  const RunFiles files = filesIn(folder);
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  runToEnd(simulation, files, false, std::atomic<bool>{false}, newProvenance("test"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "run.0003.fields"));
  for (const std::uint64_t k : {1, 2}) {
    const Fields way = readFieldsFile(folder.path() / ("run.000" + std::to_string(k) + ".fields"));
    CHECK(way.step == 40 * k);
    CHECK(way.tilesName == "duct.tiles");
    CHECK(way.caseText == "the case");
    SolverCase shorter = run;
    shorter.fieldsEveryTime = 0.0;
    shorter.steps = 40 * k;
    const Fields end = runFrom(tiles, shorter, nullptr).fields;
    CHECK(way.pressure == end.pressure);
    CHECK(way.velocity == end.velocity);
    CHECK(way.stress == end.stress);
    CHECK(way.openings[1].flowRate == end.openings[1].flowRate);
  }
}
