// SPDX-License-Identifier: GPL-3.0-or-later
// Flow rates and velocities estimated before a run: tubes, narrow places, junctions and loops
// against Poiseuille's law.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "solver/case/flow_plan.hpp"
#include "solver/case/multigrid.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::cases;
using namespace tessera::solver::comm;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

using Kind = OpeningDrive::Kind;

constexpr double viscosity = 3.5e-3, density = 1060.0, spacing = 1e-4;
constexpr std::size_t all = 10'000'000;

NetworkFlow flowOf(const TilesFile& tiles, const std::vector<OpeningDrive>& drives,
                   std::size_t most = all) {
  return flowThrough(flowCells(tiles.geometry, noOthers(), most), drives, density, viscosity);
}

FlowPlan planOf(const SolverCase& run, const LatticeRun& lattice,
                const tiler::TiledGeometry& geometry) {
  return flowPlan(run, lattice, geometry, networkFlow(run, geometry, cellsOfPlan, noOthers()));
}

// Pa.s/m3 of a tube, in spacings.
double resistance(double length, double radius) {
  return 8.0 * viscosity * length / (std::numbers::pi * std::pow(radius, 4.0)) /
         std::pow(spacing, 3.0);
}

// Round tube along x whose radius is a function of x.
template <class Radius>
TilesFile tubeOf(int length, int width, const Radius& radius) {
  const double middle = 0.5 * (width - 1);
  return imageGeometry(
      {length, width, width},
      [&](int x, int y, int z) { return std::hypot(y - middle, z - middle) < radius(x); }, {},
      {{0, false, 1}, {0, true, 2}}, spacing, {0, 0, 0});
}

}  // namespace

TEST_CASE("Flow network: a tube in any direction and of any width has Poiseuille's flow",
          "[unit]") {
  for (const Double3& axis : {Double3{1, 0, 0}, Double3{1, 0.6, 0.3}})
    for (const double radius : {3.0, 4.5, 8.0, 11.0}) {
      INFO("radius " << radius << ", axis " << axis[1]);
      const TilesFile tiles = tiltedTube(axis, radius, 40.0, spacing);
      const NetworkFlow flow = flowOf(tiles, {{Kind::Pressure, 0.1}, {Kind::Pressure, 0.0}});
      REQUIRE(flow.known);
      const double exact = 0.1 / resistance(40.0, radius);
      CHECK(flow.outflow[1] == Approx(exact).epsilon(0.25));
      CHECK(flow.outflow[0] == Approx(-flow.outflow[1]).epsilon(5e-3));
      const double peak = 2.0 * exact / (std::numbers::pi * radius * radius * spacing * spacing);
      CHECK(flow.velocity == Approx(peak).epsilon(0.3));
    }
}

TEST_CASE("Flow network: between planes the flow is that of a channel", "[unit]") {
  for (const int height : {6, 11, 12}) {
    INFO(height);
    const TilesFile tiles = planeChannel(60, height, spacing);
    const NetworkFlow flow = flowOf(tiles, {{Kind::Pressure, 1.0}, {Kind::Pressure, 0.0}});
    const double width = height * spacing;
    const double mean = width * width / (12.0 * viscosity) / (60.0 * spacing);
    CHECK(flow.outflow[1] == Approx(mean * width * spacing).epsilon(0.1));
    CHECK(flow.velocity == Approx(1.5 * mean).epsilon(0.1));
  }
}

TEST_CASE("Flow network: narrow places in series count with their length", "[unit]") {
  const TilesFile tiles = tubeOf(60, 20, [](int x) { return x >= 20 && x < 40 ? 4.0 : 9.0; });
  const double exact = 1.0 / (resistance(20.0, 4.0) + resistance(40.0, 9.0));
  const NetworkFlow flow = flowOf(tiles, {{Kind::Pressure, 1.0}, {Kind::Pressure, 0.0}});
  CHECK(flow.outflow[1] == Approx(exact).epsilon(0.3));
  // The same in coarse cells.
  const NetworkFlow coarse = flowOf(tiles, {{Kind::Pressure, 1.0}, {Kind::Pressure, 0.0}}, 1500);
  CHECK(coarse.outflow[1] == Approx(exact).epsilon(0.6));
}

