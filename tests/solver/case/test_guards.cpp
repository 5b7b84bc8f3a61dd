// SPDX-License-Identifier: GPL-3.0-or-later
// Pre-run checks and their advice, divergence with its location and cause, distance of a steady run
// from its limit.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <regex>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/sample.hpp"
#include "solver/case/pre_run_checks.hpp"
#include "solver/run/stop.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
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

std::string refusal(const TilesFile& tiles, const SolverCase& run) {
  try {
    prepare(tiles.geometry, run, "cpu");
  } catch (const StageError& error) {
    CHECK(error.code() == ExitCode::Usage);
    return error.what();
  }
  return "";
}

double valueAfter(const std::string& text, const std::string& words) {
  std::smatch match;
  const bool found = std::regex_search(text, match, std::regex(words + "([-+.0-9e]+)"));
  INFO(text << " has no " << words);
  REQUIRE(found);
  return std::stod(match[1]);
}

RunResult runIn(const TemporaryFolder& folder, Simulation& simulation) {
  return runToEnd(simulation, {folder.path() / "run.monitor.csv", folder.path() / "run.ckpt"},
                  false, std::atomic<bool>{false}, newProvenance("test"));
}

std::string divergence(const TemporaryFolder& folder, Simulation& simulation) {
  try {
    runIn(folder, simulation);
  } catch (const StageError& error) {
    CHECK(error.code() == ExitCode::RunFailed);
    return error.what();
  }
  FAIL("the run went on");
  return "";
}

// A state at rest but for one population of the node in the middle of the duct's cross-section.
std::vector<double> brokenAt(const TilesFile& tiles, const Int3& node, double value) {
  std::vector<double> f(tiles.geometry.tiles() * 19 * tileNodes, 0.0);
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l)
      if (tiles.geometry.nodeOf(t, l) == node)
        f[(t * 19 + 3) * tileNodes + static_cast<std::size_t>(l)] = value;
  return f;
}

}  // namespace

TEST_CASE("Pre-run checks: the flow through a throat gives the largest velocity", "[unit]") {
  TilesFile tiles = straightDuct();
  const SolverCase run = ductFlow();
  const double area = tiles.geometry.openings[0].area;
  const double before = expectedVelocity(run, tiles.geometry);
  CHECK(throatVelocity(run, tiles.geometry) == 0.0);
  tiles.geometry.throats = {{{2}, {}, {1, 0, 0}, 0.25 * area}};
  const double mean = std::abs(prescriptionOf(run.openings[0]).mean);
  CHECK(throatVelocity(run, tiles.geometry) == Approx(2.0 * 4.0 * mean));
  CHECK(expectedVelocity(run, tiles.geometry) == Approx(8.0 * mean));
  CHECK(before < 8.0 * mean);
  tiles.geometry.throats[0].area = 100.0 * area;
  CHECK(expectedVelocity(run, tiles.geometry) == before);
}

TEST_CASE("Pre-run checks: a throat of few nodes is a warning with the spacing that it needs",
          "[unit]") {
  TilesFile tiles = straightDuct();
  const SolverCase run = ductFlow();
  const auto numbers = [&] {
    return runNumbers(run, latticeRun(run, tiles.geometry), tiles.geometry);
  };
  const auto about = [&] {
    for (const std::string& warning : warningsAbout(numbers(), run))
      if (warning.find("narrowest throat") != std::string::npos) return warning;
    return std::string();
  };
  CHECK(numbers().throatAcross == 0.0);
  CHECK(about().empty());
  const double spacing = tiles.geometry.frame.spacing;
  // Two passages of 4 spacings in diameter, and a wider throat.
  tiles.geometry.throats = {
      {{2}, {}, {1, 0, 0}, 2.0 * 4.0 * std::numbers::pi * spacing * spacing, 2},
      {{2}, {}, {1, 0, 0}, 100.0 * spacing * spacing, 1}};
  CHECK(numbers().throatAcross == Approx(4.0));
  CHECK_THAT(about(),
             Catch::Contains("4 nodes across (grid Reynolds number ") &&
                 Catch::Contains("--spacing " + stage::number(1e3 * 0.5 * spacing) + "mm") &&
                 Catch::Contains("gives it 8"));
  tiles.geometry.throats[0].area *= 5.0;  // 8.9 nodes
  CHECK(about().empty());
  tiles.geometry.throats[0] = {{2}, {}, {1, 0, 0}, tiles.geometry.openings[0].area, 1};
  CHECK(about().empty());  // the opening itself
}

