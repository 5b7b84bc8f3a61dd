// SPDX-License-Identifier: GPL-3.0-or-later
// Flows between interpolated, moving and symmetric walls: observed order of velocity and of wall
// shear, first order of the staircase.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <sstream>

#include "solver/boundary/wall_velocity.hpp"
#include "tests/solver/boundary/wall_flows.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

double order(double coarse, double fine, double doublings) {
  return std::log2(coarse / fine) / doublings;
}

// Says the figures when a check fails, or with -s.
std::string told(const Errors& e) {
  std::ostringstream text;
  text << "velocity " << e.velocity << ", shear at nodes " << e.shear << ", flow " << e.flow
       << ", shear at the wall " << e.wall << ", mass " << e.mass;
  return text.str();
}

constexpr WallScheme interpolated[] = {WallScheme::Bouzidi, WallScheme::SingleNode,
                                       WallScheme::Multireflection};

}  // namespace

TEST_CASE(
    "Wall flows: inclined channel: second order with interpolated walls, not with a staircase",
    "[unit]") {
  for (const WallScheme scheme : interpolated) {
    const Errors coarse = inclined(12, scheme, 1.1);
    const Errors fine = inclined(48, scheme, 1.1);
    INFO("scheme " << int(scheme) << ": " << told(coarse) << "; " << told(fine));
    // Single-node walls share their excess of mass inside a tile alone.
    const bool inTile = scheme == WallScheme::SingleNode;
    CHECK(order(coarse.velocity, fine.velocity, 2.0) > (inTile ? 1.6 : 1.8));
    CHECK(order(coarse.shear, fine.shear, 2.0) > (inTile ? 0.8 : 1.1));
    CHECK(fine.shear < (inTile ? 6e-3 : 4e-3));
    CHECK(std::abs(fine.mass) < 1e-12);
  }
  const Errors coarse = inclined(12, WallScheme::Halfway, 1.1);
  const Errors fine = inclined(48, WallScheme::Halfway, 1.1);
  INFO("staircase: " << told(coarse) << "; " << told(fine));
  CHECK(order(coarse.velocity, fine.velocity, 2.0) < 1.2);
  CHECK(fine.shear > 0.05);
}

TEST_CASE("Wall flows: multireflection does not depend on the viscosity, Bouzidi's walls do",
          "[unit]") {
  const double a = inclined(12, WallScheme::Multireflection, 0.6).velocity;
  const double b = inclined(12, WallScheme::Multireflection, 1.1).velocity;
  CHECK(a == Approx(b).margin(3e-4));
  const double c = inclined(12, WallScheme::Bouzidi, 0.6).velocity;
  const double d = inclined(12, WallScheme::Bouzidi, 1.1).velocity;
  CHECK(std::abs(c / d - 1.0) > 0.1);
}

TEST_CASE("Wall flows: pipe: wall shear is far better than with a staircase", "[unit]") {
  const Errors coarse = pipe(5.3, WallScheme::Multireflection, 0.8);
  const Errors fine = pipe(10.6, WallScheme::Multireflection, 0.8);
  INFO(told(coarse) << "; " << told(fine));
  CHECK(order(coarse.velocity, fine.velocity, 1.0) > 1.8);
  CHECK(fine.velocity < 3e-3);
  CHECK(coarse.wall < 1e-3);
  CHECK(fine.wall < 5e-4);
  CHECK(order(coarse.wall, fine.wall, 1.0) > 0.8);
  CHECK(std::abs(fine.mass) < 1e-12);
  const Errors linear = pipe(10.6, WallScheme::Bouzidi, 0.8);
  INFO("Bouzidi: " << told(linear));
  CHECK(linear.velocity < 5e-3);
  CHECK(linear.wall < 0.01);
  CHECK(std::abs(linear.mass) < 1e-12);
  const Errors staircase = pipe(10.6, WallScheme::Halfway, 0.8);
  INFO("staircase: " << told(staircase));
  CHECK(staircase.velocity > 0.02);
  CHECK(staircase.wall > 0.1);
}

