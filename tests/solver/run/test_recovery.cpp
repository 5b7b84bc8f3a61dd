// SPDX-License-Identifier: GPL-3.0-or-later
// Recovery from divergence: the rule, the rescaled state, runs that recover, also when they are
// stopped and resumed, and the checkpoints of these.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/run/checkpoints.hpp"
#include "solver/run/recovery.hpp"
#include "tests/fixtures/case/run_in_folder.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::testing;

namespace {

// A force drives it up to 0.43 nodes a step; 0.4 is reached after some 3000 steps, and with half
// the time step never.
TilesFile forcedDuct() {
  return closedBox({4, 21, 21}, {true, false, false});
}

SolverCase tooFast() {
  SolverCase run = waterCase(0.56);
  run.precision = PrecisionId::F64;
  run.bodyForce = {789.0, 0.0, 0.0};
  run.steps = 3000;
  run.keepEvery = 200;
  return run;
}

KeptState keptOf(Simulation& simulation, std::uint64_t rows) {
  KeptStates states(simulation, {});
  states.keep(rows, outletValues(simulation), {});
  return *states.last();
}

Recovery halved(Simulation& simulation, const KeptState& kept) {
  return planRecovery(simulation.setup(), kept, 0.2, 100).value();
}

double largestPressure(const MonitorSample& sample) {
  return *std::max_element(sample.pressure.begin(), sample.pressure.end());
}

}  // namespace

TEST_CASE("Recovery: half the time step for fast flows, cumulants for slow ones at a small tau",
          "[unit]") {
  const TilesFile tiles = straightDuct();
  const auto planned = [&](double tau, double fastest, CollisionId collision) {
    SolverCase run = ductFlow();
    run.tau = tau;
    run.collision = collision;
    if (collision == CollisionId::Cumulant) run.lattice = LatticeId::D3Q27;
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    const auto recovery = planRecovery(simulation.setup(), keptOf(simulation, 0), fastest, 7);
    return !recovery ? "none" : recovery->refinement == 2 ? "half" : recovery->variant;
  };
  const std::string cumulants = "D3Q27 cumulant quasi-compressible f64";
  CHECK(planned(0.6, 0.02, CollisionId::Trt) == "half");
  CHECK(planned(0.51, 0.12, CollisionId::Trt) == "half");
  CHECK(planned(0.51, 0.05, CollisionId::Trt) == cumulants);
  CHECK(planned(0.5008, 0.12, CollisionId::Trt) == cumulants);  // tau would be below 0.5005
  CHECK(planned(0.51, 0.05, CollisionId::Cumulant) == "half");
  CHECK(planned(0.5008, 0.05, CollisionId::Cumulant) == "none");
}

TEST_CASE("Recovery: a state of moments goes on as populations of cumulants", "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase run = steadyDuctFlow(1e-7);
  run.collision = CollisionId::Regularised;
  run.state = StateId::Moments;
  run.latticeVelocity = std::nullopt;
  run.tau = 0.52;
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(6000);
  const MonitorSample before = simulation.sample();
  const KeptState kept = keptOf(simulation, 0);
  const Recovery recovery = planRecovery(simulation.setup(), kept, 0.05, 7).value();
  CHECK(recovery.variant == "D3Q27 cumulant quasi-compressible f64");
  CHECK(hasRoomForCumulants(simulation.setup()));
  // Without room for 27 values in place of 10: half the time step.
  CHECK(planRecovery(simulation.setup(), kept, 0.05, 7, false).value().refinement == 2);
  goBack(kept, recovery, {{"step"}, {}}, simulation);
  CHECK_FALSE(simulation.setup().variant->storesMoments());
  simulation.advance(200);
  const MonitorSample after = simulation.sample();
  CHECK(after.flowRate[0] == Approx(before.flowRate[0]).epsilon(1e-3));
  CHECK(largestPressure(after) == Approx(largestPressure(before)).epsilon(0.02));
}

TEST_CASE("Recovery: states are kept more rarely the longer a run lasts, and count once calm",
          "[unit]") {
  const TilesFile tiles = straightDuct();
  Simulation simulation(tiles, prepare(tiles.geometry, ductFlow(), "cpu"));
  KeptStates states(simulation, {});
  for (const std::uint64_t step : {2000, 14000, 16000, 20000, 32000, 40000})
    CHECK(states.due(step));
  for (const std::uint64_t step : {100, 3000, 18000, 36000}) CHECK_FALSE(states.due(step));
  const auto keep = [&] { states.keep(0, outletValues(simulation), {}); };
  keep();
  CHECK(states.last()->step == 0);
  simulation.advance(10);
  keep();
  states.follow(400, true);
  CHECK(states.last()->step == 0);
  states.follow(500, false);
  states.follow(600, true);
  CHECK(states.last()->step == 0);  // the later one was not calm
  simulation.advance(10);
  keep();
  states.follow(520, true);
  CHECK(states.last()->step == 20);
}