TEST_CASE("Pre-run checks: all warnings propose one spacing, which the narrowest place needs",
          "[unit]") {
  TilesFile tiles = straightDuct();
  const double spacing = tiles.geometry.frame.spacing;
  SolverCase run = ductFlow(0.0);
  run.openings[0] = Velocity{Profile::Plug, 2.0};
  run.latticeVelocity = 0.1;
  const auto warnings = [&] {
    return warningsAbout(runNumbers(run, latticeRun(run, tiles.geometry), tiles.geometry), run);
  };
  // Alone, the warning of the relaxation time proposes half the spacing and its grid Reynolds
  // number: 4 m/s, 1e-6 m2/s.
  const std::vector<std::string> alone = warnings();
  REQUIRE(alone.size() == 1);
  CHECK_THAT(alone[0],
             Catch::Contains("close to 1/2") &&
                 Catch::Contains("--spacing " + stage::number(1e3 * 0.5 * spacing) + "mm"));
  CHECK(valueAfter(alone[0], "has a grid Reynolds number of ") ==
        Approx(4.0 * 0.5 * spacing / 1e-6));
  // An opening of 6 nodes that needs a spacing 1.33 times finer, and a throat of 3.2 that needs one
  // 2.5 times finer.
  tiles.geometry.openings[1].radius = 3.0 * spacing;
  tiles.geometry.throats = {
      {{2}, {}, {1, 0, 0}, 1.6 * 1.6 * std::numbers::pi * spacing * spacing, 1}};
  run.openings[0] = Velocity{Profile::Plug, 0.2};
  std::size_t proposals = 0;
  for (const std::string& warning : warnings()) {
    INFO(warning);
    if (warning.find("--spacing") == std::string::npos) continue;
    ++proposals;
    CHECK_THAT(warning, Catch::Contains("--spacing " + stage::number(1e3 * 0.4 * spacing) + "mm"));
    if (warning.find("opening") == 0) CHECK_THAT(warning, Catch::Contains("mm gives 15"));
    if (warning.find("narrowest") != std::string::npos)
      CHECK_THAT(warning, Catch::Contains("mm gives it 8"));
  }
  CHECK(proposals == 3);
}

TEST_CASE("Pre-run checks: a prediction that lacks throats is a warning with the reason",
          "[unit]") {
  TilesFile tiles = straightDuct();
  const SolverCase run = ductFlow();
  const auto warnings = [&](const SolverCase& with) {
    return warningsAbout(runNumbers(with, latticeRun(with, tiles.geometry), tiles.geometry), with);
  };
  const std::size_t before = warnings(run).size();
  tiles.geometry.throatsNotSearched = "periodic axes";
  const std::vector<std::string> after = warnings(run);
  REQUIRE(after.size() == before + 1);
  CHECK_THAT(after[0] + after.back(),
             Catch::Contains("lacks throats") && Catch::Contains("periodic axes"));
  SolverCase still = run;  // nothing is predicted
  still.latticeVelocity.reset();
  still.tau = 0.8;
  for (auto& opening : still.openings) opening = Pressure{};
  for (const std::string& warning : warnings(still))
    CHECK_THAT(warning, !Catch::Contains("throats"));
}

