// SPDX-License-Identifier: GPL-3.0-or-later
// geom.tiles: the container of pipelines/stage with the arrays of TiledGeometry under their own
// names (layerOffset and rowOffset only of a shifted tiling), "meta" (JSON: frame, sizes, periodic
// axes, offset, openings, wall names, counts, layouts) and "provenance" (JSON).
#pragma once

#include <cstdint>
#include <filesystem>

#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "tiler/file/check_tiles.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::file {

// Version 2 has a shifted tiling, which a reader of version 1 must refuse; an aligned tiling is
// still written as version 1.
constexpr std::uint16_t tilesMajorVersion = 2;
// Layout of nodeType and of the populations derived by a solver inside a tile: x fastest, then y, z
// (the paper's XYZ).
constexpr const char* tilesLayout = "XYZ";

// Array sizes, checked by the container before allocation.
struct TilesCounts {
  std::uint64_t tiles = 0;
  std::uint64_t boundaryNodes = 0;
  std::uint64_t links = 0;
  bool inRows = false;
};

// Reads and checks "meta" and the row offsets. Throws DefectiveTiles.
TilesCounts readTilesMeta(const stage::ContainerReader& reader, TiledGeometry& tiled);

// Throws StageError(BadInput) that names the file and the defect.
[[noreturn]] void refuseTiles(const std::filesystem::path& path, const DefectiveTiles& defect);

struct TilesFile {
  TiledGeometry geometry;
  stage::Provenance provenance;
  std::string contentHash;
};

void writeTilesFile(const std::filesystem::path& path, const TiledGeometry& geometry,
                    const stage::Provenance& provenance);
// Throws StageError(BadInput). All indices are checked, so a reader may trust them.
TilesFile readTilesFile(const std::filesystem::path& path);
// Reads the file and also checks consistency between tiles (checkSymmetry).
// Throws StageError(BadInput).
void checkTilesFile(const std::filesystem::path& path);

}  // namespace tessera::tiler::file