TEST_CASE("Wall flows: pipe: orders over four radii", "[.slow]") {
  for (const WallScheme scheme :
       {WallScheme::Halfway, WallScheme::Bouzidi, WallScheme::Multireflection})
    for (const double tau : {0.6, 1.1}) {
      std::vector<Errors> errors;
      for (const double radius : {5.3, 10.6, 21.2}) {
        errors.push_back(pipe(radius, scheme, tau));
        WARN("scheme " << int(scheme) << ", tau " << tau << ", radius " << radius << ": "
                       << told(errors.back()));
      }
      if (scheme == WallScheme::Halfway) continue;
      CHECK(order(errors[0].velocity, errors[2].velocity, 2.0) > 1.5);
      if (scheme == WallScheme::Multireflection)
        CHECK(order(errors[0].velocity, errors[2].velocity, 2.0) > 1.9);
    }
}

TEST_CASE("Wall flows: rotating cylinder in another: second order with interpolated walls",
          "[unit]") {
  for (const WallScheme scheme : interpolated) {
    const Errors coarse = cylinders(8.3, scheme, 0.8);
    const Errors fine = cylinders(33.2, scheme, 0.8);
    INFO("scheme " << int(scheme) << ": " << told(coarse) << "; " << told(fine));
    CHECK(order(coarse.velocity, fine.velocity, 2.0) >
          (scheme == WallScheme::Multireflection ? 1.6 : 1.8));
    CHECK(order(coarse.shear, fine.shear, 2.0) > 1.1);
    CHECK(fine.velocity < 3e-3);
    CHECK(std::abs(fine.mass) < 1e-12);
  }
  const Errors coarse = cylinders(8.3, WallScheme::Halfway, 0.8);
  const Errors fine = cylinders(33.2, WallScheme::Halfway, 0.8);
  INFO("staircase: " << told(coarse) << "; " << told(fine));
  CHECK(order(coarse.velocity, fine.velocity, 2.0) < 1.5);
  CHECK(std::abs(fine.mass) < 1e-12);
}

TEST_CASE("Wall flows: a plate that slides over a resting one, each at any distance, is exact",
          "[unit]") {
  for (const WallScheme scheme : interpolated)
    for (const double low : {0.125, 0.5, 0.8125}) {
      const double height = 8.25 + low;  // plates at -low and 8.25
      const TilesFile tiles = inTiles(
          levelLattice(
              {4, 12, 1},
              [&](const Double3& p) {
                return std::abs(p[1] - 1.0 - (0.5 * height - low)) - 0.5 * height;
              },
              {true, false, true}, 1e-4, 2, 2, [](const Double3& p) { return p[1] > 5.0 ? 1 : 0; }),
          {0, 0, 0});
      SolverCase run = plainCase(tiles, scheme, 0.7);
      run.wallConditions.resize(2);
      run.wallConditions[1] = {WallKind::Moving, {1e-3, 0.0, 0.0}, {}, {}};
      const Flow flow(tiles, run, 6000);
      flow.forNodes([&](const Double3& at, NodeType, std::uint64_t node) {
        const double u = flow.fields.velocity[node][0] * flow.fields.velocityFactor;
        CHECK(u == Approx(1e-3 * (at[1] - 1.0 + low) / height).epsilon(1e-6));
      });
    }
}

