// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on walls by momentum exchange: link by link against the plain reference, balance of
// momentum, Couette torque, gauge pressure, sheets.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "solver/backend/gpu/device.hpp"
#include "solver/run/output.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/each_collision.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/oracle/reference.hpp"
#include "tests/solver/boundary/balance_of_momentum.hpp"
#include "tests/solver/boundary/wall_situations.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

const Double3 about{2e-3, -1e-3, 4e-3};

// max |a - b| / max |a| over the walls, of forces and of torques.
double largestDifference(const std::vector<ForceOnWall>& a, const std::vector<ForceOnWall>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (const auto member : {&ForceOnWall::force, &ForceOnWall::torque}) {
    double difference = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      difference = std::max(difference, length(a[k].*member - b[k].*member));
      largest = std::max(largest, length(a[k].*member));
    }
    most = std::max(most, difference / largest);
  }
  return most;
}

// Walls, then openings.
std::vector<ForceOnWall> joined(const BoundaryForces& forces) {
  std::vector<ForceOnWall> all = forces.walls;
  all.insert(all.end(), forces.openings.begin(), forces.openings.end());
  return all;
}

// A sample is the mean of the step before it and the one after.
std::vector<ForceOnWall> meanOf(const BoundaryForces& before, const BoundaryForces& after) {
  std::vector<ForceOnWall> a = joined(before);
  const std::vector<ForceOnWall> b = joined(after);
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k].force = 0.5 * (a[k].force + b[k].force);
    a[k].torque = 0.5 * (a[k].torque + b[k].torque);
  }
  return a;
}

SolverCase exact(SolverCase run) {
  run.precision = PrecisionId::F64;
  return run;
}

}  // namespace

EACH_COLLISION_TEST_CASE("Wall force: every variant equals the plain reference link by link",
                         "[unit]") {
  for (const Situation& situation : situations())
    for (const VariantInfo& variant : variantsFor(situation))
      for (const WallScheme scheme : schemes) {
        if (variant.axes.collision != collision) continue;
        INFO(situation.name << ", " << variant.name() << ", scheme " << int(scheme));
        SolverCase run = caseFor(variant, situation, scheme);
        run.forces.torqueAbout = about;
        Simulation simulation(situation.tiles, prepare(situation.tiles.geometry, run, "cpu"));
        simulation.setPopulations(started(situation, variant, scheme, "cpu").populations());
        Reference reference(situation.tiles, simulation.setup(), simulation.populations());
        BoundaryForces before;
        for (int k = 0; k < 3; ++k) {
          const BoundaryForces next =
              reference.forces(simulation.openingValues(), simulation.referencePressure(), about);
          const auto expected = k == 0 ? joined(next) : meanOf(before, next);
          before = next;
          const MonitorSample sample = simulation.sample();
          CHECK(largestDifference(expected, joined(sample)) < 10.0 * toleranceOfReference(variant));
          reference.step(simulation.openingValues());
          simulation.advance(1);
        }
      }
}

TEST_CASE("Wall force: walls at rest and openings receive exactly the momentum the fluid loses",
          "[unit]") {
  for (Situation& situation : situations()) {
    for (WallCondition& wall : situation.walls)
      if (wall.kind == WallKind::Moving) wall = {};
    const VariantInfo variant = variantsFor(situation).front();
    for (const WallScheme scheme : schemes) {
      INFO(situation.name << ", " << variant.name() << ", scheme " << int(scheme));
      const SolverCase run = exact(caseFor(variant, situation, scheme));
      Simulation simulation(situation.tiles, prepare(situation.tiles.geometry, run, "cpu"));
      simulation.setPopulations(started(situation, variant, scheme, "cpu").populations());
      simulation.advance(2);
      const Double3 before = momentumOf(simulation, situation.tiles);
      simulation.advance(1);
      const std::vector<ForceOnWall> received = joined(simulation.sample());
      simulation.advance(1);
      const Double3 change = 0.5 * (momentumOf(simulation, situation.tiles) - before);
      const double step = simulation.setup().lattice.scales.timeStep;
      const Double3 lost = drivenBy(run, situation.tiles) - (1.0 / step) * change;
      CHECK(length(sumOf(received) - lost) < 1e-12 * largestOf(received));
    }
  }
}

TEST_CASE("Wall force: moments have the forces of their populations, on openings too", "[unit]") {
  const TilesFile tiles =
      imageGeometry({13, 10, 9}, strewn(0.7), {}, {{0, false, 1}, {0, true, 2}}, 1e-3, {1, 2, 3});
  for (const VariantInfo& variant : variants()) {
    if (!variant.storesMoments()) continue;
    INFO(variant.name());
    SolverCase run = waterCase(variant.axes, 0.8);
    run.ramp = 0.0;
    run.bodyForce = {5e-3, -2.5e-3, 1e-3};
    run.openings = {Velocity{Profile::Plug, 2e-4}, Pressure{1e-4}};
    run.forces.torqueAbout = about;
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    simulation.advance(20);
    BoundaryForces of[2];
    for (auto& step : of) {
      Reference reference(tiles, simulation.setup(), simulation.populations());
      step = reference.forces(simulation.openingValues(), simulation.referencePressure(), about);
      if (&step == &of[0]) simulation.advance(1);
    }
    const auto expected = meanOf(of[0], of[1]);
    CHECK(largestDifference(expected, joined(simulation.sample())) <
          10.0 * toleranceOfReference(variant));
  }
}

