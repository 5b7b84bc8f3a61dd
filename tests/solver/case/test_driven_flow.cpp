// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities that pressures drive, estimated before the start.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/case/driven_flow.hpp"
#include "solver/case/pre_run_checks.hpp"
#include "solver/case/time_step.hpp"
#include "solver/run/setup.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/forked_channel.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::comm;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// Between two pressures, Pa, at the ends of a plane channel of water.
SolverCase between(double inlet, double outlet) {
  SolverCase run = planeCase();
  run.openings[0] = Pressure{inlet};
  run.openings[1] = Pressure{outlet};
  return run;
}

}  // namespace

TEST_CASE("Pressures: the velocity they drive is Poiseuille's peak, at most Bernoulli's",
          "[unit]") {
  const TilesFile tiles = planeChannel(60, 12);
  const auto velocityOf = [&](const SolverCase& run) {
    return flowByPressures(run, tiles.geometry, noOthers()).velocity;
  };
  const double viscosity = planeCase().density * planeCase().kinematicViscosity;
  const double slow = 12e-4 * 12e-4 / (8.0 * viscosity * 60e-4);
  CHECK(velocityOf(between(0.1, 0.0)) == Approx(0.1 * slow).epsilon(0.05));
  CHECK(velocityOf(between(-0.1, 0.1)) == Approx(0.2 * slow).epsilon(0.05));
  CHECK(velocityOf(between(1e4, 0.0)) == Approx(std::sqrt(2e4 / planeCase().density)));
  CHECK(velocityOf(between(3.0, 3.0)) == 0.0);
  CHECK(velocityOf(planeCase()) == 0.0);

  // Largest difference in a period.
  SolverCase swinging = between(0.0, 0.0);
  swinging.pulse.period = 1.0;
  Pressure course;
  course.series = periodicSeries(1.0, [](double s) { return 0.1 * std::sin(6.2831853 * s); });
  swinging.openings[0] = course;
  CHECK(velocityOf(swinging) == Approx(0.1 * slow).epsilon(0.05));

  // It is asked for where nothing else says how fast the flow is.
  SolverCase run = between(0.1, 0.0);
  run.tau = 0.8;
  const LatticeRun lattice = latticeRun(run, tiles.geometry);
  CHECK(lattice.velocityMax == 0.0);
  CHECK(lattice.velocityDriven * lattice.scales.velocity() == Approx(0.1 * slow).epsilon(0.05));
  CHECK(latticeRun(planeCase(), tiles.geometry).velocityDriven == 0.0);
}

TEST_CASE("Driven flow: a body force drives it through the hydraulic diameter", "[unit]") {
  const TilesFile tiles = planeChannel(60, 12);
  SolverCase run = planeCase();
  const auto flow = [&] { return flowByForce(run, tiles.geometry, noOthers()); };
  CHECK(flow().velocity == 0.0);
  run.bodyForce = {0.3, 0.0, 0.4};
  // Twice the peak between planes, less what the nodes at the openings add to the wall.
  const double peak = 0.5 * 12e-4 * 12e-4 / (8.0 * run.density * run.kinematicViscosity);
  CHECK(flow().velocity > 1.4 * peak);
  CHECK(flow().velocity < 2.0 * peak);
  CHECK(flow().difference == 0.0);
  run.bodyForce = {1e6, 0.0, 0.0};
  CHECK(flow().velocity == Approx(std::sqrt(2e6 / run.density * 60e-4)));
}

TEST_CASE("Time step: a case that is silent about it gets one, whatever drives the flow",
          "[unit]") {
  const TilesFile tiles = planeChannel(60, 12);
  const auto chosenFor = [&](SolverCase run) {
    run.tau = run.timeStep = run.latticeVelocity = std::nullopt;
    return latticeRun(run, tiles.geometry);
  };
  SolverCase fast = planeCase();
  fast.openings[0] = Velocity{Profile::Plug, 0.02};
  const LatticeRun prescribed = chosenFor(fast);
  CHECK(prescribed.choice == StepChoice::Velocity);
  CHECK(prescribed.velocityMax == Approx(usualVelocity));

  // Pressures: by the velocity, while tau stays in its range and the density nearly constant.
  const LatticeRun driven = chosenFor(between(0.5, 0.0));
  CHECK(driven.choice == StepChoice::Driven);
  CHECK(driven.velocityMax == 0.0);
  CHECK(driven.velocityDriven == Approx(usualVelocity));
  const LatticeRun violent = chosenFor(between(1e4, 0.0));
  CHECK(violent.choice == StepChoice::Driven);
  CHECK(violent.tau == Approx(0.502));
  const auto warnings =
      warningsAbout(runNumbers(between(1e4, 0.0), violent, tiles.geometry), between(1e4, 0.0));
  REQUIRE_FALSE(warnings.empty());
  CHECK_THAT(warnings[0],
             Catch::Contains("close to 1/2") && !Catch::Contains("(grid Reynolds number 0)"));
  const LatticeRun gentle = chosenFor(between(1e-6, 0.0));
  CHECK(gentle.choice == StepChoice::Viscosity);
  CHECK(gentle.tau == Approx(2.0));

  SolverCase forced = between(0.0, 0.0);
  checkError(stage::ExitCode::Usage, [&] { chosenFor(forced); }, {"drives a flow", "tau = 0.8"});
  forced.bodyForce = {100.0, 0.0, 0.0};
  CHECK(chosenFor(forced).choice == StepChoice::Driven);
  forced.latticeVelocity = 0.02;
  forced.tau = std::nullopt;
  CHECK(latticeRun(forced, tiles.geometry).velocityDriven == Approx(0.02));

  // Pressures that surely drive more than the prescribed flow.
  SolverCase mixed = fast;
  mixed.openings[1] = Pressure{0.0};
  CHECK(chosenFor(mixed).choice == StepChoice::Velocity);
  const TilesFile fork = forkedChannel();
  mixed.openings.push_back(Pressure{0.0});
  mixed.tau = mixed.timeStep = mixed.latticeVelocity = std::nullopt;
  const LatticeRun alike = latticeRun(mixed, fork.geometry);
  CHECK(alike.choice == StepChoice::Velocity);
  CHECK(alike.velocityDriven == 0.0);
  mixed.openings[2] = Pressure{20.0};
  const LatticeRun apart = latticeRun(mixed, fork.geometry);
  CHECK(apart.choice == StepChoice::Driven);
  CHECK(apart.velocityDriven > 2.0 * apart.velocityMax);
  CHECK(apart.velocityMax > 0.0);
  const RunNumbers numbers = runNumbers(mixed, apart, fork.geometry);
  CHECK(numbers.velocity == Approx(apart.velocityDriven * apart.scales.velocity()));
  mixed.openings[2] = Pressure{1e5};
  const RunNumbers absurd = runNumbers(mixed, latticeRun(mixed, fork.geometry), fork.geometry);
  REQUIRE_FALSE(warningsAbout(absurd, mixed).empty());
  CHECK_THAT(warningsAbout(absurd, mixed).back(),
             Catch::Contains("are their units right?") && Catch::Contains("lattice_velocity"));

  // A local viscosity keeps its largest value workable.
  SolverCase blood = between(1e-6, 0.0);
  blood.law.model = solver::model::FluidModel::CarreauYasuda;
  blood.law.lowest = blood.kinematicViscosity;
  blood.law.highest = 100.0 * blood.kinematicViscosity;
  CHECK(chosenFor(blood).tauHighest == Approx(10.0));
}
