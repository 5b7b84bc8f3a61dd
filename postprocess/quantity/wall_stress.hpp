// SPDX-License-Identifier: GPL-3.0-or-later
// Pressure and deviatoric stress at the wall, extrapolated along the normal from points inside the
// fluid, the first about one node from the wall.
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

// Line: through the points 1 and 2 nodes deep; the value of the first where there is no room for
// two. Along a curved wall a / (1 + k x) + b (1 + k x) takes the line's place, k the curvature and
// x the depth: developed flow along a cylinder or within an annulus is exact, and beside a cylinder
// of four nodes radius a line is 10 % too low. Parabola: for pulsatile flow, whose stress is curved
// in the Stokes layer, least squares through four points down to 4 nodes deep; a line where there
// is no room for four, and for the pressure. Cubic: through the same four, a parabola through
// three; near sharp edges, where the stress is curved over the distance from the edge: in a square
// duct of 11 nodes the mean shear by lines is 8 % too low even from the exact stress, by
// parabolas 4.6 %, by cubics 1.5 %.
enum class Extrapolation { Line, Parabola, Cubic };

// point in lattice coordinates, normal unit and out of the fluid; curvature as wallCurvature().
StressAtWall stressAtWall(const fields::NodeLookup& lookup, const solver::file::Fields& fields,
                          const Double3& point, const Double3& normal,
                          Extrapolation extrapolation = Extrapolation::Line,
                          double curvature = 0.0);

// At the centroid of every triangle, in parallel; cubic where wall.nearEdge says so, otherwise with
// wall.curvature.
std::vector<StressAtWall> stressOnSurface(const fields::NodeLookup& lookup,
                                          const solver::file::Fields& fields,
                                          const WallSurface& wall,
                                          Extrapolation extrapolation = Extrapolation::Line);

// Stress tensor times a vector, Pa.
Double3 stressTimes(const std::array<double, 6>& stress, const Double3& vector);

}  // namespace tessera::postprocess::quantity