TEST_CASE("Pre-run checks: free openings share the flow of their own connected part", "[unit]") {
  TilesFile tiles = straightDuct();
  SolverCase run = ductFlow();
  // A second duct, of nine times the section, that nothing drives.
  for (const int id : {3, 4}) {
    tiles.geometry.openings.push_back(tiles.geometry.openings[1]);
    tiles.geometry.openings.back().id = id;
    tiles.geometry.openings.back().area *= 9.0;
    run.openings.push_back(run.openings[1]);
  }
  const double area = tiles.geometry.openings[0].area;
  const double mean = std::abs(prescriptionOf(run.openings[0]).mean);
  tiles.geometry.throats = {{{2}, {}, {1, 0, 0}, 0.25 * area}};
  CHECK(throatVelocity(run, tiles.geometry) == Approx(2.0 * 4.0 * mean / 19.0));  // one part
  for (const std::size_t k : {2, 3}) tiles.geometry.openings[k].part = 2;
  CHECK(throatVelocity(run, tiles.geometry) == Approx(2.0 * 4.0 * mean));
  tiles.geometry.throats = {{{3}, {}, {1, 0, 0}, 0.25 * area}};
  CHECK(throatVelocity(run, tiles.geometry) == 0.0);
  tiles.geometry.throats.clear();
  CHECK(expectedVelocity(run, tiles.geometry) ==
        expectedVelocity(ductFlow(), straightDuct().geometry));
}

TEST_CASE("Pre-run checks: a run that cannot work is refused with values that do", "[unit]") {
  for (const double velocity : {1e-4, 0.02, 3.0, 200.0}) {
    for (const double scale : {1e-7, 0.4}) {
      SolverCase run = ductFlow(0.0);
      run.openings[0] = Velocity{Profile::Plug, velocity};
      run.latticeVelocity = scale;
      const std::string advice = refusal(straightDuct(), run);
      INFO("velocity " << velocity << ", scale " << scale << ": " << advice);
      if (advice.empty()) continue;
      run.latticeVelocity = valueAfter(advice, "lattice_velocity = ");
      const bool finer = advice.find("finer spacing") != std::string::npos;
      const double spacing =
          finer ? parseQuantity(
                      std::regex_replace(
                          advice, std::regex(".*--spacing (.*), and lattice_velocity.*"), "$1"),
                      Dimension::Length)
                : 1e-4;
      CHECK(spacing <= 1e-4);
      const TilesFile tiles = straightDuct(24, spacing);
      CHECK(refusal(tiles, run).empty());
      // Printed with three digits.
      CHECK(prepare(tiles.geometry, run, "cpu").lattice.tau ==
            Approx(valueAfter(advice, "\\(tau = ")).margin(2e-3));
    }
  }
  // By the key the case chooses its time step with.
  SolverCase run = ductFlow(0.0);
  run.tau = 30.0;
  run.tau = valueAfter(refusal(straightDuct(), run), "tau = [0-9.]+ cannot work.*; tau = ");
  CHECK(refusal(straightDuct(), run).empty());
  run.tau.reset();
  run.timeStep = 5e-3;
  run.timeStep = valueAfter(refusal(straightDuct(), run), "time_step = \"");
  CHECK(refusal(straightDuct(), run).empty());
}

TEST_CASE("Pre-run checks: Reynolds numbers and resolution of a run are those of its definition",
          "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase run = ductFlow(0.0);
  run.latticeVelocity = 0.05;
  const RunNumbers numbers =
      runNumbers(run, prepare(tiles.geometry, run, "cpu").lattice, tiles.geometry);
  const double diameter = 2.0 * 9e-4 / std::sqrt(3.14159265358979323846);
  CHECK(numbers.reynolds == Approx(0.02 * diameter / 1e-6));
  CHECK(numbers.nodesAcross == Approx(diameter / 1e-4));
  // Plug: by continuity twice the mean is expected at the outlet.
  CHECK(numbers.velocity == Approx(0.04));
  CHECK(numbers.gridReynolds == Approx(0.04 * 1e-4 / 1e-6));
  CHECK(numbers.mach == Approx(0.05 * std::sqrt(3.0)));
  CHECK(warningsAbout(numbers, run).empty());
  run.openings[0] = Velocity{Profile::Plug, 2.0};
  run.latticeVelocity = 0.2;
  const std::vector<std::string> warnings =
      warningsAbout(runNumbers(run, latticeRun(run, tiles.geometry), tiles.geometry), run);
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings[0], Catch::Contains("1/2") && Catch::Contains("spacing") &&
                              Catch::Contains("continues with cumulants on D3Q27"));
  CHECK_THAT(warnings[1], Catch::Contains("0.346"));
  const auto first = [&] {
    return warningsAbout(runNumbers(run, latticeRun(run, tiles.geometry), tiles.geometry), run)[0];
  };
  run.precision = PrecisionId::F16;  // without cumulants
  CHECK_THAT(first(), Catch::Contains("continues with half the time step"));
  run.keepEvery = 0;
  CHECK_THAT(first(), Catch::Contains("smagorinsky") && !Catch::Contains("continues"));
}

