// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on openings and on walls that end at them: balance of steady flow, areas, and the force of
// Hagen-Poiseuille flow on slanted tubes.
#include <catch2/catch.hpp>

#include <numbers>

#include "solver/boundary/opening_force.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/solver/boundary/balance_of_momentum.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

const Double3 slanted{1.0, 2.0, 3.0};

// Drop of pressure and mean velocity of Hagen-Poiseuille flow with this largest velocity in lattice
// units, SI units.
struct TubeFlow {
  double drop;
  double mean;
};

TubeFlow flowIn(double radius, double length, double speed, double tau, const Scales& scales) {
  const double nu = (tau - 0.5) / 3.0;
  return {4.0 * nu * speed / (radius * radius) * length * scales.pressure(),
          0.5 * speed * scales.velocity()};
}

SolverCase tubeCase(double tau, WallScheme scheme) {
  SolverCase run = planeCase();
  run.lattice = LatticeId::D3Q19;
  run.walls = scheme;
  run.tau = tau;
  return run;
}

// Forces of a pressure of 1 as planned.
struct Areas {
  std::vector<LatticeForce> walls, openings;
};

Areas areasOf(const TilesFile& tiles, const SolverCase& run) {
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  Areas areas;
  const double unit = std::pow(tiles.geometry.frame.spacing, -2);
  const BoundaryForces forces = simulation.forcesPerPascal();
  for (const ForceOnWall& each : forces.walls) areas.walls.push_back({unit * each.force, {}});
  for (const ForceOnWall& each : forces.openings) areas.openings.push_back({unit * each.force, {}});
  return areas;
}

}  // namespace

TEST_CASE("Opening force: steady flow in a slanted tube is in balance to round-off", "[unit]") {
  const double radius = 4.3, length = 13.0, tau = 0.9;
  const TilesFile tiles = tiltedTube(slanted, radius, length);
  for (const WallScheme scheme :
       {WallScheme::Halfway, WallScheme::Bouzidi, WallScheme::Multireflection})
    for (const bool isForced : {false, true})
      for (const bool isVelocity : {true, false}) {
        if (isForced && !isVelocity) continue;
        SolverCase run = tubeCase(tau, scheme);
        const TubeFlow flow =
            flowIn(radius, length, 0.02, tau, latticeRun(run, tiles.geometry).scales);
        run.openings[0] = isVelocity ? Condition(Velocity{Profile::Parabolic, flow.mean})
                                     : Condition(Pressure{flow.drop});
        if (isForced) run.bodyForce = {20.0, -10.0, 5.0};
        INFO("scheme " << int(scheme) << ", velocity " << isVelocity << ", forced " << isForced);
        Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
        simulation.advance(5000);
        const MonitorSample sample = simulation.sample();
        const Double3 received = sumOf(sample.walls) + sumOf(sample.openings);
        CHECK(tessera::length(received - drivenBy(run, tiles)) < 1e-9 * largestOf(sample.walls));
      }
}

TEST_CASE("Opening force: the area of openings is that of the geometry, walls close the surface",
          "[unit]") {
  for (const double radius : {3.1, 6.0, 9.7}) {
    const TilesFile tiles = tiltedTube(slanted, radius, 2.5 * radius);
    const Areas areas = areasOf(tiles, tubeCase(0.9, WallScheme::Multireflection));
    Double3 sum = areas.walls.at(0).force;
    const double exact = std::numbers::pi * radius * radius;
    for (std::size_t o = 0; o < 2; ++o) {
      const Double3 expected = exact * tiles.geometry.openings[o].normal;
      const Double3 found = areas.openings.at(o).force;
      INFO("radius " << radius << ", opening " << o << ": "
                     << tessera::length(found - expected) / exact);
      CHECK(tessera::length(found - expected) < 1e-3 * exact);
      sum = sum + found;
    }
    CHECK(tessera::length(sum) < 1e-9 * exact);
  }
}

TEST_CASE("Opening force: walls of a duct of voxels receive pressure up to the openings",
          "[unit]") {
  LatticeGeometry geometry = imageLattice(
      {10, 6, 7}, [](int, int, int) { return true; }, {}, {{0, false, 1}, {0, true, 2}}, 1e-4);
  setWalls(geometry, 2, [](const Int3& node, const Int3& step, double&, int& label) {
    label = node[1] + step[1] > 5 ? 1 : 0;
  });
  const TilesFile tiles = inTiles(geometry, {1, 0, 2});
  for (const bool isPlane : {false, true}) {
    SolverCase run = tubeCase(0.9, WallScheme::Halfway);
    run.wallConditions.assign(2, {});
    if (isPlane) run.wallConditions[1].kind = WallKind::Symmetry;
    const Areas areas = areasOf(tiles, run);
    // 10 by 7 nodes, with the links past the edges of two walls.
    CHECK(areas.walls[1].force[0] == Approx(0.0).margin(1e-9));
    CHECK(areas.walls[1].force[1] == Approx(70.0).epsilon(0.05));
    CHECK(areas.openings[0].force[0] == Approx(-42.0).epsilon(1e-9));
    CHECK(areas.openings[1].force[0] == Approx(42.0).epsilon(1e-9));
    CHECK(areas.openings[1].force[1] == Approx(0.0).margin(1e-9));
  }
}

TEST_CASE("Opening force: Hagen-Poiseuille flow pulls at a slanted tube as its pressures do",
          "[unit]") {
  const double radius = 7.0, length = 3.0 * radius, tau = 0.8;
  for (const Double3& axis : {slanted, Double3{1.0, 0.1, 0.03}, Double3{1.0, 1.0, 0.0}}) {
    const TilesFile tiles = tiltedTube(axis, radius, length);
    for (const bool isVelocity : {true, false}) {
      SolverCase run = tubeCase(tau, WallScheme::Multireflection);
      const Scales scales = latticeRun(run, tiles.geometry).scales;
      const TubeFlow flow = flowIn(radius, length, 0.01, tau, scales);
      run.openings[0] = isVelocity ? Condition(Velocity{Profile::Parabolic, flow.mean})
                                   : Condition(Pressure{flow.drop});
      Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
      simulation.advance(2000);
      const MonitorSample sample = simulation.sample();
      const double exact =
          flow.drop * std::numbers::pi * radius * radius * scales.spacing * scales.spacing;
      const Double3 along = unit(axis);
      INFO("axis " << axis[0] << " " << axis[1] << " " << axis[2] << ", velocity " << isVelocity
                   << ": " << dot(sample.walls[0].force, along) / exact << ", "
                   << tessera::length(sample.walls[0].force -
                                      dot(sample.walls[0].force, along) * along) /
                          exact);
      CHECK(dot(sample.walls[0].force, along) == Approx(exact).epsilon(0.02));
    }
  }
}
