// SPDX-License-Identifier: GPL-3.0-or-later
// Outlets whose pressure follows from their flow rate, against their differential equations.
#include <catch2/catch.hpp>

#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/forked_channel.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

Condition steady(double mean) {
  return Velocity{Profile::Parabolic, mean};
}

Condition resistance(double value, double distal) {
  return Resistance{value, distal, distal};
}

Condition windkessel(double proximal, double compliance, double distal, double start) {
  return Windkessel{proximal, compliance, distal, 0.0, start};
}

double pressureOf(const OutletState& state, const Scales& scales) {
  return state.pressure * scales.pressure() / 3.0;
}

// Runge and Kutta's fourth order of C dp/dt = Q(t) - p / R.
double capacitorAt(double end, double start, double compliance, double distal,
                   const std::function<double(double)>& flow) {
  const int steps = 20000;
  const double dt = end / steps;
  const auto rate = [&](double t, double p) { return (flow(t) - p / distal) / compliance; };
  double p = start;
  for (int k = 0; k < steps; ++k) {
    const double t = k * dt;
    const double a = rate(t, p);
    const double b = rate(t + 0.5 * dt, p + 0.5 * dt * a);
    const double c = rate(t + 0.5 * dt, p + 0.5 * dt * b);
    const double d = rate(t + dt, p + dt * c);
    p += dt / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  return p;
}

}  // namespace

TEST_CASE("Outlets: a resistance holds p = distal + R Q exactly, whatever R", "[unit]") {
  const TilesFile tiles = planeChannel(24, 8);
  for (const EquilibriumId equilibrium :
       {EquilibriumId::Incompressible, EquilibriumId::QuasiCompressible})
    for (const double ohm : {1e7, 1e10, 1e13}) {
      SolverCase run = planeCase(equilibrium);
      run.openings = {steady(0.005), resistance(ohm, 2.0)};
      Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
      simulation.advance(8000);
      const MonitorSample sample = simulation.sample();
      const Scales& scales = simulation.setup().lattice.scales;
      const double p = pressureOf(simulation.outlets().states[0], scales);
      INFO(nameOf(equilibrium) << ", " << ohm << " Pa.s/m3");
      CHECK(p == Approx(2.0 + ohm * sample.flowRate[1]).epsilon(1e-11));
      CHECK(sample.flowRate[1] == Approx(0.005 * 8e-8).epsilon(1e-9));
      // Mean over the nodes, half a spacing before the opening.
      CHECK(std::abs(sample.pressure[1] - p) < 1e-2 * scales.pressure());
    }
}

TEST_CASE("Outlets: a Windkessel follows its differential equation", "[unit]") {
  const TilesFile tiles = planeChannel(8, 8);
  const double area = 8e-8;
  const double period = 4.0;  // 4000 steps
  const double proximal = 1e9;
  const double distal = 1.2e10;
  const double compliance = 1.6e-10;
  const auto wave = periodicSeries(period, [](double s) {
    return 0.003 * (1.0 + 0.6 * std::sin(6.283185307179586 * s) + 0.3 * std::cos(12.566370614 * s));
  });
  SolverCase run = planeCase();
  run.openings = {pulsating(wave, Profile::Parabolic),
                  windkessel(proximal, compliance, distal, 3.0)};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  const Scales& scales = simulation.setup().lattice.scales;
  const auto flow = [&](double t) { return wave->at(t) * area; };
  double worst = 0.0;
  double largest = 0.0;
  simulation.advance(10000);
  for (int k = 0; k < 10; ++k) {
    simulation.advance(400);
    const double t = (10000 + 400 * (k + 1) - 0.5) * scales.timeStep;
    const double expected = proximal * flow(t) + capacitorAt(t, 3.0, compliance, distal, flow);
    const double p = pressureOf(simulation.outlets().states[0], scales);
    worst = std::max(worst, std::abs(p - expected));
    largest = std::max(largest, expected);
  }
  INFO("largest error " << worst << " of " << largest << " Pa");
  CHECK(worst < 2e-3 * largest);
}

TEST_CASE("Outlets: two Windkessels share a steady flow by their resistances", "[unit]") {
  const TilesFile tiles = forkedChannel();
  SolverCase run = planeCase();
  run.openings = {steady(0.005), windkessel(1e9, 1e-11, 1.1e10, 0.0),
                  windkessel(2e9, 2e-11, 2.2e10, 1.0)};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(20000);
  const MonitorSample sample = simulation.sample();
  const Scales& scales = simulation.setup().lattice.scales;
  const OutletReport outlets = simulation.outlets();
  CHECK(sample.flowRate[1] + sample.flowRate[2] == Approx(0.005 * 9e-8).epsilon(1e-8));
  CHECK(pressureOf(outlets.states[0], scales) == Approx(1.2e10 * sample.flowRate[1]).epsilon(1e-6));
  CHECK(pressureOf(outlets.states[1], scales) == Approx(2.4e10 * sample.flowRate[2]).epsilon(1e-6));
  CHECK(sample.flowRate[1] > 1.9 * sample.flowRate[2]);
}

