// SPDX-License-Identifier: GPL-3.0-or-later
// What tells from a surface, without a lattice, how many nodes lie at it: integrals over its
// triangles and edges. A body K grown or shrunk by a box with sides s has, after Steiner (in
// Minkowski's form; Schneider, Convex Bodies, 2014, section 5.1), the volume
//   V +- 1/2 sum_a s_a int |n_a| dA + bend(s) +- s_x s_y s_z chi / 2,
// where bend sums over the edges what the slabs on their two triangles count twice or not at all.
// Exact for convex bodies; else as long as what is added does not meet itself.
#pragma once

#include <array>

#include "preprocess/lattice/frame.hpp"
#include "preprocess/surface/edge_table.hpp"

namespace tessera {

// Lengths in nodes.
struct MeshIntegrals {
  double volume = 0.0;
  double area = 0.0;
  Double3 projected{};      // int |n_a| dA
  double links = 0.0;       // sum over the 26 directions d of int max(n . d, 0) dA, less the edges'
  double bendInward = 0.0;  // for a cube of side 2 that shrinks, as the 26 links do
  double bendOutward = 0.0;   // for the same cube that grows
  double bendBlock = 0.0;     // for a block of BitLattice, less a node on each axis, that grows
  double parts = 0.0;         // chi / 2: 1 for every part like a ball
  double openingLinks = 0.0;  // of the links, those that openings take
  double openingReach = 0.0;  // int |n_x| + |n_y| + |n_z| dA of the openings
  // Grown by a cube of this side; shrunk by it (at least 0).
  [[nodiscard]] double grown(double side) const;
  [[nodiscard]] double shrunk(double side) const;
  // Grown by a block of BitLattice less a node on each axis: 63 x 31 x 7.
  [[nodiscard]] double grownByBlock() const;
};

// mesh: metres, closed, but for the ends of periodic axes. volume: m3. frame: its axes and spacing
// count. Without edges what depends on them is left out, which most of the time goes to. Same
// result for any number of threads.
enum class Edges { No, Yes };
MeshIntegrals integrate(const TriangleMesh& mesh, double volume, const Frame& frame, Edges edges);

}  // namespace tessera
