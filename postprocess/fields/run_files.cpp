// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/run_files.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "tiler/close_openings.hpp"

namespace tessera::postprocess::fields {

namespace {

std::filesystem::path tilesBeside(const std::filesystem::path& fieldsPath,
                                  const solver::file::Fields& fields) {
  const std::filesystem::path tiles = fieldsPath.parent_path() / fields.tilesName;
  if (!std::filesystem::exists(tiles))
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} was computed on {}, which is not in the same folder; give its path as "
                    "second input",
                    fieldsPath.string(), fields.tilesName));
  return tiles;
}

// Openings that the run's case made wall are walls of the geometry as well.
void closeWalls(RunFiles& run) {
  std::vector<int> walls;
  for (const solver::file::OpeningResult& opening : run.fields.openings)
    if (opening.kind == "wall") walls.push_back(opening.id);
  tiler::closeOpenings(walls, run.tiles.geometry);
}

}  // namespace

RunFiles readRun(const std::vector<std::filesystem::path>& inputs) {
  RunFiles run;
  const bool tilesFirst = inputs.size() == 2 && inputs[0].extension() == ".tiles";
  run.fieldsPath = inputs[tilesFirst ? 1 : 0];
  run.fields = solver::file::readFieldsFile(run.fieldsPath);
  run.tilesPath =
      inputs.size() == 2 ? inputs[tilesFirst ? 0 : 1] : tilesBeside(run.fieldsPath, run.fields);
  run.tiles = tiler::file::readTilesFile(run.tilesPath);
  checkBelongs(run);
  closeWalls(run);
  return run;
}

void checkBelongs(const RunFiles& run) {
  if (run.fields.tilesHash != run.tiles.contentHash)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} was computed on another geometry than {} (recorded {} {}, found {}); "
                    "give the tiles of this run or run the solver again",
                    run.fieldsPath.string(), run.tilesPath.string(), run.fields.tilesName,
                    run.fields.tilesHash, run.tiles.contentHash));
  if (run.fields.pressure.size() != run.geometry().fluidNodes)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} has {} nodes, but {} has {}; run the solver again", run.fieldsPath.string(),
                    run.fields.pressure.size(), run.tilesPath.string(), run.geometry().fluidNodes));
}

void describeOrigin(results::Results& results, const RunFiles& run,
                    const std::vector<std::pair<std::string, std::string>>& options) {
  results.fieldsName = run.fieldsPath.filename().string();
  results.tilesName = run.tilesPath.filename().string();
  results.title = run.fieldsPath.stem().string();
  results.provenance = stage::newProvenance("tessera-postprocess");
  results.provenance.options = options;
  results.provenance.inputs.push_back({results.fieldsName, run.fields.contentHash});
  results.provenance.inputs.push_back({results.tilesName, run.tiles.contentHash});
  results.provenance.history = run.fields.provenance.steps();
}

}  // namespace tessera::postprocess::fields
