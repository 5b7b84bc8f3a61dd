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

// One rank alone gets the whole. Throws as readTilesFile, and StageError(Usage) for more ranks than
// tiles.
LoadedPart loadPart(const std::filesystem::path& path, const Ranks& ranks);

}  // namespace tessera
