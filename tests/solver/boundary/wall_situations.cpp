// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/boundary/wall_situations.hpp"

#include <random>

#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::model;

namespace {

// A number in [0, 1) for each link, the same every time.
double chance(const Int3& node, const Int3& step) {
  auto hash = static_cast<std::uint64_t>(node[0] + 1) * 0x9e3779b97f4a7c15ULL;
  for (const int value : {node[1], node[2], step[0], step[1], step[2]})
    hash = (hash ^ static_cast<std::uint64_t>(value + 7)) * 0xbf58476d1ce4e5b9ULL ^ hash >> 29;
  return static_cast<double>(hash >> 40) / 16777216.0;
}

bool leavesBox(const Int3& node, const Int3& step, int axis, int size, bool high) {
  const auto a = static_cast<std::size_t>(axis);
  return high ? node[a] + step[a] >= size : node[a] + step[a] < 0;
}

// Obstacles at any distance, a lid that slides and one that turns, a symmetry plane.
LatticeGeometry withWalls(LatticeGeometry geometry, bool plane) {
  const Int3 n = geometry.fluid.size;
  setWalls(geometry, 4, [&](const Int3& node, const Int3& step, double& distance, int& label) {
    distance = 0.02 + 0.97 * chance(node, step);
    if (plane && leavesBox(node, step, 1, n[1], false)) {
      distance = 0.5;
      label = 3;
    } else if (leavesBox(node, step, 1, n[1], true)) {
      label = 1;
    } else if (leavesBox(node, step, 0, n[0], true)) {
      label = 2;
    }
  });
  return geometry;
}

std::vector<WallCondition> conditions(bool plane) {
  std::vector<WallCondition> walls(4);
  walls[1] = {WallKind::Moving, {3e-4, 0.0, 0.0}, {}, {}};
  walls[2] = {WallKind::Moving, {0.0, -1e-4, 0.0}, {5e-3, 4e-3, 0.0}, {0.0, 0.0, 0.02}};
  if (plane) walls[3].kind = WallKind::Symmetry;
  return walls;
}

std::vector<double> quietNoise(std::size_t count) {
  std::mt19937 engine(7);
  std::vector<double> f(count);
  for (double& value : f)
    value = static_cast<float>((static_cast<double>(engine()) / 4294967296.0 - 0.5) * 2e-3);
  return f;
}

}  // namespace

std::vector<Situation> situations() {
  const auto porous = strewn(0.7);  // many nodes between two walls
  const auto grains = [](int x, int y, int z) {
    return strewn(0.4)(x / 3, y / 3, z / 3) && strewn(0.9)(x, y, z);
  };
  const auto opened = [&](int x, int y, int z) { return x < 2 || porous(x, y, z); };
  const std::vector<BoxFace> ends{{0, false, 1}, {0, true, 2}, {2, true, 3}};
  std::vector<Situation> all;
  all.push_back(
      {"closed",
       inTiles(withWalls(imageLattice({13, 10, 9}, porous, {}, {}, 1e-3), true), {0, 1, 2}),
       conditions(true)});
  all.push_back(
      {"periodic, tiles do not meet, forced",
       inTiles(withWalls(imageLattice({10, 9, 6}, porous, {true, false, true}, {}, 1e-3), true),
               {1, 2, 3}),
       conditions(true), true});
  all.push_back(
      {"openings",
       inTiles(withWalls(imageLattice({14, 9, 8}, opened, {false, false, false}, ends, 1e-3), true),
               {2, 1, 3}),
       conditions(true)});
  all.push_back(
      {"2D",
       inTiles(
           withWalls(imageLattice({21, 13, 1}, porous, {false, false, true}, {}, 1e-3, 2), true),
           {0, 0, 0}),
       conditions(true)});
  all.push_back(
      {"2D, periodic, whole tiles, forced",
       inTiles(withWalls(imageLattice({16, 13, 1}, porous, {true, false, true}, {}, 1e-3, 2), true),
               {0, 0, 0}),
       conditions(true), true});
  all.push_back(
      {"cut links",
       inTiles(withWalls(withCutLinks(imageLattice({13, 10, 9}, porous, {}, {}, 1e-3), 0.15), true),
               {0, 1, 2}),
       conditions(true)});
  for (const auto& axes : rowOrders)
    all.push_back(
        {"in rows",
         shiftedTiles(withWalls(imageLattice({17, 14, 15}, grains, {}, {}, 1e-3), true), axes),
         conditions(true)});
  return all;
}

Situation ofManyTiles() {
  const auto porous = strewn(0.7);
  const std::vector<BoxFace> ends{{0, false, 1}, {0, true, 2}, {2, true, 3}};
  const auto opened = [&](int x, int y, int z) { return x < 2 || x > 58 || porous(x, y, z); };
  return {"many tiles",
          inTiles(withWalls(imageLattice({61, 44, 41}, opened, {}, ends, 1e-3), true), {1, 2, 3}),
          conditions(true)};
}

std::vector<VariantInfo> variantsFor(const Situation& situation) {
  std::vector<VariantInfo> rows;
  for (const VariantInfo& row : variants())
    if (row.lattice.dimensions == situation.tiles.geometry.dimensions &&
        row.axes.viscosity == ViscosityId::Constant && !row.storesMoments() &&
        (row.axes.tiling == TilingId::Shifted) == situation.tiles.geometry.isShifted())
      rows.push_back(row);
  return rows;
}

SolverCase caseFor(const VariantInfo& variant, const Situation& situation, WallScheme scheme) {
  SolverCase run = waterCase(variant.axes, 0.8);
  run.ramp = 0.0;
  run.walls = scheme;
  run.wallConditions = situation.walls;
  if (situation.forced) run.bodyForce = {5e-3, -2.5e-3, 0.0};
  run.openings.assign(situation.tiles.geometry.openings.size(), Pressure{});
  if (!run.openings.empty()) {
    run.openings[0] = Velocity{Profile::Parabolic, 2e-4};
    run.openings[2] = Pressure{1e-4};
  }
  return run;
}

Simulation started(const Situation& situation, const VariantInfo& variant, WallScheme scheme,
                   const std::string& backend) {
  Simulation simulation(situation.tiles, prepare(situation.tiles.geometry,
                                                 caseFor(variant, situation, scheme), backend));
  simulation.setPopulations(
      quietNoise(situation.tiles.geometry.tiles() * 64 * variant.lattice.velocities.size()));
  return simulation;
}

}  // namespace tessera::testing