TEST_CASE("Pre-run checks: a more stable collision is suggested with all that it needs", "[unit]") {
  const TilesFile tiles = straightDuct();
  for (const bool moments : {false, true})
    for (const EquilibriumId equilibrium :
         {EquilibriumId::QuasiCompressible, EquilibriumId::Incompressible})
      for (const PrecisionId precision :
           {PrecisionId::F32, PrecisionId::F64, PrecisionId::F16, PrecisionId::F32F64}) {
        SolverCase run = ductFlow(0.0);
        run.equilibrium = equilibrium;
        run.precision = precision;
        run.state = moments ? StateId::Moments : StateId::Populations;
        const std::string advice = eddyAdvice(run);
        INFO(advice);
        // The suggested keys are changed, the rest stays.
        const auto names = [&](const char* words) {
          return advice.find(words) != std::string::npos;
        };
        REQUIRE(names("lattice = \"D3Q27\", collision = \"cumulant\""));
        run.lattice = LatticeId::D3Q27;
        run.collision = CollisionId::Cumulant;
        run.law.smagorinsky = 0.1;
        if (names("equilibrium = \"quasi-compressible\""))
          run.equilibrium = EquilibriumId::QuasiCompressible;
        if (names("precision = \"f32\"")) run.precision = PrecisionId::F32;
        if (names("state = \"populations\"")) run.state = StateId::Populations;
        CHECK_NOTHROW(prepare(tiles.geometry, run, "cpu"));
      }
}

TEST_CASE("Divergence: the message has the location, near an opening or in the flow", "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = straightDuct(120);
  SolverCase run = ductFlow(0.0);
  run.latticeVelocity = 0.05;
  run.steps = 400;
  for (const double bad : {3.0, std::nan("")}) {
    for (const int x : {2, 60, 118}) {
      Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
      simulation.setPopulations(brokenAt(tiles, {x, 4, 4}, bad));
      const std::string told = divergence(folder, simulation);
      INFO(told);
      CHECK(valueAfter(told, "before step ") <= 100.0);
      CHECK(std::abs(valueAfter(told, "node \\(") - x) < 6.0);
      CHECK(std::abs(valueAfter(told, "node \\([^)]*\\), \\(") - 0.1 * x) < 0.6);
      if (x == 60)
        CHECK_THAT(told, !Catch::Contains("opening1") && !Catch::Contains("opening2"));
      else
        CHECK_THAT(told, Catch::Contains(x == 2 ? "1 (opening1)" : "2 (opening2)"));
      CHECK_THAT(told, Catch::Contains("cause") && Catch::Contains("checkpoint"));
    }
  }
}

TEST_CASE("Divergence: a run too fast for its spacing gets the cause and keeps its checkpoint",
          "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = straightDuct(60);
  SolverCase run = ductFlow(0.0);
  run.collision = CollisionId::Bgk;
  run.openings[0] = Velocity{Profile::Plug, 4.0};
  run.latticeVelocity = 0.24;
  run.ramp = 0.0;
  run.steps = 20000;
  {
    SolverCase quiet = run;
    quiet.steps = 11;
    Simulation simulation(tiles, prepare(tiles.geometry, quiet, "cpu"));
    runToEnd(simulation, {folder.path() / "run.monitor.csv", folder.path() / "run.ckpt"}, false,
             std::atomic<bool>{true}, newProvenance("test"));
  }
  const std::string kept = (folder.path() / "run.ckpt").string();
  const auto size = std::filesystem::file_size(kept);
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  std::string told;
  try {
    runToEnd(simulation, {folder.path() / "run.monitor.csv", kept}, true, std::atomic<bool>{false},
             newProvenance("test"));
  } catch (const StageError& error) {
    told = error.what();
  }
  INFO(told);
  CHECK_THAT(told, Catch::Contains("diverged") && Catch::Contains("Reynolds"));
  CHECK_THAT(told, Catch::Contains("step 10"));
  CHECK(std::filesystem::file_size(kept) == size);
}

