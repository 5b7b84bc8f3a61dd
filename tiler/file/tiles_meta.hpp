// SPDX-License-Identifier: GPL-3.0-or-later
// What those who read a whole geom.tiles and those who read a part of it share: version, section
// "meta", how a file is refused.
#pragma once

#include <cstdint>
#include <filesystem>

#include "pipelines/stage/io/container.hpp"
#include "tiler/file/check_tiles.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::file {

// Version 2 has tiles in rows, which a reader that knows but one offset must refuse; what has one
// offset is still written as version 1.
constexpr std::uint16_t tilesMajorVersion = 2;
// What nodeType and the populations that a solver derives are laid out by inside a tile: x
// fastest, then y, z (the paper's XYZ).
constexpr const char* tilesLayout = "XYZ";

// Sizes of the arrays, which the container checks before it allocates them.
struct TilesCounts {
  std::uint64_t tiles = 0;
  std::uint64_t boundaryNodes = 0;
  std::uint64_t links = 0;
  bool inRows = false;
};

// Reads "meta" and the offsets of rows into it, and checks them. Throws DefectiveTiles.
TilesCounts readTilesMeta(const stage::ContainerReader& reader, TiledGeometry& tiled);

// Throws StageError(BadInput).
[[noreturn]] void refuseTiles(const std::filesystem::path& path, const DefectiveTiles& defect);

}  // namespace tessera::tiler::file
