// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities that pressures drive, estimated before the start.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/case/pressure_flow.hpp"
#include "solver/case/time_step.hpp"
#include "solver/run/setup.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
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
    return pressureDrivenVelocity(run, tiles.geometry, noOthers());
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
