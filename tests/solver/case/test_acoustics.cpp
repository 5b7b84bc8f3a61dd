// SPDX-License-Identifier: GPL-3.0-or-later
// Sound of pulsatile flow, predicted before the start: ways between openings, change of the flow's
// amplitude, time steps that keep it small, warnings.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "pipelines/stage/text.hpp"
#include "solver/case/pre_run_checks.hpp"
#include "solver/run/setup.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::comm;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

constexpr double pi = std::numbers::pi;

Harmonics oneHarmonic(double omega) {
  return {omega, {{1.0, 0.0}}};
}

// A channel in 2D whose inlet swings with a period, s.
SolverCase swingingCase(double period) {
  SolverCase run = planeCase();
  run.tau.reset();
  run.pulse.period = period;
  run.openings[0] =
      pulsating(periodicSeries(period, [](double s) { return 0.01 * std::sin(2.0 * pi * s); }),
                Profile::Womersley);
  return run;
}

double errorOf(const SolverCase& run, const TilesFile& tiles) {
  const LatticeRun lattice = latticeRun(run, tiles.geometry);
  REQUIRE(lattice.sound);
  return acousticError(*lattice.sound, lattice.soundSpeed());
}

}  // namespace

TEST_CASE("Sound: without a Stokes layer the amplitude changes by 1 / cos(omega L / c)", "[unit]") {
  SoundPath path;
  path.alpha = 1e5;
  path.length = 0.5;
  path.harmonics = oneHarmonic(1.0);
  for (const double speed : {1.0, 2.0, 5.0})
    CHECK(acousticError(path, speed) ==
          Approx(1.0 / std::cos(path.length / speed) - 1.0).epsilon(1e-3));
  // Between two pressures x / tan x, x = omega L / 2 c.
  path.bothPressures = true;
  CHECK(acousticError(path, 1.0) == Approx(1.0 - 0.25 / std::tan(0.25)).epsilon(1e-3));
  // Behind the resonance, where the outflow has turned round, it is no small number.
  path.bothPressures = false;
  path.length = pi;
  CHECK(acousticError(path, 1.0) > 1.0);
}

TEST_CASE("Sound: the Stokes layer of a tube slows it down as measured", "[unit]") {
  // Tube of 3 diameters, 24 nodes across, omega L / c = 0.46: the outflow swung by 13.6 % more than
  // the inflow; another of 1.5 diameters with 0.433 by 11.6 %.
  SoundPath path;
  path.alpha = 10.0;
  path.length = 1.0;
  path.harmonics = oneHarmonic(0.46);
  CHECK(acousticError(path, 1.0) == Approx(0.136).epsilon(0.03));
  path.harmonics = oneHarmonic(0.433);
  CHECK(acousticError(path, 1.0) == Approx(0.116).epsilon(0.03));
  // Harmonics count by their amplitudes.
  const double slow = acousticError(path, 2.0);
  path.harmonics.amplitude = {{0.0, 0.0}, {1.0, 0.0}};
  const double fast = acousticError(path, 2.0);
  path.harmonics.amplitude = {{0.75, 0.0}, {0.0, 0.25}};
  CHECK(acousticError(path, 2.0) == Approx(0.75 * slow + 0.25 * fast));
}

TEST_CASE("Sound: the number of steps brings the error to its target, also behind resonances",
          "[unit]") {
  SoundPath path;
  path.alpha = 10.0;
  path.length = 1.0;
  for (const double omega : {0.05, 0.46, 1.5, 4.0, 9.0}) {
    path.harmonics = oneHarmonic(omega);
    const double factor = stepsForSound(path, 1.0);
    INFO("omega " << omega << ", factor " << factor);
    CHECK(acousticError(path, factor) <= acousticTarget);
    if (factor > 1.0) CHECK(acousticError(path, factor / 1.02) > acousticTarget);
    CHECK((factor == 1.0) == (omega < 0.1));
  }
}

TEST_CASE("Sound: its way follows a straight and a bent channel", "[unit]") {
  const TilesFile straight = planeChannel(61, 12);
  const OpeningPaths paths(straight.geometry, noOthers());
  CHECK(paths.lengthsFrom(0)[1] == Approx(61e-4).epsilon(1e-6));
  CHECK(paths.lengthsFrom(1)[0] == Approx(61e-4).epsilon(1e-6));
  // There and back: two legs of 100 nodes, 20 wide, joined at one end.
  const auto isFluid = [](int x, int y, int) { return y < 20 || y >= 60 || x >= 80; };
  const TilesFile bent = imageGeometry({100, 80, 1}, isFluid, {false, false, true}, {{0, false, 1}},
                                       1e-4, {0, 0, 0}, 2);
  REQUIRE(bent.geometry.openings.size() == 1);
  tiler::TiledGeometry geometry = bent.geometry;
  geometry.openings.push_back(geometry.openings[0]);
  geometry.openings[0].centre = {-0.5e-4, 9.5e-4, 0.0};
  geometry.openings[1].centre = {-0.5e-4, 69.5e-4, 0.0};
  // Along the middle 90 + 60 + 90 nodes, round the inner corners 81 + 40 + 81 and two slants.
  const double length = OpeningPaths(geometry, noOthers()).lengthsFrom(0)[1] / 1e-4;
  CHECK(length > 200.0);
  CHECK(length < 240.0);
}

