// SPDX-License-Identifier: GPL-3.0-or-later
// Fields and tiles of a run, checked to belong together.
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

// inputs: run.fields and, optionally, geom.tiles, in either order; without it the tiles of the
// recorded name in the fields' folder. Throws StageError(BadInput), also if the fields were
// computed on other tiles.
RunFiles readRun(const std::vector<std::filesystem::path>& inputs);

// Throws StageError(BadInput) unless the hash and the number of nodes agree.
void checkBelongs(const RunFiles& run);

// Fills names, title and provenance. options: given ones by name and value.
void describeOrigin(results::Results& results, const RunFiles& run,
                    const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace tessera::postprocess::fields
