// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of everything that a lattice holds and that the tiles over it will need.
#pragma once

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::plan {

// As double, since those of a large lattice are extrapolated.
struct LatticeCounts {
  int dimensions = 3;
  Double3 nodes{};          // of the box, whole numbers
  double fluidNodes = 0.0;  // non-solid
  double boundaryNodes = 0.0;
  double links = 0.0;         // of the 26 directions, leaving the fluid
  double tiles = 0.0;         // that hold a fluid node, at the offset with the fewest
  double fullTiles = 0.0;     // of them those without a solid node or a link that leaves
  double openingLinks = 0.0;  // of D3Q19, in 2D D2Q9, that end on openings
  double copies = 0.0;        // of populations across periodic faces that tiles do not meet
  double ghostTiles = 0.0;    // beyond openings and such faces, which the solver adds
  double blocks = 0.0;        // of BitLattice that hold a fluid node
  double leaves = 0.0;        // of geom.vdb, without those that are wholly fluid
  double triangles = 0.0;     // of the surface that goes into the files
  double vertices = 0.0;
  bool exact = false;  // counted on the lattice itself rather than extrapolated from coarser ones

  [[nodiscard]] double box() const { return nodes[0] * nodes[1] * nodes[2]; }
};

}  // namespace tessera::preprocess::plan