TEST_CASE("Sound: the time step is shortened where the case leaves it to the program", "[unit]") {
  const TilesFile tiles = planeChannel(60, 12);
  SolverCase fixed = swingingCase(0.6);
  fixed.timeStep = latticeRun(swingingCase(1e4), tiles.geometry).scales.timeStep;
  const double unchanged = errorOf(fixed, tiles);
  CHECK(unchanged > acousticHighest);
  CHECK(latticeRun(fixed, tiles.geometry).soundSteps == 1.0);

  const SolverCase run = swingingCase(0.6);
  const LatticeRun lattice = latticeRun(run, tiles.geometry);
  CHECK(lattice.soundSteps > 1.0);
  CHECK(lattice.soundSteps <= acousticMostSteps);
  CHECK(lattice.scales.timeStep * lattice.soundSteps == Approx(*fixed.timeStep).epsilon(0.01));
  CHECK(errorOf(run, tiles) <= acousticTarget);
  CHECK(warningsAbout(runNumbers(run, lattice, tiles.geometry), run).empty());
  // A steady flow, and one that swings slowly, keep theirs.
  CHECK(latticeRun(swingingCase(1e4), tiles.geometry).soundSteps == 1.0);

  // Where too many steps would be needed, or tau be too low, as many as may be are taken.
  const SolverCase fast = swingingCase(0.1);
  SolverCase usual = fast;
  usual.timeStep = *fixed.timeStep;
  const LatticeRun fewer = latticeRun(fast, tiles.geometry);
  CHECK(fewer.soundSteps > 1.0);
  CHECK(errorOf(fast, tiles) > acousticHighest);
  CHECK(errorOf(fast, tiles) < 0.5 * errorOf(usual, tiles));
  const double room = (fewer.tau - 0.5) / (tauLowestForPulse(fast) - 0.5);
  CHECK(std::min(room, acousticMostSteps / fewer.soundSteps) == Approx(1.0).epsilon(0.05));
  CHECK(warningsAbout(runNumbers(fast, fewer, tiles.geometry), fast).size() ==
        warningsAbout(runNumbers(usual, latticeRun(usual, tiles.geometry), tiles.geometry), usual)
            .size());

  // With the step given, and where more steps do not help, there is a warning whose advice works.
  for (const double period : {0.6, 0.02}) {
    SolverCase warned = swingingCase(period);
    warned.timeStep = period == 0.6 ? fixed.timeStep : std::nullopt;
    const LatticeRun kept = latticeRun(warned, tiles.geometry);
    CHECK(kept.soundSteps == 1.0);
    const RunNumbers numbers = runNumbers(warned, kept, tiles.geometry);
    CHECK(numbers.sound.error > acousticHighest);
    const auto warnings = warningsAbout(numbers, warned);
    INFO((warnings.empty() ? "no warning" : warnings[0]));
    REQUIRE_FALSE(warnings.empty());
    CHECK_THAT(warnings[0],
               Catch::Contains("1 (") && Catch::Contains("2 (") &&
                   Catch::Contains(fmt::format("{:.3g} %", 100 * numbers.sound.error)));
    warned.timeStep = kept.scales.timeStep / numbers.sound.factor;
    CHECK(errorOf(warned, tiles) <= 1.01 * acousticTarget);
  }
}

TEST_CASE("Stokes layer: its nodes are (2 nu / omega)^1/2, and few of them are warned of",
          "[unit]") {
  const TilesFile tiles = planeChannel(24, 12);
  // Layer of 1.5 spacings of 0.1 mm in water: omega = 2 nu / layer^2.
  SolverCase run = swingingCase(pi * std::pow(1.5e-4, 2) / 1e-6);
  run.timeStep = run.pulse.period / 5000.0;
  const RunNumbers numbers = runNumbers(run, latticeRun(run, tiles.geometry), tiles.geometry);
  CHECK(numbers.stokesLayer == Approx(1.5));
  const auto warnings = warningsAbout(numbers, run);
  REQUIRE(warnings.size() >= 1);
  CHECK_THAT(warnings.back(), Catch::Contains("Stokes layer") && Catch::Contains("1.5 nodes"));
  run = swingingCase(pi * std::pow(2e-4, 2) / 1e-6);
  run.timeStep = run.pulse.period / 5000.0;
  const RunNumbers enough = runNumbers(run, latticeRun(run, tiles.geometry), tiles.geometry);
  for (const std::string& warning : warningsAbout(enough, run))
    CHECK_THAT(warning, !Catch::Contains("Stokes layer"));
}