TEST_CASE("Wall force: steady flow around spheres is in balance with the force that drives it",
          "[unit]") {
  const Double3 centre{5.6, 5.4, 5.7};
  const TilesFile tiles =
      inTiles(levelLattice(
                  {12, 12, 12}, [&](const Double3& p) { return 3.7 - length(p - centre); },
                  {true, true, true}, 1e-4, 3, 1, [](const Double3&) { return 0; }),
              {0, 0, 0});
  for (const WallScheme scheme : schemes)
    for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32}) {
      INFO("scheme " << int(scheme) << ", " << nameOf(precision));
      SolverCase run = waterCase(0.8);
      run.walls = scheme;
      run.precision = precision;
      run.bodyForce = {3.0, 1.0, -2.0};
      Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
      simulation.advance(4000);
      const Double3 driven = drivenBy(run, tiles);
      const Double3 received = sumOf(simulation.sample().walls);
      CHECK(length(received - driven) <
            (precision == PrecisionId::F64 ? 1e-6 : 1e-4) * length(driven));
    }
}

TEST_CASE("Wall force: Couette flow between plates, one of which slides", "[unit]") {
  LatticeGeometry geometry = imageLattice(
      {8, 9, 1}, [](int, int, int) { return true; }, {true, false, true}, {}, 1e-4, 2);
  setWalls(geometry, 2, [](const Int3& node, const Int3& step, double&, int& label) {
    label = node[1] + step[1] > 8 ? 1 : 0;
  });
  const TilesFile tiles = inTiles(geometry, {0, 0, 0});
  SolverCase run = waterCase(0.9);
  run.lattice = LatticeId::D2Q9;
  run.precision = PrecisionId::F64;
  run.magic = 3.0 / 16.0;
  run.wallConditions.assign(2, {});
  run.wallConditions[1] = {WallKind::Moving, {1e-3, 0.0, 0.0}, {}, {}};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(4000);
  const auto walls = simulation.sample().walls;
  // mu U / H times the area of 8 by 1 nodes.
  const double expected = 1e-3 * 1e-3 / 9e-4 * 8e-8;
  CHECK(walls[0].force[0] == Approx(expected).epsilon(1e-6));
  CHECK(walls[1].force[0] == Approx(-expected).epsilon(1e-6));
  CHECK(std::abs(walls[0].force[1] + walls[1].force[1]) < 1e-6 * expected);
}

TEST_CASE("Wall force: the torques of Couette flow between cylinders are equal and opposite",
          "[unit]") {
  const double radius = 14.2, inner = 0.5 * radius, spacing = 1e-4, rate = 0.05;
  const int nodes = 31;
  const double middle = 15.13;
  const auto distance = [=](const Double3& p) { return std::hypot(p[0] - middle, p[1] - middle); };
  const TilesFile tiles = inTiles(
      levelLattice(
          {nodes, nodes, 1},
          [=](const Double3& p) { return std::max(distance(p) - radius, inner - distance(p)); },
          {false, false, true}, spacing, 2, 2,
          [=](const Double3& p) { return distance(p) < 0.75 * radius ? 1 : 0; }),
      {0, 0, 0});
  const double r1 = inner * spacing, r2 = radius * spacing;
  const double exactTorque =
      -4.0 * std::numbers::pi * 1e-3 * rate * r1 * r1 * r2 * r2 / (r2 * r2 - r1 * r1) * spacing;
  for (const WallScheme scheme : schemes) {
    SolverCase run = waterCase(1.1);
    run.lattice = LatticeId::D2Q9;
    run.precision = PrecisionId::F64;
    run.walls = scheme;
    const Double3 centre{middle * spacing, middle * spacing, 0.0};
    run.wallConditions.assign(2, {});
    run.wallConditions[1] = {WallKind::Moving, {}, centre, {0.0, 0.0, rate}};
    run.forces.torqueAbout = centre;
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    simulation.advance(6000);
    const auto walls = simulation.sample().walls;
    INFO("scheme " << int(scheme) << ": " << walls[1].torque[2] / exactTorque << ", "
                   << walls[0].torque[2] / exactTorque);
    const bool halfway = scheme == WallScheme::Halfway;
    CHECK(walls[1].torque[2] == Approx(exactTorque).epsilon(halfway ? 0.1 : 0.01));
    CHECK(walls[0].torque[2] == Approx(-walls[1].torque[2]).epsilon(1e-6));
  }
}

