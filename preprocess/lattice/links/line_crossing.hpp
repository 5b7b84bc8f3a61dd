// SPDX-License-Identifier: GPL-3.0-or-later
// Where the lattice's lines cross a triangle: one line serves both links between two nodes.
#pragma once

#include <vector>

#include "preprocess/lattice/links/slabbed_surface.hpp"

namespace tessera::preprocess::lattice {

struct LineCrossing {
  Int3 node;        // where the link begins
  int direction;    // of the link; its first component that is not 0 is positive
  double distance;  // along the link, in parts of it, within 0 .. 1 or linkWindow beyond
  bool leaves;      // through the triangle's front; or enters through its back
};

// Appends the crossings of a triangle with the lattice's lines in all directions, by exact edge
// functions. Of large triangles only what lies between two planes of nodes, or one node beyond, is
// looked at.
void crossLines(const NearTriangle& triangle, int firstPlane, int lastPlane,
                std::vector<LineCrossing>& crossings);

}  // namespace tessera::preprocess::lattice
