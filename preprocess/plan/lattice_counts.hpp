// SPDX-License-Identifier: GPL-3.0-or-later
// How much there will be of everything in a lattice and in the tiles that cover it.
#pragma once

#include "preprocess/lattice/frame.hpp"

namespace tessera {

struct LatticeCounts {
  int dimensions = 3;
  Double3 nodes{};          // of the box, whole numbers
  double fluidNodes = 0.0;  // non-solid
  double boundaryNodes = 0.0;
  double links = 0.0;         // of the 26 directions, leaving the fluid
  double openingLinks = 0.0;  // of them those that end on openings
  double tiles = 0.0;         // that hold a fluid node, at the offset with the fewest
  double fullTiles = 0.0;     // of them those without a solid node or a link that leaves, if known
  double ghostTiles = 0.0;    // beyond openings, which the solver adds
  double blocks = 0.0;        // of BitLattice that hold a fluid node
  double leaves = 0.0;        // of geom.vdb, without those that are wholly fluid
  double triangles = 0.0;     // of the surface that goes into the files
  double vertices = 0.0;
  double meanWidth = 0.0;  // of channels, nodes: the diameter of a tube; 0: not known
  bool exact = false;      // counted on the lattice rather than estimated from a mesh

  [[nodiscard]] double box() const { return nodes[0] * nodes[1] * nodes[2]; }
};

}  // namespace tessera
