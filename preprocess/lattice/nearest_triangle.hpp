// SPDX-License-Identifier: GPL-3.0-or-later
// Which triangle lies nearest to a node.
#pragma once

#include <limits>

#include "preprocess/lattice/slabbed_surface.hpp"

namespace tessera {

// The nearest triangle so far; of those equally near the first. Needles have no normal and are
// passed over.
struct NearestTriangle {
  const NearTriangle* triangle = nullptr;
  double squared = std::numeric_limits<double>::infinity();  // distance, nodes^2

  void consider(const Int3& node, const NearTriangle& candidate);
};

// Parts of the link from a node along step to the plane of a triangle, within 0 .. 1.
double distanceToPlane(const Int3& node, const Int3& step, const NearTriangle& triangle);

}  // namespace tessera