TEST_CASE("Outlets: a flow that reverses at a Windkessel and at a pressure stays bounded",
          "[unit]") {
  const TilesFile tiles = planeChannel(32, 8);
  // The mean is a sixth of the amplitude: the outlet takes in fluid for half of the time.
  const auto wave = periodicSeries(
      0.5, [](double s) { return 0.0012 * (1.0 + 6.0 * std::sin(6.283185307179586 * s)); });
  for (const Condition& outlet : {windkessel(1e9, 4e-11, 1.2e10, 1.0), Condition{Pressure{1.0}}}) {
    SolverCase run = planeCase(EquilibriumId::QuasiCompressible);
    run.openings = {pulsating(wave, Profile::Parabolic), outlet};
    run.tau = 0.53;
    run.kinematicViscosity = 1e-7;
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    double lowest = 0.0;
    double fastest = 0.0;
    for (int k = 0; k < 80; ++k) {
      simulation.advance(125);
      const MonitorSample sample = simulation.sample();
      lowest = std::min(lowest, sample.flowRate[1]);
      fastest = std::max(fastest, sample.nodes.speedMax);
    }
    CHECK(lowest < -0.8 * 0.006 * 8e-8);
    CHECK(fastest < 3.0 * 0.0084 / simulation.setup().lattice.scales.velocity());
  }
}

TEST_CASE("Outlets: sound between a closed inlet and a Windkessel dies out", "[unit]") {
  const TilesFile tiles = planeChannel(128, 32);
  // Flow for 500 steps, then none.
  const auto wave = periodicSeries(
      0.8, [](double s) { return s < 0.0625 ? 0.03 * std::pow(std::sin(50.265 * s), 2) : 0.0; },
      1000);
  SolverCase run = planeCase(EquilibriumId::QuasiCompressible);
  run.openings = {pulsating(wave, Profile::Plug), windkessel(1e9, 1.6e-10, 1.2e10, 0.0)};
  run.tau = 0.53;
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  const auto largestFlow = [&](int samples) {
    double largest = 0.0;
    for (int k = 0; k < samples; ++k) {
      simulation.advance(20);
      largest = std::max(largest, std::abs(simulation.sample().flowRate[1]));
    }
    return largest;
  };
  const double pulse = largestFlow(50);
  largestFlow(250);
  CHECK(largestFlow(50) < 0.01 * pulse);
}

TEST_CASE("Outlets: the acoustic impedance of a Windkessel leaves the density of a steady flow",
          "[unit]") {
  const TilesFile tiles = planeChannel(64, 16);
  const double u = 0.05;
  // The largest density, which shifts with the others, once the sound of the start has died.
  const auto density = [&](const Condition& outlet) {
    SolverCase run = planeCase(EquilibriumId::QuasiCompressible);
    run.openings = {steady(u * 0.1), outlet};
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    simulation.advance(12000);
    const MonitorSample sample = simulation.sample();
    CHECK(sample.flowRate[1] == Approx(u * 0.1 * 1.6e-7).epsilon(1e-4));
    return sample.nodes.densityMax;
  };
  // A resistance takes in no sound; the capacitor is full within 2000 steps.
  const double without = density(resistance(3e11, 0.0));
  CHECK(std::abs(density(windkessel(1e11, 1e-12, 2e11, 0.0)) - without) < 0.03 * u);
}

TEST_CASE("Outlets: a run with a Windkessel and a waveform resumes to the same bits", "[unit]") {
  const TemporaryFolder whole;
  const TemporaryFolder halves;
  const TilesFile tiles = planeChannel(24, 8);
  const auto wave =
      periodicSeries(0.3, [](double s) { return 0.003 * (1.0 + std::sin(6.283185307179586 * s)); });
  SolverCase run = planeCase();
  run.openings = {pulsating(wave, Profile::Womersley), windkessel(1e9, 4e-11, 1.2e10, 1.0)};
  run.steps = 501;
  const auto runIn = [&](const TemporaryFolder& folder, bool resume, bool stop) {
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    const RunFiles files{folder.path() / "run.monitor.csv", folder.path() / "run.ckpt"};
    const std::atomic<bool> asked{stop};
    const RunResult result = runToEnd(simulation, files, resume, asked, newProvenance("test"));
    return std::pair(simulation.populations(), result.last.pressure);
  };
  const auto straight = runIn(whole, false, false);
  runIn(halves, false, true);
  const auto resumed = runIn(halves, true, false);
  CHECK(resumed.first == straight.first);
  CHECK(resumed.second == straight.second);
}
