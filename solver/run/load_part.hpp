// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's part of a .tiles file.
#pragma once

#include <filesystem>
#include <string>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/tiles/rank_part.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::solver::run {

struct LoadedPart {
  tiler::file::TilesFile tiles;
  tiles::RankPart part;
};

// A rank's part of tiles that every rank holds completely. Throws StageError(Usage) for more ranks
// than tiles.
LoadedPart partOfTiles(tiler::file::TilesFile whole, const comm::Ranks& ranks);

// Costs of a step from lattice, precision, state and walls of a case; precision and state of the
// command line, or empty. Errors in the case are not reported here.
tiles::TileCosts costsOfCase(const stage::CaseFile& file, const std::string& precision = {},
                             const std::string& state = {});

// Each rank reads and checks its own part of the file; a single rank reads all. Collective. Throws
// as readTilesFile, and StageError(Usage) for more ranks than tiles, the same on all ranks.
LoadedPart loadPart(const std::filesystem::path& path, comm::Ranks& ranks,
                    const tiles::TileCosts& costs = tiles::tileCosts(19, 4, false));

}  // namespace tessera::solver::run
