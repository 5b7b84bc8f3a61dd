// SPDX-License-Identifier: GPL-3.0-or-later
// Streamlines: curves along the velocity, dx/ds = u / |u|, by the classical Runge-Kutta method of
// fourth order in steps of half a node over the lattice's own velocity, trilinear between nodes.
#pragma once

#include <span>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"

namespace tessera::postprocess::picture {

// The velocity of the nodes in the fields' order: stored, lattice axes; m/s by the factor.
struct VelocityField {
  const fields::NodeLookup& lookup;
  const std::vector<std::array<float, 3>>& stored;
  double factor = 1.0;
};

struct Streamline {
  std::vector<Double3> point;  // m, world; along the flow
  std::vector<float> speed;    // m/s, falls to zero at the wall
};

// Where lines begin, lattice coordinates: in each opening that the fluid comes in through, `wanted`
// in all, shared out by flow rate. In a round opening on a sunflower's disc one node inside, else
// at the nodes next to it; without such an opening at nodes all over the fluid. A line passes
// through its seed, upstream too where `bothWays`.
struct Seeds {
  std::vector<Double3> place;
  bool bothWays = false;
};
Seeds seedStreamlines(const VelocityField& field, std::size_t wanted);

// One line a seed, in their order, in parallel; those too short to draw are left out. A line ends
// where it leaves the fluid or the box, where nothing flows, and after four times the box's longest
// side.
std::vector<Streamline> traceStreamlines(const VelocityField& field, const Seeds& seeds);

}  // namespace tessera::postprocess::picture
