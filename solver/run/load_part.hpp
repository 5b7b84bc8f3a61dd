// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's part of a .tiles file.
#pragma once

#include <filesystem>
#include <string>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/tiles/part_of_geometry.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::solver::run {

struct LoadedPart {
  tiler::file::TilesFile tiles;
  tiles::RankPart part;
};

// Of tiles that each rank has whole. Throws StageError(Usage) for more ranks than tiles.
LoadedPart partOfTiles(tiler::file::TilesFile whole, const comm::Ranks& ranks);

// What a step costs by what a case says of lattice, precision, state and walls; precision and state
// where the command line says otherwise, else empty. What is wrong there is not looked at.
tiles::TileCosts costsOfCase(const stage::CaseFile& file, const std::string& precision = {},
                             const std::string& state = {});

// Each rank reads and checks its own part of the file, and no rank the whole; one alone gets the
// whole. Collective. Throws as readTilesFile, and StageError(Usage) for more ranks than tiles, the
// same on all ranks.
LoadedPart loadPart(const std::filesystem::path& path, comm::Ranks& ranks,
                    const tiles::TileCosts& costs = tiles::tileCosts(19, 4, false));

}  // namespace tessera::solver::run
