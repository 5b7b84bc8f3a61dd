// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's part of a .tiles file.
#pragma once

#include <filesystem>
#include <string>

#include "pipelines/stage/case_file.hpp"
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

// What a step costs by what a case says of lattice, precision, state and walls; precision and state
// where the command line says otherwise, else empty. What is wrong there is not looked at.
TileCosts costsOfCase(const CaseFile& file, const std::string& precision = {},
                      const std::string& state = {});

// Each rank reads and checks its own part of the file, and no rank the whole; one alone gets the
// whole. Collective. Throws as readTilesFile, and StageError(Usage) for more ranks than tiles, the
// same on all ranks.
LoadedPart loadPart(const std::filesystem::path& path, Ranks& ranks,
                    const TileCosts& costs = tileCosts(19, 4, false));

}  // namespace tessera