TEST_CASE("Wall flows: two symmetry planes and a quarter of a duct are the whole duct", "[unit]") {
  const auto flowOf = [](int side, bool quarter) {
    LatticeGeometry geometry = imageLattice(
        {4, side, side}, [](int, int, int) { return true; }, {true, false, false}, {}, 1e-4);
    setWalls(geometry, 2, [&](const Int3& node, const Int3& step, double&, int& label) {
      label = quarter && (node[1] + step[1] >= side || node[2] + step[2] >= side) &&
                      node[1] + step[1] >= 0 && node[2] + step[2] >= 0
                  ? 1
                  : 0;
    });
    return inTiles(geometry, {1, 2, 3});
  };
  const TilesFile whole = flowOf(12, false);
  const TilesFile part = flowOf(6, true);
  const auto velocities = [](const TilesFile& tiles, bool plane) {
    SolverCase run = plainCase(tiles, WallScheme::Halfway, 0.9);
    run.bodyForce = {force, 0.0, 0.0};
    run.wallConditions.resize(2);
    if (plane) run.wallConditions[1].kind = WallKind::Symmetry;
    const Flow flow(tiles, run, 400);
    std::map<Int3, float> u;
    flow.forNodes([&](const Double3& at, NodeType, std::uint64_t node) {
      u[{int(at[0]), int(at[1]), int(at[2])}] = flow.fields.velocity[node][0];
    });
    return u;
  };
  const auto expected = velocities(whole, false);
  for (const auto& [node, u] : velocities(part, true))
    CHECK(u == Approx(expected.at(node)).epsilon(1e-6));
}

TEST_CASE("Wall flows: lid-driven cavity at a Reynolds number of 100: Ghia, Ghia & Shin 1982",
          "[unit]") {
  constexpr int n = 51;
  LatticeGeometry geometry = imageLattice(
      {n, n, 1}, [](int, int, int) { return true; }, {false, false, true}, {}, 1e-3 / n, 2);
  setWalls(geometry, 2, [](const Int3& node, const Int3& step, double&, int& label) {
    label = node[1] + step[1] >= n ? 1 : 0;
  });
  const TilesFile tiles = inTiles(geometry, {0, 0, 0});
  const double speed = 100.0 * viscosity / 1e-3;
  SolverCase run = plainCase(tiles, WallScheme::Halfway, 0.0);
  run.tau.reset();
  run.latticeVelocity = 0.15;
  run.wallConditions.resize(2);
  run.wallConditions[1] = {WallKind::Moving, {speed, 0.0, 0.0}, {}, {}};
  const Flow flow(tiles, run, 9000);
  std::vector<double> u(n), v(n);  // on the two middle lines
  flow.forNodes([&](const Double3& at, NodeType, std::uint64_t node) {
    const auto& velocity = flow.fields.velocity[node];
    if (at[0] == n / 2) u[std::size_t(at[1])] = velocity[0] * flow.fields.velocityFactor / speed;
    if (at[1] == n / 2) v[std::size_t(at[0])] = velocity[1] * flow.fields.velocityFactor / speed;
  });
  const auto between = [](const std::vector<double>& values, double position) {
    const double place = position * n - 0.5;
    const auto k = std::min(static_cast<std::size_t>(place), values.size() - 2);
    const double part = place - static_cast<double>(k);
    return (1.0 - part) * values[k] + part * values[k + 1];
  };
  const std::pair<double, double> ghiaU[] = {
      {0.9531, 0.68717},  {0.8516, 0.23151},  {0.7344, 0.00332},  {0.6172, -0.13641},
      {0.5000, -0.20581}, {0.4531, -0.21090}, {0.2813, -0.15662}, {0.1719, -0.10150},
      {0.1016, -0.06434}, {0.0547, -0.03717}};
  for (const auto& [y, expected] : ghiaU) CHECK(between(u, y) == Approx(expected).margin(0.006));
  const std::pair<double, double> ghiaV[] = {
      {0.9688, -0.05906}, {0.9453, -0.10313}, {0.9063, -0.16914}, {0.8047, -0.24533},
      {0.5000, 0.05454},  {0.2344, 0.17527},  {0.1563, 0.16077},  {0.0625, 0.09233}};
  for (const auto& [x, expected] : ghiaV) CHECK(between(v, x) == Approx(expected).margin(0.006));
}

