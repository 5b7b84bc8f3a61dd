// SPDX-License-Identifier: GPL-3.0-or-later
// Where the traction of the fluid on the wall is taken from while a run goes on: at each node with
// a wall link, the stress extrapolated linearly along the wall's normal, from the node and the one
// further in, to the wall.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "solver/order.hpp"
#include "solver/platform.hpp"

namespace tessera {

// Observed values of a slot stand together, value after value, 64 nodes each (observe()).
constexpr std::uint64_t observedPerSlot = 10 * 64;

struct WallPoint {
  std::uint64_t near = 0;  // index of the first observed value of the node
  std::uint64_t far = 0;   // of the node further in; near where there is none
  float slope = 0.0F;      // distance of the wall from near, in parts of that of far from near
  float normal[3]{};       // of the wall, out of the fluid, lattice axes
};

struct WallPoints {
  std::vector<WallPoint> points;    // by tile of the file and local node
  std::vector<std::uint64_t> node;  // of each, its place in run.fields
};

WallPoints findWallPoints(const TiledGeometry& geometry, const TileOrder& order);

// Adds the tangential traction of the fluid on the wall, lattice units, and its magnitude:
//   t = -(s.n - (n.s.n) n), s the deviatoric stress at the wall
TESSERA_ANY void addTraction(const WallPoint& point, const float* observed, double (&sums)[4]) {
  double s[6];
  for (int e = 0; e < 6; ++e) {
    const double near = observed[point.near + 64U * static_cast<unsigned>(4 + e)];
    const double far = observed[point.far + 64U * static_cast<unsigned>(4 + e)];
    s[e] = near + double(point.slope) * (near - far);
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

}  // namespace tessera
