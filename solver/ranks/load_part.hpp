// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's part of a .tiles file.
#pragma once

#include <filesystem>

#include "solver/ranks/part_of_geometry.hpp"
#include "solver/ranks/ranks.hpp"
#include "tiler/tiles_file.hpp"

namespace tessera {

struct LoadedPart {
  TilesFile tiles;
  RankPart part;
};

// Of tiles that each rank has whole. Throws StageError(Usage) for more ranks than tiles.
LoadedPart partOfTiles(TilesFile whole, const Ranks& ranks);

// Each rank reads and checks its own part of the file, and no rank the whole; one alone gets the
// whole. Collective. Throws as readTilesFile, and StageError(Usage) for more ranks than tiles, the
// same on all ranks.
LoadedPart loadPart(const std::filesystem::path& path, Ranks& ranks);

}  // namespace tessera
