// SPDX-License-Identifier: GPL-3.0-or-later
// geom.tiles for cooperating processes: each reads and checks some tiles completely, and of all
// others only what a partition needs, about 30 bytes per tile and 4 per grid position. The surface
// is not read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "pipelines/stage/io/processes.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::tiler::file {

// Data of all tiles that every process has.
struct TilesIndex {
  // Meta of the whole file; among the arrays only tileMap, nonEmptyTiles, tileFlags, boundaryStart
  // and linkStart are filled.
  TiledGeometry outline;
  stage::Provenance provenance;
  std::string contentHash;
  std::vector<std::uint8_t> nonSolid;       // non-solid nodes per tile, 1 .. 64
  std::vector<std::uint16_t> openingLinks;  // links per tile that end on an opening
};

// Some tiles of a file as a geometry, in file order.
struct TilesPart {
  // tileMap and per-tile arrays of these tiles only; nodes, grid, openings, walls, fluidNodes and
  // contentHash of the whole file.
  TilesFile file;
  std::vector<std::int32_t> fileTile;    // tile index in the file, ascending
  std::vector<std::uint64_t> firstNode;  // offset of each tile's nodes in run.fields
};

// Collective; each process checks an equal share of the data that the index omits. Throws
// StageError(BadInput), the same on all, if the file is damaged, unreadable or different on one
// process, or if index, tileMap and nodeType are inconsistent.
TilesIndex readTilesIndex(const std::filesystem::path& path, stage::Processes& processes);

// Local. tiles: ascending indices of the file. Everything read is checked as by readTilesFile().
// Throws StageError(BadInput).
TilesPart readTilesPart(const std::filesystem::path& path, const TilesIndex& index,
                        std::span<const std::int32_t> tiles);

}  // namespace tessera::tiler::file
