// SPDX-License-Identifier: GPL-3.0-or-later
// Where one link crosses triangles, and which triangle lies nearest to a node.
#pragma once

#include <vector>

#include "preprocess/surface_cells.hpp"

namespace tessera {

struct Crossing {
  double distance;  // along the link, in parts of it
  int change;       // of the winding number: -1 leaves the fluid, +1 enters it
  const NearTriangle* triangle;
};

using CrossingsByDirection = std::array<std::vector<Crossing>, 27>;

// Adds the crossings of the links of a mask with a triangle, found by exact edge functions. Those a
// little outside of 0 .. 1 are added too: the lattice was rounded to fixed point.
void crossLinks(const Int3& node, std::uint32_t mask, const NearTriangle& triangle,
                CrossingsByDirection& crossings);

// Of all crossings of a link that ends outside of the surface, the first behind which the winding
// number is no longer positive; nullptr when there is none. Sorts the crossings.
const Crossing* firstExit(std::vector<Crossing>& crossings);

// Height of a triangle's plane over a node along the triangle's normal, nodes.
double heightOver(const Int3& node, const NearTriangle& triangle);

// Parts of the link in direction n to the plane of a triangle, within 0 .. 1.
double distanceToPlane(const Int3& node, int n, const NearTriangle& triangle);

// Square of the distance from a node to the nearest point of a triangle, nodes^2.
double squaredDistance(const Int3& node, const NearTriangle& triangle);

}  // namespace tessera
