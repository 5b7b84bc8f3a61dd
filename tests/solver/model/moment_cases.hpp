// SPDX-License-Identifier: GPL-3.0-or-later
// Geometries and cases that tests of a state of moments share.
#pragma once

#include <cmath>
#include <random>

#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::lattice;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::file;

// Obstacles, a velocity and two pressure openings, an axis that closes without meeting tiles.
inline TilesFile openGeometry() {
  const auto porous = strewn(0.85);
  return imageGeometry({14, 9, 8}, [=](int x, int y, int z) { return x < 2 || porous(x, y, z); },
                       {false, true, false}, {{0, false, 1}, {0, true, 2}, {2, true, 3}}, 1e-3,
                       {2, 1, 3});
}

inline SolverCase regularisedCase(StateId state, PrecisionId precision) {
  SolverCase run = waterCase(0.7);
  run.collision = CollisionId::Regularised;
  run.precision = precision;
  run.state = state;
  run.ramp = 5.0;
  run.steps = 400;
  run.openings.assign(3, Pressure{});
  run.openings[0] = Velocity{Profile::Parabolic, 2e-4};
  run.openings[2] = Pressure{1e-4};
  return run;
}

inline double relative(double a, double b, double scale) {
  return std::abs(a - b) / scale;
}

// Obstacles and three openings, an axis that closes on whole tiles, walls anywhere between nodes,
// also between two of the fluid, of two labels.
inline TilesFile cutBoxOfThreeOpenings(const Int3& nodes) {
  const auto grains = strewn(0.8);
  LatticeGeometry lattice = withCutLinks(
      imageLattice(
          nodes, [=](int x, int y, int z) { return x < 3 || grains(x / 3, y / 2, z / 3); },
          {false, true, false}, {{0, false, 1}, {0, true, 2}, {2, true, 3}}, 1e-3),
      0.02);
  std::mt19937 engine(11);
  setWalls(lattice, 2, [&](const Int3& node, const Int3&, double& distance, int& label) {
    distance = 0.02 + 0.96 * static_cast<double>(engine()) / 4294967296.0;
    label = node[1] < nodes[1] / 2 ? 0 : 1;
  });
  return inTiles(lattice, {0, 0, 0});
}

}  // namespace tessera::testing
