// SPDX-License-Identifier: GPL-3.0-or-later
// Pressure and deviatoric stress at the wall, extrapolated linearly along the normal from two
// points inside the fluid, the first about one node from the wall.
#pragma once

#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/quantity/wall_surface.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

struct StressAtWall {
  bool measured = false;           // false: no fluid near, e.g. a removed part
  double pressure = 0.0;           // Pa
  std::array<double, 6> stress{};  // Pa, lattice axes: xx yy zz xy xz yz
};

// point in lattice coordinates, normal unit and out of the fluid. Without room for two points the
// value of the first is used.
StressAtWall stressAtWall(const fields::NodeLookup& lookup, const solver::file::Fields& fields,
                          const Double3& point, const Double3& normal);

// At the centroid of every triangle, in parallel.
std::vector<StressAtWall> stressOnSurface(const fields::NodeLookup& lookup,
                                          const solver::file::Fields& fields,
                                          const WallSurface& wall);

// Stress tensor times a vector, Pa.
Double3 stressTimes(const std::array<double, 6>& stress, const Double3& vector);

}  // namespace tessera::postprocess::quantity
