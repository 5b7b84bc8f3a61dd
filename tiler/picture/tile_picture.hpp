// SPDX-License-Identifier: GPL-3.0-or-later
// A slice through the tiles: solid, fluid and boundary nodes with the tiles' edges, and beside it
// how full each tile is.
#pragma once

#include <string>

#include "pipelines/picture/image.hpp"
#include "tiler/picture/tile_slice.hpp"

namespace tessera::tiler::picture {

// subtitle: what is drawn, such as the file's name and the whole utilisation.
tessera::picture::Image drawTiles(const TileSlice& slice, const std::string& subtitle);

}  // namespace tessera::tiler::picture