TEST_CASE(
    "Wall force: pressure is that above the atmosphere's, also where it is kept out of the lattice",
    "[unit]") {
  // A duct at rest at 500 Pa; its lower and upper walls have labels of their own.
  LatticeGeometry geometry = imageLattice(
      {10, 6, 7}, [](int, int, int) { return true; }, {}, {{0, false, 1}, {0, true, 2}}, 1e-4);
  setWalls(geometry, 3, [](const Int3& node, const Int3& step, double&, int& label) {
    label = node[1] + step[1] < 0 ? 1 : node[1] + step[1] > 5 ? 2 : 0;
  });
  const TilesFile tiles = inTiles(geometry, {1, 0, 2});
  SolverCase run = waterCase(0.8);
  run.precision = PrecisionId::F64;
  run.openings = {Pressure{500.0}, Pressure{500.0}};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(10);
  const auto walls = simulation.sample().walls;
  CHECK(walls[2].force[1] == Approx(-walls[1].force[1]));
  // At edges of two walls one has the links that leave through both.
  CHECK(walls[2].force[1] == Approx(500.0 * 70e-8).epsilon(0.05));
  CHECK(std::abs(walls[2].force[0]) < 0.05 * walls[2].force[1]);
  CHECK(length(sumOf(walls)) < 1e-9 * walls[2].force[1]);
  // It is what the fields say a pressure adds.
  RunResult result;
  result.last = simulation.sample();
  const auto fields = fieldsOf(simulation, result);
  for (std::size_t k = 0; k < walls.size(); ++k) {
    const Double3 expected = 500.0 * Double3(fields.walls[k].perPascal->force);
    const Double3 turned = 500.0 * Double3(fields.walls[k].perPascal->torque);
    CHECK(length(walls[k].force - expected) < 1e-9 * walls[2].force[1]);
    CHECK(length(walls[k].torque - turned) < 1e-9 * length(walls[2].torque));
  }
}

TEST_CASE("Wall force: a sheet receives the difference of the pressures on its sides", "[unit]") {
  LatticeGeometry geometry = imageLattice(
      {12, 8, 8}, [](int, int, int) { return true; }, {false, true, true}, {}, 1e-4);
  const auto left = [](const Int3& node) { return node[0] < 6; };
  cutLinks(geometry, [&](const Int3& a, const Int3& b) { return left(a) != left(b); });
  setWalls(geometry, 2, [](const Int3& node, const Int3& step, double&, int& label) {
    const int next = node[0] + step[0];
    label = next >= 0 && next < 12 ? 1 : 0;
  });
  const TilesFile tiles = inTiles(geometry, {0, 0, 0});
  SolverCase run = waterCase(0.8);
  run.precision = PrecisionId::F64;
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  const LatticeInfo& lattice = simulation.setup().variant->lattice;
  const double density[] = {3e-3, 1e-3};
  std::vector<double> f(tiles.geometry.tiles() * 64 * lattice.velocities.size());
  for (std::size_t k = 0; k < f.size(); ++k) {
    const std::size_t t = k / 64 / lattice.velocities.size();
    const bool isLeft = left(tiles.geometry.nodeOf(t, static_cast<int>(k % 64)));
    f[k] = lattice.weights[k / 64 % lattice.velocities.size()] * density[isLeft ? 0 : 1];
  }
  simulation.setPopulations(f);
  const auto walls = simulation.sample().walls;
  const double difference = 2e-3 / 3.0 * simulation.setup().lattice.scales.pressure();
  CHECK(walls[1].force[0] == Approx(difference * 64e-8).epsilon(1e-12));
  CHECK(walls[0].force[0] == Approx(-difference * 64e-8).epsilon(1e-12));
}

TEST_CASE("Wall force: CUDA has the forces of the CPU and repeats their bits", "[gpu]") {
  if (!findDevice()) {
    WARN("no CUDA device: forces of CUDA are not compared with the CPU's here");
    return;
  }
  for (const Situation& situation : situations())
    for (const VariantInfo& variant : variantsFor(situation))
      for (const WallScheme scheme : schemes) {
        INFO(situation.name << ", " << variant.name() << ", scheme " << int(scheme));
        Simulation cpu = started(situation, variant, scheme, "cpu");
        Simulation cuda = started(situation, variant, scheme, "cuda");
        Simulation again = started(situation, variant, scheme, "cuda");
        for (Simulation* simulation : {&cpu, &cuda, &again}) simulation->advance(20);
        const auto forces = joined(cuda.sample());
        CHECK(largestDifference(joined(cpu.sample()), forces) < 10.0 * toleranceOfCuda(variant));
        CHECK(largestDifference(forces, joined(again.sample())) == 0.0);
      }
}
