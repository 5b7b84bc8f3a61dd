// SPDX-License-Identifier: GPL-3.0-or-later
// geom.tiles: the container of pipelines/stage with the arrays of TiledGeometry under their own
// names (of RowOffsets layerOffset and rowOffset, only where tiles lie in rows), "meta" (JSON:
// frame, sizes, periodic axes, offset, openings, wall names, counts, layouts) and "provenance"
// (JSON).
#pragma once

#include <filesystem>

#include "pipelines/stage/io/provenance.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::file {

struct TilesFile {
  TiledGeometry geometry;
  stage::Provenance provenance;
  std::string contentHash;
};

void writeTilesFile(const std::filesystem::path& path, const TiledGeometry& geometry,
                    const stage::Provenance& provenance);
// Throws StageError(BadInput). All indices are checked, so a reader may trust them.
TilesFile readTilesFile(const std::filesystem::path& path);
// Reads the file and checks also what holds between tiles (check_symmetry.hpp), which no run needs.
// Throws StageError(BadInput).
void checkTilesFile(const std::filesystem::path& path);

}  // namespace tessera::tiler::file
