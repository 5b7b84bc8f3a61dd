// SPDX-License-Identifier: GPL-3.0-or-later
// geom.tiles for processes that share the work on it: each reads and checks some tiles, and of all
// others only what a partition needs, some 30 bytes a tile and 4 a position of the grid, never a
// byte a node. The surface is left out: no run looks at it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "pipelines/stage/io/processes.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::tiler::file {

// What every process knows of all tiles.
struct TilesIndex {
  // Of the whole file; of the arrays only tileMap, nonEmptyTiles, tileFlags, boundaryStart and
  // linkStart are there, the others are empty.
  TiledGeometry outline;
  stage::Provenance provenance;
  std::string contentHash;
  std::vector<std::uint8_t> nonSolid;       // nodes of each tile, 1 .. 64
  std::vector<std::uint16_t> openingLinks;  // of each tile, links that end on an opening
};

// Some tiles of a file as a geometry of their own, in the order of the file.
struct TilesPart {
  // tileMap, nonEmptyTiles and all that goes by tile, of these tiles alone; nodes, grid, openings,
  // walls and fluidNodes of the whole file, and so its contentHash.
  TilesFile file;
  std::vector<std::int32_t> fileTile;    // which tile of the file each is, ascending
  std::vector<std::uint64_t> firstNode;  // of each: where its non-solid nodes begin in run.fields
};

// By all processes together; each looks through an equal share of what the index does not keep.
// Throws StageError(BadInput), the same on all, when the file is not whole, when one of them cannot
// read it or finds another file there, or when index, tileMap and nodeType do not fit each other.
TilesIndex readTilesIndex(const std::filesystem::path& path, stage::Processes& processes);

// By one process for itself. tiles: of the file, ascending. Everything that is read is checked as
// readTilesFile does. Throws StageError(BadInput).
TilesPart readTilesPart(const std::filesystem::path& path, const TilesIndex& index,
                        std::span<const std::int32_t> tiles);

}  // namespace tessera::tiler::file
