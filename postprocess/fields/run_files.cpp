// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/run_files.hpp"

#include "pipelines/stage/error.hpp"

namespace tessera::postprocess::fields {

namespace {

std::filesystem::path tilesBeside(const std::filesystem::path& fieldsPath,
                                  const solver::file::Fields& fields) {
  const std::filesystem::path tiles = fieldsPath.parent_path() / fields.tilesName;
  if (!std::filesystem::exists(tiles))
    stage::fail(stage::ExitCode::BadInput,
                fieldsPath.string() + " was computed on " + fields.tilesName +
                    ", which does not lie beside it; give its path as second input");
  return tiles;
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
  return run;
}

void checkBelongs(const RunFiles& run) {
  if (run.fields.tilesHash != run.tiles.contentHash)
    stage::fail(stage::ExitCode::BadInput,
                run.fieldsPath.string() + " was computed on another geometry than " +
                    run.tilesPath.string() + " holds (recorded " + run.fields.tilesName + " " +
                    run.fields.tilesHash + ", found " + run.tiles.contentHash +
                    "); give the tiles of this run or run the solver again");
  if (run.fields.pressure.size() != run.geometry().fluidNodes)
    stage::fail(stage::ExitCode::BadInput,
                run.fieldsPath.string() + " holds " + std::to_string(run.fields.pressure.size()) +
                    " nodes, but " + run.tilesPath.string() + " has " +
                    std::to_string(run.geometry().fluidNodes) + "; run the solver again");
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
  results.provenance.history = run.fields.provenance.toJson();
}

}  // namespace tessera::postprocess::fields
