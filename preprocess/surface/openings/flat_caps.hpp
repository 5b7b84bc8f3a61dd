// SPDX-License-Identifier: GPL-3.0-or-later
// Openings of a closed surface: the flat caps over the ends of its vessels.
#pragma once

#include <string>
#include <vector>

#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

struct FlatCaps {
  std::vector<Cap> caps;
  std::vector<std::string> warnings;  // candidates that could not be told from walls
};

// A cap is a connected region of coplanar triangles with one rim, compact (4 pi A / P^2 > 0.5),
// over which the wall falls away sharply (more than 45 degrees over at least three quarters of the
// rim); two such regions that touch, as on a cube, are no caps, and one that touches a known cap is
// the side of a duct. mesh: closed and outward. tolerance: m, of a vertex to a plane. known: caps
// already found, left out.
FlatCaps findFlatCaps(const geometry::TriangleMesh& mesh, double tolerance,
                      const std::vector<Cap>& known);

}  // namespace tessera::preprocess::surface