TEST_CASE("Flow network: branches share the flow by their resistances, also behind outlets",
          "[unit]") {
  // A box from which two tubes leave, one twice as wide.
  const auto fork = [](int x, int y, int z) {
    if (x < 16) return true;
    return std::hypot(y - 8.5, z - 8.5) < 8.0 || std::hypot(y - 25.5, z - 8.5) < 4.0;
  };
  LatticeGeometry lattice =
      imageLattice({48, 32, 18}, fork, {}, {{0, false, 1}, {0, true, 2}}, spacing);
  // The high side of x is one opening; its two parts are told apart by where they lie.
  Opening wide = lattice.openings[1], slim = lattice.openings[1];
  wide.centre = lattice.frame.toWorld({47.5, 8.5, 8.5});
  slim.centre = lattice.frame.toWorld({47.5, 25.5, 8.5});
  wide.radius = 8.0 * spacing, slim.radius = 4.0 * spacing;
  slim.id = 3, slim.name = "slim";
  lattice.openings = {lattice.openings[0], wide, slim};
  const TilesFile tiles = inTiles(lattice, {0, 0, 0});
  const auto shares = [&](double behindWide) {
    const NetworkFlow flow = flowOf(
        tiles, {{Kind::Flow, 1e-9}, {Kind::Pressure, 0.0, behindWide}, {Kind::Pressure, 0.0}});
    REQUIRE(flow.known);
    CHECK(flow.outflow[0] == Approx(-1e-9).epsilon(1e-3));
    CHECK(flow.outflow[1] + flow.outflow[2] == Approx(1e-9).epsilon(1e-3));
    return flow.outflow[1] / flow.outflow[2];
  };
  CHECK(shares(0.0) == Approx(16.0).epsilon(0.4));
  // Fifteen more times the resistance of the wide tube than it has: halves.
  CHECK(shares(15.0 * resistance(32.0, 8.0)) == Approx(1.0).epsilon(0.3));
}

TEST_CASE("Flow network: momentum carries the flow past a side branch", "[unit]") {
  // A channel with a branch to the side in its middle, both ways out of the same length.
  const TilesFile tiles = imageGeometry(
      {72, 40, 1}, [](int x, int y, int) { return y < 12 || (x >= 30 && x < 42); },
      {false, false, true}, {{0, false, 1}, {0, true, 2}, {1, true, 3}}, spacing, {0, 0, 0}, 2);
  const auto shareAlong = [&](double pressure) {
    const NetworkFlow flow =
        flowOf(tiles, {{Kind::Pressure, pressure}, {Kind::Pressure, 0.0}, {Kind::Pressure, 0.0}});
    REQUIRE(flow.known);
    CHECK(flow.outflow[1] + flow.outflow[2] == Approx(-flow.outflow[0]).epsilon(1e-2));
    return flow.outflow[1] / -flow.outflow[0];
  };
  const double slow = shareAlong(0.01);
  CHECK(slow == Approx(0.5).margin(0.1));
  CHECK(shareAlong(20.0) > slow + 0.1);
}

TEST_CASE("Flow network: openings that nothing joins, or closed ones, have no flow", "[unit]") {
  const TilesFile tiles = imageGeometry({40, 10, 10}, [](int x, int, int) { return x != 20; }, {},
                                        {{0, false, 1}, {0, true, 2}}, spacing, {0, 0, 0});
  CHECK_FALSE(flowOf(tiles, {{Kind::Pressure, 1.0}, {Kind::Pressure, 0.0}}).known);
  const TilesFile open = openBox({24, 9, 9}, spacing);
  CHECK_FALSE(flowOf(open, {{Kind::Pressure, 1.0}, {}}).known);
  const NetworkFlow still = flowOf(open, {{Kind::Pressure, 1.0}, {Kind::Pressure, 1.0}});
  CHECK(still.known);
  CHECK(std::abs(still.outflow[1]) < 1e-15);
}

