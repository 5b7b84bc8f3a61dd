// SPDX-License-Identifier: GPL-3.0-or-later
// Openings that a case makes wall (kind = "wall"), in a geometry in memory; files keep theirs.
#pragma once

#include <span>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

// Gives the links and triangles of these openings, by id, each to a wall label of its own after
// those of the geometry, with the opening's name. The openings stay in the list, without links.
// geometry: whole, or a rank's part.
void closeOpenings(std::span<const int> ids, TiledGeometry& geometry);

}  // namespace tessera::tiler
