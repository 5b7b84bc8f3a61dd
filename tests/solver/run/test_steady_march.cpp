// SPDX-License-Identifier: GPL-3.0-or-later
// Accelerated march to a steady state: weights of known sequences, moments of states, runs that
// reach the state of the plain march, that are stopped and resumed, and flows that do not settle.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "solver/run/linear_moments.hpp"
#include "solver/run/mode_extrapolation.hpp"
#include "solver/run/recovery.hpp"
#include "solver/run/steady_march.hpp"
#include "tests/fixtures/case/run_in_folder.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::testing;

namespace {

using Complex = std::complex<double>;

// A mode and its amplitude; a component of the state for its real and one for its imaginary part.
struct Mode {
  Complex eigenvalue;
  double amplitude;
};

// Components of the state after k intervals, less those of the limit.
std::vector<double> stateOf(const std::vector<Mode>& modes, int k) {
  std::vector<double> state;
  for (const Mode& mode : modes) {
    const Complex value = mode.amplitude * std::pow(mode.eigenvalue, k);
    state.insert(state.end(), {value.real(), value.imag()});
  }
  return state;
}

// The state that the extrapolation leads to, from seven.
std::vector<double> extrapolated(const std::vector<Mode>& modes) {
  constexpr int changes = 6;
  std::vector<std::vector<double>> change;
  for (int k = 0; k < changes; ++k) {
    change.push_back(stateOf(modes, k + 1));
    const std::vector<double> before = stateOf(modes, k);
    for (std::size_t e = 0; e < before.size(); ++e) change.back()[e] -= before[e];
  }
  std::vector<double> gram;
  for (const auto& a : change)
    for (const auto& b : change)
      gram.push_back(std::inner_product(a.begin(), a.end(), b.begin(), 0.0));
  const std::vector<double> weights = extrapolationWeights(gram).value();
  std::vector<double> state = stateOf(modes, changes);
  for (std::size_t w = 0; w < weights.size(); ++w)
    for (std::size_t e = 0; e < state.size(); ++e) state[e] += weights[w] * change[w + 1][e];
  return state;
}

SolverCase acceleratedDuctFlow(double converged) {
  SolverCase run = steadyDuctFlow(converged);
  run.accelerate = true;
  return run;
}

struct Ends {
  RunResult plain;
  RunResult fast;
  double apart = 0.0;  // of the populations, to the largest
};

// The plain march and the accelerated one until their changes are below that of the case.
Ends bothMarches(const TilesFile& tiles, SolverCase run) {
  Ends ends;
  std::vector<double> state;
  for (const bool accelerate : {false, true}) {
    const TemporaryFolder folder;
    const std::atomic<bool> signal{false};
    const RunFiles files{folder / "m.csv", folder / "run.ckpt", folder / "run", "t.tiles", "", {}};
    run.accelerate = accelerate;
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    REQUIRE(simulation.setup().accelerated == accelerate);
    (accelerate ? ends.fast : ends.plain) =
        runToEnd(simulation, files, false, signal, newProvenance("t"));
    const std::vector<double> now = simulation.populations();
    double largest = 0.0;
    for (std::size_t k = 0; k < state.size(); ++k) {
      ends.apart = std::max(ends.apart, std::abs(now[k] - state[k]));
      largest = std::max(largest, std::abs(state[k]));
    }
    if (accelerate) ends.apart /= largest;
    state = now;
  }
  return ends;
}

}  // namespace

TEST_CASE("Extrapolation: modes that decay are taken to their limit", "[unit]") {
  const std::vector<Mode> modes{{0.97, 1.0}, {0.8, -0.5}, {std::polar(0.9, 0.7), 0.3}, {0.3, 0.2}};
  // The complex one has two components that move together, and a conjugate in the polynomial.
  for (const double value : extrapolated(modes)) CHECK(std::abs(value) < 1e-4);
}

TEST_CASE("Extrapolation: modes that grow or swing on are left as they are", "[unit]") {
  const std::vector<Mode> modes{{0.9, 1.0}, {1.15, 0.01}, {std::polar(1.0, 1.0), 0.1}};
  const std::vector<double> state = extrapolated(modes);
  const std::vector<double> before = stateOf(modes, 6);
  CHECK(std::abs(state[0]) < 1e-4);
  CHECK(state[2] == Approx(before[2]).epsilon(1e-3));
  CHECK(state[4] == Approx(before[4]).margin(1e-4));
  CHECK(state[5] == Approx(before[5]).margin(1e-4));
}

