// SPDX-License-Identifier: GPL-3.0-or-later
// Crossings of lattice lines with a triangle; one line serves both links between two nodes.
#pragma once

#include <vector>

#include "preprocess/lattice/links/slabbed_surface.hpp"

namespace tessera::preprocess::lattice {

struct LineCrossing {
  Int3 node;        // where the link begins
  int direction;    // of the link; its first non-zero component is positive
  double distance;  // along the link in link lengths, within 0 .. 1 plus linkWindow on both sides
  bool leaves;      // through the triangle's front; else enters through its back
};

// Appends the crossings of a triangle with the lattice's lines in all directions, by exact edge
// functions. Large triangles are limited to two planes of nodes and one node beyond. Of a sheet
// each crossing belongs to one link, at a distance of 0 .. 1: every node counts as shifted by (e^3,
// e^2, e) for an infinitesimal e, as in the voxeliser, so that a node on a sheet lies on one side
// of it for all its links (simulation of simplicity, Edelsbrunner & Muecke, ACM Trans Graphics
// 9:66, 1990) and no path over uncut links passes a sheet.
void crossLines(const NearTriangle& triangle, int firstPlane, int lastPlane,
                std::vector<LineCrossing>& crossings);

}  // namespace tessera::preprocess::lattice
