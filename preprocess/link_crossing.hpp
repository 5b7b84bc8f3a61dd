// SPDX-License-Identifier: GPL-3.0-or-later
// Where one link crosses triangles, and which triangle lies nearest to a node.
#pragma once

#include <optional>
#include <vector>

#include "preprocess/surface_cells.hpp"

namespace tessera {

struct Crossing {
  double distance;  // along the link, in parts of it
  int change;       // of the winding number: -1 leaves the fluid, +1 enters it
  const NearTriangle* triangle;
};

// Crossing of the link from a node along a direction with a triangle, by exact edge functions.
// Distances a little outside of 0 .. 1 are reported too: the lattice was rounded to fixed point.
std::optional<Crossing> crossLink(const Int3& node, const Int3& direction,
                                  const NearTriangle& triangle);

// Of all crossings of a link that ends outside of the surface, the first behind which the winding
// number is no longer positive; nullptr when there is none. Sorts the crossings.
const Crossing* firstExit(std::vector<Crossing>& crossings);

// Parts of the link from a node to the plane of a triangle, within 0 .. 1.
double distanceToPlane(const Int3& node, const Int3& direction, const NearTriangle& triangle);

// Square of the distance from a node to the nearest point of a triangle, nodes^2.
double squaredDistance(const Int3& node, const NearTriangle& triangle);

}  // namespace tessera