TEST_CASE("Divergence: fields with values that are not numbers are never returned", "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase run = ductFlow(0.0);
  run.latticeVelocity = 0.05;
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  RunResult result;
  result.last = simulation.sample();
  CHECK(fieldsOf(simulation, result).pressure.size() == tiles.geometry.fluidNodes);
  simulation.setPopulations(brokenAt(tiles, {12, 4, 4}, std::nan("")));
  CHECK_THROWS_AS(fieldsOf(simulation, result), StageError);
  simulation.setPopulations(brokenAt(tiles, {12, 4, 4}, INFINITY));
  CHECK_THROWS_AS(fieldsOf(simulation, result), StageError);
}

TEST_CASE("Convergence: the error estimate of a steady run is its distance from the known limit",
          "[unit]") {
  // Periodic plane channel driven by a force: the flow approaches its parabola as exp(-pi^2 nu t /
  // H^2), the energy's relative distance from its limit is twice that of the flow.
  const TemporaryFolder folder;
  const TilesFile tiles = periodicChannel(16);
  SolverCase run = forcedChannelFlow(1.0);
  run.steps = 100000;
  run.monitorEvery = 20;
  run.accelerate = false;  // the slowest mode's decay is what is estimated
  const auto energy = [&](double converged) {
    run.converged = converged;
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    return runIn(folder, simulation);
  };
  const double limit = energy(1e-13).last.nodes.kineticEnergy;
  for (const double threshold : {1e-2, 1e-4, 1e-6}) {
    const RunResult result = energy(threshold);
    CHECK(result.converged);
    CHECK(result.change < threshold);
    REQUIRE(result.errorEstimate);
    const double error = 1.0 - result.last.nodes.kineticEnergy / limit;
    INFO("threshold " << threshold << ", error " << error << ", estimate "
                      << *result.errorEstimate);
    CHECK(*result.errorEstimate == Approx(error).epsilon(0.15));
    // Error as the stop rule alone would suggest.
    CHECK(error > 5.0 * result.change);
  }
}

TEST_CASE("Convergence: no error is estimated while changes do not fall", "[unit]") {
  SteadyRule rule(1e-6, 0);
  for (int k = 1; k <= 30; ++k) {
    MonitorSample sample;
    sample.step = static_cast<std::uint64_t>(100 * k);
    sample.nodes.kineticEnergy = 1.0 + 1e-3 * (k % 2);
    CHECK_FALSE(rule.met(sample));
  }
  CHECK_FALSE(rule.errorEstimate());
}

TEST_CASE(
    "Density range: a fluid that is denser or thinner everywhere has that least and largest "
    "density",
    "[unit]") {
  PartialSample thin, dense;
  for (const double r : {-0.03, -0.01}) addNode(Macroscopic<double>{r, {}, {}}, thin);
  for (const double r : {0.02, 0.05}) addNode(Macroscopic<double>{r, {}, {}}, dense);
  CHECK(reduced(thin).densityMin == 1.0 - 0.03);
  CHECK(reduced(thin).densityMax == 1.0 - 0.01);
  CHECK(reduced(dense).densityMin == 1.0 + 0.02);
  CHECK(reduced(dense).densityMax == 1.0 + 0.05);
  addSample(thin, dense);
  CHECK(reduced(dense).densityMin == 1.0 - 0.03);
  CHECK(reduced(dense).densityMax == 1.0 + 0.05);
}
