// SPDX-License-Identifier: GPL-3.0-or-later
// The counts of transactions.hpp for tiles in rows, where a tile's neighbours are shifted against
// it by other amounts from tile to tile.
#pragma once

#include <span>
#include <vector>

#include "tiler/analysis/transactions.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::analysis {

// One population in a layout. bytes: of a value (2, 4 or 8).
struct PopulationLayout {
  const TileLayout* layout = nullptr;
  int direction = preprocess::geometry::restDirection;
  int bytes = 8;
};

// Of each of these over all tiles of a geometry in rows; copies across periodic faces, which tiles
// in rows never meet, are left out.
std::vector<SectorCounts> sectorsInRows(const TiledGeometry& tiled,
                                        std::span<const PopulationLayout> populations);

}  // namespace tessera::tiler::analysis