TEST_CASE("Multigrid: a cycle is symmetric and leaves few steps of conjugate gradients", "[unit]") {
  // A block of cells whose conductances differ by up to a factor of a thousand; both ends fixed.
  constexpr int side = 16;
  const auto cell = [&](int x, int y, int z) {
    return static_cast<std::int32_t>(x + side * (y + side * z));
  };
  std::vector<Conductor> conductors;
  const auto join = [&](std::int32_t from, std::int32_t to) {
    conductors.push_back({from, to, std::pow(10.0, (from * 7 + to * 13) % 4)});
  };
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        if (x + 1 < side) join(cell(x, y, z), cell(x + 1, y, z));
        if (y + 1 < side) join(cell(x, y, z), cell(x, y + 1, z));
        if (z + 1 < side) join(cell(x, y, z), cell(x, y, z + 1));
      }
  constexpr std::size_t n = side * side * side;
  std::vector<double> leak(n, 0.0);
  std::vector<char> fixed(n, 0);
  fixed.front() = fixed.back() = 1;
  Multigrid multigrid(conductors, leak, fixed);
  const auto times = [&](const std::vector<double>& x) {
    std::vector<double> y(n, 0.0);
    for (const Conductor& c : conductors) {
      const auto from = static_cast<std::size_t>(c.from), to = static_cast<std::size_t>(c.to);
      y[from] += c.conductance * (x[from] - x[to]);
      y[to] += c.conductance * (x[to] - x[from]);
    }
    for (std::size_t k = 0; k < n; ++k)
      if (fixed[k] != 0) y[k] = 0.0;
    return y;
  };
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  // Twice: with the first conductances and with others.
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<double> a(n), b(n), za(n), zb(n);
    for (std::size_t k = 0; k < n; ++k) {
      a[k] = fixed[k] != 0 ? 0.0 : std::sin(0.37 * double(k));
      b[k] = fixed[k] != 0 ? 0.0 : std::cos(0.91 * double(k));
    }
    std::vector<double> ya(n);
    multigrid.multiply(a, ya);
    const std::vector<double> expected = times(a);
    for (std::size_t k = 0; k < n; ++k) CHECK(ya[k] == Approx(expected[k]).margin(1e-9));
    multigrid.solve(a, za);
    multigrid.solve(b, zb);
    CHECK(za.front() == 0.0);
    CHECK(zb.back() == 0.0);
    CHECK(product(za, b) == Approx(product(zb, a)).epsilon(1e-10));
    std::vector<double> x(n, 0.0), r = a, z = za, way = za;
    double rz = product(r, z);
    const double start = rz;
    int steps = 0;
    for (; steps < 60 && rz > 1e-12 * start; ++steps) {
      const std::vector<double> along = times(way);
      const double length = rz / product(way, along);
      for (std::size_t k = 0; k < n; ++k) x[k] += length * way[k], r[k] -= length * along[k];
      multigrid.solve(r, z);
      const double before = rz;
      rz = product(r, z);
      for (std::size_t k = 0; k < n; ++k) way[k] = z[k] + rz / before * way[k];
    }
    CHECK(steps < 40);
    const std::vector<double> reached = times(x);
    double worst = 0.0;
    for (std::size_t k = 0; k < n; ++k) worst = std::max(worst, std::abs(reached[k] - a[k]));
    CHECK(worst < 1e-4);
    for (Conductor& c : conductors) c.conductance = 1.0 + (c.from * 5 + c.to * 3) % 50;
    multigrid.setConductances(conductors, leak);
  }
}

TEST_CASE("Plan of the flow: prescribed and estimated numbers of openings and throats", "[unit]") {
  TilesFile tiles = straightDuct();
  SolverCase run = ductFlow(0.0);
  run.latticeVelocity = 0.05;
  const double area = tiles.geometry.openings[0].area;
  tiles.geometry.throats = {{{2}, {}, {1, 0, 0}, 0.25 * area, 1}};
  const LatticeRun lattice = latticeRun(run, tiles.geometry);
  const FlowPlan plan = planOf(run, lattice, tiles.geometry);
  REQUIRE(plan.openings.size() == 2);
  const double mean = prescriptionOf(run.openings[0]).mean;
  const double across = 2.0 * std::sqrt(area / std::numbers::pi);
  CHECK(plan.openings[0].outflow == Approx(-mean * area));
  CHECK(plan.openings[0].condition == "velocity 20 mm/s");
  CHECK(plan.openings[0].peak == Approx(mean));  // plug
  CHECK(plan.openings[0].reynolds == Approx(mean * across / run.kinematicViscosity));
  CHECK(plan.openings[0].nodesAcross == Approx(across / 1e-4));
  CHECK(plan.openings[0].mach == Approx(mean / lattice.soundSpeed()));
  CHECK(plan.openings[0].womersley == 0.0);
  CHECK(plan.estimated);
  CHECK(plan.openings[1].outflow == Approx(mean * area).epsilon(1e-3));
  CHECK(plan.openings[1].peak == Approx(2.0 * mean).epsilon(1e-3));
  REQUIRE(plan.throats.size() == 1);
  CHECK(plan.throats[0].mean == Approx(4.0 * mean).epsilon(1e-3));
  CHECK(plan.throats[0].reynolds == Approx(2.0 * plan.openings[1].reynolds).epsilon(1e-3));

  run.pulse.period = 0.5;
  const FlowPlan pulsed = planOf(run, lattice, tiles.geometry);
  CHECK(pulsed.openings[0].womersley ==
        Approx(0.5 * across * std::sqrt(4.0 * std::numbers::pi / run.kinematicViscosity)));
}