TEST_CASE("Extrapolation: none where nothing changes", "[unit]") {
  CHECK_FALSE(extrapolationWeights(std::vector<double>(36, 0.0)));
}

TEST_CASE("Linear moments: a difference that is added is found again", "[unit]") {
  for (const VariantAxes axes :
       {VariantAxes{LatticeId::D3Q19}, VariantAxes{LatticeId::D3Q27, CollisionId::Mrt},
        VariantAxes{LatticeId::D3Q19, CollisionId::Regularised, EquilibriumId::QuasiCompressible,
                    ViscosityId::Constant, PrecisionId::F64, TilingId::Aligned, StateId::Moments},
        VariantAxes{LatticeId::D2Q9}}) {
    VariantAxes built = axes;
    built.precision = PrecisionId::F64;
    const auto& variant = solver::backend::findVariant(built);
    INFO(variant.name());
    const bool plane = variant.lattice.dimensions == 2;
    std::vector<double> values(variant.stateValues * 64UL);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = noiseAt(k);
    std::vector<double> added(linearMoments * 64);
    for (std::size_t k = 0; k < added.size(); ++k) {
      const std::size_t e = k / 64;
      const bool outOfPlane = e == 3 || e == 6 || e >= 8;
      added[k] = plane && outOfPlane ? 0.0 : noiseAt(k + 9999);
    }
    std::vector<double> before(added.size());
    std::vector<double> after(added.size());
    takeLinearMoments(variant, values, before);
    addLinearMoments(variant, added, values);
    takeLinearMoments(variant, values, after);
    for (std::size_t k = 0; k < added.size(); ++k) {
      const std::size_t e = k / 64;
      if (plane && e == 6) continue;  // -r / 3 there
      if (std::abs(after[k] - before[k] - added[k]) > 1e-15) FAIL_CHECK("moment " << e);
    }
  }
}

TEST_CASE("Steady march: the state is that of the plain march, after fewer steps", "[unit]") {
  const TilesFile tiles = straightDuct(40);
  SolverCase run = acceleratedDuctFlow(1e-10);
  run.steps = 40000;
  run.latticeVelocity = std::nullopt;
  run.tau = 0.54;
  double near = 1e-6, nearEstimate = 1e-6;
  SECTION("between a velocity and a pressure") {}
  SECTION("with a Windkessel") {
    run.openings[1] = Windkessel{1e9, 1e-12, 4e9};
  }
  SECTION("as moments") {
    run.state = StateId::Moments;
    run.automaticCollision = true;
  }
  SECTION("as mixed moments, whose stress has three digits") {
    run.precision = PrecisionId::M32F16;
    setState("moments", run);
    run.automaticCollision = true;
    run.converged = 1e-7;
    near = 1e-3;
    nearEstimate = 1e-4;
  }
  SECTION("with walls that remember") {
    run.walls = WallScheme::SingleNode;
    run.collision = CollisionId::Trt;
  }
  const Ends ends = bothMarches(tiles, run);
  CHECK(ends.plain.converged);
  CHECK(ends.plain.jumps.empty());
  CHECK(ends.fast.converged);
  if (ends.fast.errorEstimate) CHECK(*ends.fast.errorEstimate < nearEstimate);
  CHECK_FALSE(ends.fast.jumps.empty());
  CHECK(ends.apart < near);
  CHECK(1.2 * double(ends.fast.step) < double(ends.plain.step));
}

TEST_CASE("Steady march: stopped and resumed, a run gives the same bytes", "[unit]") {
  const TilesFile tiles = straightDuct(40);
  SolverCase run = acceleratedDuctFlow(1e-9);
  RunInFolder straight{tiles, run};
  const std::string expected = straight.go(false);
  REQUIRE(straight.result.jumps.size() > 1);
  const std::uint64_t jump = straight.result.jumps.front();
  RunInFolder often{tiles, run};
  for (const std::uint64_t steps : {jump - 350, jump - 99, jump + 1, jump + 2, jump + 450}) {
    often.run.steps = steps;
    often.go(steps + 350 > jump);
  }
  often.run.steps = run.steps;
  CHECK(often.go(true) == expected);
  CHECK(often.result.jumps == straight.result.jumps);
}

