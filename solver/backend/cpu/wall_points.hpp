// SPDX-License-Identifier: GPL-3.0-or-later
// Wall points: positions where the traction on the wall is computed during a run. At each node with
// a wall link the stress is extrapolated along the lattice axis closest to the wall's normal, from
// the end of the link on that axis, by a least-squares parabola through the four nodes next to it.
// In a Stokes layer (2 nu / omega)^1/2 of 1.7 spacings its magnitude is then right within 3 %, by a
// line through three nodes 11 to 14 % too low (tests/bench/RESULTS.md). Where the fluid is thinner:
// by a line through the node and up to two further in.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/parabola.hpp"
#include "solver/model/platform.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::backend {

// Observed values of a slot stand together, value after value, 64 nodes each (observe()).
constexpr std::uint64_t observedPerSlot = 640;

constexpr int nodesOfWallPoint = preprocess::geometry::pointsOfParabola;

struct WallPoint {
  std::uint64_t node[nodesOfWallPoint]{};  // index of the first observed value of each, the node's
                                           // own first; repeated where the weight is 0
  float weight[nodesOfWallPoint]{1.0F, 0.0F, 0.0F, 0.0F};  // of each in the stress at the wall
  float normal[3]{};  // of the wall, out of the fluid, lattice axes
};

struct WallPoints {
  std::vector<WallPoint> points;    // by tile of the file and local node
  std::vector<std::uint64_t> node;  // index of each in run.fields
};

// Wall points of own tiles; node: indices among the nodes of all ranks.
WallPoints findWallPoints(const tiler::TiledGeometry& geometry, const tiles::TileOrder& order,
                          const tiles::RankPart& part = {});

// Adds the tangential traction of the fluid on the wall, lattice units, and its magnitude:
//   t = -(s.n - (n.s.n) n), s the deviatoric stress at the wall
TESSERA_HOST_DEVICE void addTraction(const WallPoint& point, const float* observed,
                                     double (&sums)[4]) {
  double s[6];
  for (int e = 0; e < 6; ++e) {
    s[e] = 0.0;
    for (int k = 0; k < nodesOfWallPoint; ++k)
      s[e] += double(point.weight[k]) *
              double(observed[point.node[k] +
                              static_cast<std::uint64_t>(64U * static_cast<unsigned>(4 + e))]);
  }
  const double x = point.normal[0];
  const double y = point.normal[1];
  const double z = point.normal[2];
  const double on[3] = {s[0] * x + s[3] * y + s[4] * z, s[3] * x + s[1] * y + s[5] * z,
                        s[4] * x + s[5] * y + s[2] * z};
  const double along = on[0] * x + on[1] * y + on[2] * z;
  const double t[3] = {along * x - on[0], along * y - on[1], along * z - on[2]};
  for (int a = 0; a < 3; ++a) sums[a] += t[a];
  sums[3] += sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
}

}  // namespace tessera::solver::backend