TEST_CASE("Wall flows: no flow goes round through a lid, whichever wall the corners belong to",
          "[unit]") {
  constexpr int n = 24;
  constexpr double speed = 0.1;
  std::vector<std::vector<float>> along;  // in the middle, for both choices of the corners' wall
  for (const bool lidHasCorners : {true, false}) {
    LatticeGeometry geometry = imageLattice(
        {n, n, 1}, [](int, int, int) { return true; }, {false, false, true}, {}, 1e-3 / n, 2);
    setWalls(geometry, 2, [&](const Int3& node, const Int3& step, double&, int& label) {
      const bool side = node[0] + step[0] < 0 || node[0] + step[0] >= n;
      label = node[1] + step[1] >= n && (lidHasCorners || !side) ? 1 : 0;
    });
    const TilesFile tiles = inTiles(geometry, {0, 0, 0});
    SolverCase run = plainCase(tiles, WallScheme::Halfway, 0.0);
    run.tau.reset();
    run.latticeVelocity = speed;
    run.wallConditions.resize(2);
    run.wallConditions[1] = {
        WallKind::Moving, {50.0 * run.kinematicViscosity / 1e-3, 0.0, 0.0}, {}, {}};
    const Flow flow(tiles, run, 6000);
    std::vector<float> u(n);
    flow.forNodes([&](const Double3& at, NodeType, std::uint64_t node) {
      if (at[0] == n / 2) u[std::size_t(at[1])] = flow.fields.velocity[node][0];
    });
    along.push_back(u);
    const double factor = flow.fields.velocityFactor / run.wallConditions[1].velocity[0];
    double sum = 0.0;
    for (const float value : u) sum += value * factor;
    CHECK(std::abs(sum) < 0.02);  // 1/6 with a lid that slides through the corners
  }
  CHECK(along[0] == along[1]);
}

TEST_CASE("Wall flows: in an edge a wall that moves along its normal keeps its velocity",
          "[unit]") {
  constexpr int n = 4;
  LatticeGeometry geometry = imageLattice(
      {n, n, n}, [](int, int, int) { return true; }, {false, false, false}, {}, 1e-3);
  setWalls(geometry, 3, [&](const Int3& node, const Int3& step, double& distance, int& label) {
    label = node[1] + step[1] >= n ? 1 : node[0] + step[0] >= n ? 2 : 0;
    distance = 0.5;
  });
  const TilesFile tiles = inTiles(geometry, {0, 0, 0});
  std::vector<WallCondition> walls(3);
  walls[1] = {WallKind::Moving, {1.0, 0.5, 0.25}, {}, {}};
  const MovingWalls moving{tiles.geometry, walls, false};
  const auto along = [&](const Int3& node, const std::array<int, 3>& c) {
    const tiler::TilePlace place = tiles.geometry.placeOf(node);
    const auto tile = static_cast<std::size_t>(
        tiles.geometry.tileAt(place.tile[0], place.tile[1], place.tile[2]));
    return moving.velocityAlong(node, tiler::linksOf(tiles.geometry, tile, place.local), c);
  };
  CHECK(along({1, n - 1, 1}, {1, 1, 0}) == 1.5);        // away from edges
  CHECK(along({0, n - 1, 1}, {-1, 1, 0}) == 0.5);       // into an edge
  CHECK(along({n - 1, n - 1, 1}, {1, 1, 0}) == 0.5);    // whichever label it has
  CHECK(along({n - 1, n - 1, 1}, {1, 1, 1}) == 0.625);  // along the edge the mean of both walls
  CHECK(along({0, n - 1, 0}, {-1, 1, -1}) == 0.5);      // into a corner of three walls
  walls[2] = {WallKind::Moving, {-2.0, 0.0, 0.0}, {}, {}};
  CHECK(along({n - 1, n - 1, 1}, {1, 1, 0}) == -1.5);  // of each wall the part along its normal
  CHECK(along({1, 1, 0}, {0, 0, -1}) == 0.0);
}