TEST_CASE("Steady march: a flow that does not settle is left alone", "[unit]") {
  const TilesFile tiles = straightDuct();
  Simulation simulation(tiles, prepare(tiles.geometry, acceleratedDuctFlow(1e-9), "cpu"));
  SteadyMarch march(simulation, {});
  REQUIRE(march.on());
  std::uint64_t steps = 0;
  for (; march.on() && steps < 100000; steps += 100) {
    simulation.advance(100);
    simulation.changeState([&](std::size_t tile, std::span<double> values) {
      for (std::size_t k = 0; k < values.size(); ++k)
        values[k] += 0.01 * noiseAt(values.size() * (tile + 7 * steps) + k);
    });
    march.follow(true);
  }
  CHECK_FALSE(march.on());
  CHECK(march.state().givenUp);
  CHECK(march.state().jumps.size() <= 6);
  CHECK_FALSE(march.state().moments);
}

TEST_CASE("Steady march: cases that are marched plainly", "[unit]") {
  const TilesFile tiles = straightDuct();
  SolverCase steady = acceleratedDuctFlow(1e-9);
  const auto why = [&](const SolverCase& run) {
    return whyPlain(prepare(tiles.geometry, run, "cpu"));
  };
  CHECK(why(steady).empty());  // as asked for
  steady.accelerate.reset();
  CHECK_THAT(why(steady), Catch::Contains("vessels"));
  SolverCase plane = forcedChannelFlow(1.0);
  plane.converged = 1e-9;
  CHECK(whyPlain(prepare(periodicChannel(8).geometry, plane, "cpu")).empty());
  SolverCase run = steady;
  run.accelerate = false;
  CHECK_THAT(why(run), Catch::Contains("none"));
  run = steady;
  run.converged.reset();
  CHECK_THAT(why(run), Catch::Contains("converged"));
  run = steady;
  run.fieldsEverySteps = 100;
  CHECK_THAT(why(run), Catch::Contains("fields_every"));
  run = steady;
  run.keepEvery = 0;
  CHECK_THAT(why(run), Catch::Contains("on_divergence"));
  run.accelerate = true;
  checkError(ExitCode::Usage, [&] { prepare(tiles.geometry, run, "cpu"); },
             {"acceleration", "on_divergence"});
}

TEST_CASE("Steady march: a run that diverges after an extrapolation goes on plainly, once",
          "[unit]") {
  const TilesFile tiles = straightDuct();
  Simulation simulation(tiles, prepare(tiles.geometry, acceleratedDuctFlow(1e-9), "cpu"));
  KeptStates states(simulation, {});
  states.keep(0, {}, {});
  const KeptState& kept = *states.last();
  const Recovery plain = withoutAcceleration(simulation.setup(), kept, 700);
  CHECK(continuationText(simulation.setup(), plain) == "the plain march");
  const TilesFile same = straightDuct();
  Simulation resumed(same, prepare(same.geometry, acceleratedDuctFlow(1e-9), "cpu"));
  goBack(kept, plain, {{"step"}, {}}, simulation);
  CHECK_FALSE(simulation.setup().accelerated);
  CHECK(simulation.setup().refinement() == 1);
  CHECK_THAT(recoveredText(simulation.setup()), Catch::Contains("the plain march"));
  // Three that count are left.
  CHECK(planRecovery(simulation.setup(), kept, 0.2, 900));
  repeatRecoveries("run.ckpt", {plain}, 3, resumed);
  CHECK_FALSE(resumed.setup().accelerated);
  Simulation twice(same, prepare(same.geometry, acceleratedDuctFlow(1e-9), "cpu"));
  checkError(ExitCode::BadInput,
             [&] {
               repeatRecoveries("run.ckpt", {plain, plain}, 3, twice);
             },
             {"run.ckpt", "recoveries"});
  CHECK(jumpsUntil({500, 1, 0, {}, {}, {}}, plain, {100, 500, 600}) ==
        std::vector<std::uint64_t>{100, 500});
}
