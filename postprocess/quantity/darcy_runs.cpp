// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/darcy_runs.hpp"

#include <optional>

#include "pipelines/stage/error.hpp"
#include "postprocess/fields/node_sums.hpp"
#include "postprocess/quantity/forchheimer.hpp"
#include "postprocess/quantity/opening_flow.hpp"
#include "postprocess/quantity/permeability.hpp"
#include "postprocess/quantity/permeability_tensor.hpp"

namespace tessera::postprocess::quantity {

using fields::RunFiles;
using tiler::TiledGeometry;

namespace {

DarcyRun darcyRun(const std::filesystem::path& path,
                  const std::optional<results::Permeability>& result,
                  const solver::file::Fields& fields) {
  if (!result)
    stage::fail(stage::ExitCode::BadInput,
                path.string() +
                    " is no run that gives a permeability; expected is a fluid of constant "
                    "viscosity driven by a body force along periodic axes, or through an "
                    "image between two opposite faces of its box");
  return {path.filename().string(), *result, fields.density * fields.kinematicViscosity};
}

void checkSameBox(const std::filesystem::path& path, const TiledGeometry& geometry,
                  const TiledGeometry& first) {
  if (geometry.nodes == first.nodes && geometry.fluidNodes == first.fluidNodes &&
      geometry.frame.spacing == first.frame.spacing && geometry.frame.axis == first.frame.axis)
    return;
  stage::fail(stage::ExitCode::BadInput,
              path.string() + " was computed on another medium (" +
                  std::to_string(geometry.fluidNodes) + " nodes, not " +
                  std::to_string(first.fluidNodes) +
                  ", or another box); give runs of one medium along its axes");
}

DarcyRun readDarcyRun(const std::filesystem::path& path, const RunFiles& first,
                      results::Results& results) {
  const auto reduce = [&](const solver::file::Fields& fields, const TiledGeometry& geometry) {
    checkSameBox(path, geometry, first.geometry());
    const fields::NodeLookup lookup(geometry);
    return darcyRun(
        path,
        permeability(lookup, fields, fields::nodeSums(fields), openingSummaries(lookup, fields)),
        fields);
  };
  RunFiles run;
  run.fieldsPath = path;
  run.fields = solver::file::readFieldsFile(path);
  results.provenance.inputs.push_back({path.filename().string(), run.fields.contentHash});
  if (run.fields.tilesHash != first.tiles.contentHash) {
    run = fields::readRun({path});
    return reduce(run.fields, run.geometry());
  }
  if (run.fields.pressure.size() != first.geometry().fluidNodes)
    stage::fail(stage::ExitCode::BadInput, path.string() + " holds another number of nodes than " +
                                               first.tilesPath.string() + "; run the solver again");
  return reduce(run.fields, first.geometry());
}

}  // namespace

void addPermeabilityTensor(results::Results& results, const RunFiles& run,
                           const std::vector<std::string>& further) {
  if (further.empty()) return;
  std::vector<DarcyRun> runs{darcyRun(run.fieldsPath, results.permeability, run.fields)};
  for (const std::string& path : further) runs.push_back(readDarcyRun(path, run, results));
  const TiledGeometry& geometry = run.geometry();
  results.permeabilityTensor =
      permeabilityTensor(runs, geometry.dimensions, geometry.frame.axis[2]);
}

void addForchheimer(results::Results& results, const RunFiles& run,
                    const std::vector<std::string>& further) {
  if (further.empty()) return;
  std::vector<DarcyRun> runs{darcyRun(run.fieldsPath, results.permeability, run.fields)};
  for (const std::string& path : further) runs.push_back(readDarcyRun(path, run, results));
  results.forchheimer = forchheimerFit(runs);
}

}  // namespace tessera::postprocess::quantity
