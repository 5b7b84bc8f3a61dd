// SPDX-License-Identifier: GPL-3.0-or-later
// What a solver relies on between tiles, beyond what readTilesFile() checks in each: for whoever
// wants to know that a file is sound, since no run needs the time.
#pragma once

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::file {

// Every fluid node lies in one tile and in the box; it has a link exactly where the node beyond,
// across periodic faces too, is not fluid, so that links between fluid nodes go both ways; the
// flags of tiles say what their links say. Throws DefectiveTiles (check_tiles.hpp).
void checkSymmetry(const TiledGeometry& tiled);

}  // namespace tessera::tiler::file
