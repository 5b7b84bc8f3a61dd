// SPDX-License-Identifier: GPL-3.0-or-later
// The two files of a run, read and known to belong together.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::postprocess::fields {

struct RunFiles {
  std::filesystem::path fieldsPath;
  std::filesystem::path tilesPath;
  solver::file::Fields fields;
  tiler::file::TilesFile tiles;
  [[nodiscard]] const tiler::TiledGeometry& geometry() const { return tiles.geometry; }
};

// inputs: run.fields and, optionally, geom.tiles, in either order; otherwise the tiles are looked
// for beside the fields under the name recorded in them. Throws StageError(BadInput), also when
// the fields were computed on other tiles.
RunFiles readRun(const std::vector<std::filesystem::path>& inputs);

// Throws StageError(BadInput) unless the hash and the number of nodes agree.
void checkBelongs(const RunFiles& run);

// Names, title and provenance. options: as given, name and value.
void describeOrigin(results::Results& results, const RunFiles& run,
                    const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace tessera::postprocess::fields
