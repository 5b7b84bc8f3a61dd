// SPDX-License-Identifier: GPL-3.0-or-later
// Streamlines dx/ds = u / |u| by the classical fourth-order Runge-Kutta method in steps of half a
// node, with trilinear interpolation of the lattice velocity, and their picture.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pipelines/picture/image.hpp"
#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/picture/wall_picture.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::picture {

// Velocity of the nodes in the fields' order, as stored, lattice axes; times factor: m/s.
struct VelocityField {
  const fields::NodeLookup& lookup;
  const std::vector<std::array<float, 3>>& stored;
  double factor = 1.0;
};

struct Streamline {
  std::vector<Double3> point;  // m, world; along the flow
  std::vector<float> speed;    // m/s, zero at the wall
};

// Seeds in lattice coordinates: at each inlet, `wanted` in total, distributed by flow rate; in a
// round opening on a sunflower pattern one node inside, otherwise at the nodes next to it; without
// inlets at nodes everywhere. A line passes through its seed, upstream too if `bothWays`.
struct Seeds {
  std::vector<Double3> place;
  bool bothWays = false;
};
Seeds seedStreamlines(const VelocityField& field, std::size_t wanted);

// One line per seed, in order, in parallel; lines too short to draw are omitted. A line ends where
// it leaves the fluid or the box, at rest, and after four times the longest side of the box.
std::vector<Streamline> traceStreamlines(const VelocityField& field, const Seeds& seeds);

// Streamlines as lit tubes coloured by speed inside a glass wall: from the inlets; for a pulsatile
// run along the mean velocity over the cycle. Seen by the model's camera; voxel walls are replaced
// by the edges of the box. nullopt without flow. Changes only the model's shades.
std::optional<tessera::picture::Image> drawStreamlines(const results::Results& results,
                                                       const solver::file::Fields& fields,
                                                       const fields::NodeLookup& lookup,
                                                       WallModel& model);

}  // namespace tessera::postprocess::picture
