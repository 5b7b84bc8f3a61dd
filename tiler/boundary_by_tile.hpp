// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary nodes and links from the lattice's row-major order to tile order.
#pragma once

#include <cstdint>
#include <vector>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

// Fills boundaryStart .. linkPatch of `tiled`, whose tiles are numbered. maskOfTile: non-solid
// nodes of each tile. Throws StageError(BadInput) if a boundary node is not fluid or repeated, or
// links do not match the masks.
void carryBoundary(TiledGeometry& tiled, const preprocess::geometry::BoundaryNodes& boundary,
                   const std::vector<std::uint64_t>& maskOfTile);

}  // namespace tessera::tiler
