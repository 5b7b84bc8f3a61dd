// SPDX-License-Identifier: GPL-3.0-or-later
// Flow that turns back in through pressure openings of a bent tube, at relaxation times next to
// 1/2, where what enters is hardly damped.
#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::testing;

namespace {

constexpr double tubeRadius = 5.0;
constexpr double bendRadius = 12.0;
constexpr int period = 800;  // steps
constexpr int samples = 20;  // of a period

// A quarter of a torus from the low side of x to the low side of y, with exact link distances.
TilesFile bentTube() {
  const auto level = [](const Double3& x) {
    const double out = std::hypot(x[0] + 0.5, x[1] + 0.5) - bendRadius;
    return out * out + (x[2] - 6.1) * (x[2] - 6.1) - tubeRadius * tubeRadius;
  };
  LatticeGeometry geometry = imageLattice(
      {18, 18, 13},
      [&](int x, int y, int z) {
        return level({double(x), double(y), double(z)}) < 0.0;
      },
      {}, {{0, false, 1}, {1, false, 2}}, 1e-4);
  setWalls(geometry, 1, [&](const Int3& node, const Int3& step, double& distance, int&) {
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 40; ++k) {
      const double q = 0.5 * (low + high);
      const bool inside =
          level({node[0] + q * step[0], node[1] + q * step[1], node[2] + q * step[2]}) < 0.0;
      (inside ? low : high) = q;
    }
    distance = high;
  });
  return inTiles(geometry, {0, 0, 0});
}

// Mean velocity out of opening 1 over two periods, lattice units, of a pressure there that swings
// about that of opening 2 and, without friction, moves the fluid by speed.
std::vector<double> reversing(double tau, double speed) {
  const TilesFile tiles = bentTube();
  SolverCase run = planeCase(EquilibriumId::Incompressible);
  run.lattice = LatticeId::D3Q27;
  run.collision = CollisionId::Mrt;
  run.walls = WallScheme::Multireflection;
  run.precision = PrecisionId::F32;
  run.tau = tau;
  const Scales scales = latticeRun(run, tiles.geometry).scales;
  const double omega = 2.0 * std::numbers::pi / period;
  const double length = 0.5 * std::numbers::pi * bendRadius;
  const auto wave = periodicSeries(period * scales.timeStep, [&](double phase) {
    return speed * omega * length * scales.pressure() * std::cos(2.0 * std::numbers::pi * phase);
  });
  run.openings[0] = Pressure{wave->largest(), wave};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  std::vector<double> out;
  const double area = std::numbers::pi * tubeRadius * tubeRadius;
  for (int k = 0; k < 2 * samples; ++k) {
    simulation.advance(period / samples);
    const MonitorSample sample = simulation.sample();
    const double first = sample.flowRate[0] / scales.flowRate();
    const double second = sample.flowRate[1] / scales.flowRate();
    CHECK(std::abs(first + second) < 0.03 * speed * area);
    CHECK(sample.nodes.speedMax < 3.5 * speed);
    out.push_back(first / area);
  }
  return out;
}

}  // namespace

TEST_CASE("Reversing flow: a bent tube between swinging pressures at tau next to 1/2", "[unit]") {
  for (const double tau : {0.505, 0.51, 0.52}) {
    const double speed = 0.04;
    const std::vector<double> flow = reversing(tau, speed);
    double largest = 0.0;
    // Its ends are alike: half a period later the flow is the opposite, but for what is left of the
    // start, which falls in radius^2 / (6 nu), one to three periods.
    double uneven = 0.0;
    for (int k = samples; k < 2 * samples; ++k) {
      largest = std::max(largest, std::abs(flow[std::size_t(k)]));
      uneven =
          std::max(uneven, std::abs(flow[std::size_t(k)] + flow[std::size_t(k - samples / 2)]));
    }
    INFO("tau " << tau << ": largest " << largest / speed << ", uneven " << uneven / speed);
    CHECK(largest > 0.7 * speed);
    CHECK(largest < 1.05 * speed);
    CHECK(uneven < 0.15 * speed);
  }
}