TEST_CASE("Recovery: a flow continues with half the time step where it was", "[unit]") {
  const TilesFile tiles = straightDuct();
  for (const bool windkessel : {false, true}) {
    SolverCase run = steadyDuctFlow(1e-7);
    if (windkessel) run.openings[1] = Windkessel{1e9, 1e-12, 4e9};
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    simulation.advance(6000);
    const MonitorSample before = simulation.sample();
    const double time = double(simulation.step() + 1) * simulation.setup().lattice.scales.timeStep;
    const KeptState kept = keptOf(simulation, 0);
    goBack(kept, halved(simulation, kept), {{"step"}, {}}, simulation);
    const Setup& setup = simulation.setup();
    CHECK(setup.refinement() == 2);
    CHECK(double(simulation.step()) * setup.lattice.scales.timeStep == Approx(time));
    CHECK(setup.run.steps == 2 * run.steps);
    CHECK(setup.run.monitorEvery == 2 * run.monitorEvery);
    for (const std::uint64_t steps : {0, 1, 200}) {
      simulation.advance(steps);
      const MonitorSample after = simulation.sample();
      INFO(steps << " steps on, with a Windkessel: " << windkessel);
      CHECK(after.flowRate[1] == Approx(before.flowRate[1]).epsilon(5e-3));
      CHECK(largestPressure(after) == Approx(largestPressure(before)).epsilon(5e-3));
      CHECK(after.nodes.speedMax == Approx(0.5 * before.nodes.speedMax).epsilon(5e-3));
    }
  }
}

TEST_CASE("Recovery: a run too fast for its time step comes to its end", "[unit]") {
  const TilesFile tiles = forcedDuct();
  RunInFolder one{tiles, tooFast()};
  std::string said = standardErrorOf([&] { one.go(false); });
  INFO(said);
  CHECK_THAT(said, Catch::Contains("diverged before step") && Catch::Contains("goes back to") &&
                       Catch::Contains("recovery 1 of at most 3"));
  const Fields fields = readFieldsFile(one.files.fields);
  CHECK(fields.time == Approx(3000 * 2.0 * fields.timeStep));
  CHECK_THAT(fields.recovered, Catch::Contains("half the time step"));
  CHECK(fields.monitorColumns.back() == "recoveries");
  CHECK(one.result.stepsMade > one.result.step);
  CHECK(one.result.stepsMade < one.result.step + 800);  // not from the start again

  // As one that has half the time step from the start.
  SolverCase half = tooFast();
  half.tau = 0.53;
  half.steps = 6000;
  RunInFolder direct{tiles, half};
  direct.go(false);
  CHECK(readFieldsFile(direct.files.fields).recovered.empty());
  CHECK(one.result.last.nodes.kineticEnergy ==
        Approx(direct.result.last.nodes.kineticEnergy).epsilon(1e-3));

  RunInFolder stopping{tiles, tooFast()};
  stopping.run.keepEvery = 0;
  checkError(ExitCode::RunFailed, [&] { stopping.go(false); }, {"diverged", "cause"});
}

TEST_CASE("Recovery: stopped before and after it and resumed, a run gives the same bytes",
          "[unit]") {
  const TilesFile tiles = forcedDuct();
  const auto steady = [](SolverCase run) {
    run.converged = 1e-12;  // leaves a checkpoint
    return run;
  };
  RunInFolder straight{tiles, steady(tooFast())};
  const std::string expected = straight.go(false);
  RunInFolder often{tiles, steady(tooFast())};
  for (const std::uint64_t steps : {33, 450, 640, 1880, 2500}) {
    often.run.steps = steps;
    often.go(steps > 33);
  }
  often.run.steps = tooFast().steps;
  CHECK(often.go(true) == expected);
}

TEST_CASE("Recovery: cycles, their phases and means continue", "[unit]") {
  const TilesFile tiles = forcedDuct();
  SolverCase run = tooFast();
  run.pulse = {500 * 2e-4, 5, 1e-9, 7, 0};
  RunInFolder one{tiles, run};
  const std::string expected = one.go(false);
  const Fields fields = readFieldsFile(one.files.fields);
  REQUIRE_FALSE(fields.recovered.empty());
  CHECK(one.result.cycles == 5);
  CHECK(fields.time == Approx(5 * run.pulse.period));
  REQUIRE(fields.means);
  CHECK(fields.means->lastStep - fields.means->firstStep == fields.step / 5);
  for (int k = 1; k <= 7; ++k) CHECK(std::filesystem::exists(one.files.intermediate(k)));
  RunInFolder often{tiles, run};
  for (const std::uint64_t steps : {50, 640, 1600, 2100}) {
    often.run.steps = steps;
    often.go(steps > 50);
  }
  often.run.steps = run.steps;
  CHECK(often.go(true) == expected);
}

TEST_CASE("Recovery: a checkpoint with recoveries that no run makes is refused", "[unit]") {
  const TilesFile tiles = straightDuct();
  Simulation simulation(tiles, prepare(tiles.geometry, ductFlow(), "cpu"));
  const double timeStep = simulation.setup().lattice.scales.timeStep;
  const std::string variant = simulation.setup().variant->name();
  const std::vector<Recovery> wrong[]{
      {{7, 0.0, 2, timeStep / 3, 3, variant, ""}},
      {{7, 0.0, 2, timeStep / 2, 2, "D3Q19 nothing", ""}},
      {{7, 0.0, 2, timeStep, 2, variant, ""}},
      std::vector<Recovery>(4, {7, 0.0, 2, timeStep, 1, variant, ""})};
  for (const auto& recoveries : wrong)
    checkError(ExitCode::BadInput, [&] { repeatRecoveries("run.ckpt", recoveries, 3, simulation); },
               {"run.ckpt", "recoveries"});
}
