// SPDX-License-Identifier: GPL-3.0-or-later
// Set-up of the in-place update (one copy of the state): its shifted window, and the order of tiles
// of moments in layers.
#pragma once

#include "solver/tiles/tile_order.hpp"
#include "solver/tiles/update_window.hpp"

namespace tessera::solver::tiles {

// alone: no other ranks, so nothing behind the tiles is written beside them.
StateWindow windowOf(const TileOrder& order, unsigned storageBytes, bool alone);

// One copy of moments is stepped the faster the thicker its layers are, and takes the more memory:
// the thickest that take no more than is allowed beyond a copy. Before there is an order, so tiles
// of other ranks are counted and ghosts are not.
TileSequence layersOfMoments(const tiler::TiledGeometry& geometry, const RankPart& part,
                             unsigned storageBytes);

}  // namespace tessera::solver::tiles
