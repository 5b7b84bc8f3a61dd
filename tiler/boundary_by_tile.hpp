// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary nodes and links from the row-major order of the lattice to the order of the tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

// Fills boundaryStart .. linkPatch of `tiled`, whose tiles are numbered. maskOfTile: the non-solid
// nodes of each tile. Throws StageError(BadInput) when a boundary node is not a fluid node, comes
// twice, or the links do not match the masks.
void carryBoundary(TiledGeometry& tiled, const preprocess::geometry::BoundaryNodes& boundary,
                   const std::vector<std::uint64_t>& maskOfTile);

}  // namespace tessera::tiler
