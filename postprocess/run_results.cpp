// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/run_results.hpp"

#include <optional>
#include <string>

#include "pipelines/stage/case/pressure_tap.hpp"
#include "pipelines/stage/error.hpp"
#include "postprocess/export/writers.hpp"
#include "postprocess/fields/pressure_tap.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/geometry_report.hpp"
#include "postprocess/quantity/permeability.hpp"
#include "postprocess/quantity/run_record.hpp"

namespace tessera::postprocess {

namespace {

// Pa that all pressures are relative to, by --pressure-at or the case that was run.
std::optional<double> applyPressureTap(fields::RunFiles& run, const PostprocessOptions& options) {
  std::optional<Double3> point;
  std::string name = "--pressure-at";
  if (!options.pressureAt.empty()) {
    point = stage::parsePoint(options.pressureAt, name);
  } else if (!run.fields.caseText.empty()) {
    name = "pressure_at in [reference] of the case";
    try {
      point = stage::readPressureTap(stage::CaseFile::parse(run.fields.caseText, "case"));
    } catch (const stage::StageError&) {
      return std::nullopt;  // of another version
    }
  }
  if (!point) return std::nullopt;
  return fields::subtractPressureAt(*point, fields::NodeLookup(run.geometry()), run.fields, name);
}

}  // namespace

results::Results resultsOf(fields::RunFiles& run, const PostprocessOptions& options,
                           const quantity::Request& request) {
  const std::optional<double> reference = applyPressureTap(run, options);
  quantity::Request asked = request;
  asked.relativePressures = reference.has_value();
  results::Results results = quantity::computeResults(run.fields, run.geometry(), asked);
  results.referencePressure = reference;
  results.hasPictures = !options.noPictures;
  fields::describeOrigin(results, run, givenOptions(options));
  return results;
}

void addGeometryReport(results::Results& results, const fields::RunFiles& run,
                       const PostprocessOptions& options) {
  results.geometryReport =
      quantity::findGeometryReport(options.geometryReport, run.tilesPath, run.geometry());
  if (const auto& found = results.geometryReport)
    results.provenance.inputs.push_back({found->name, found->hash});
  results.runRecord = quantity::findRunRecord(options.solverReport, run.fieldsPath, run.fields);
  quantity::warnAboutBlocked(results, run.geometry().frame);
}

exports::FileMetadata metadataOf(const results::Results& results) {
  return {results.lengthUnit, results.space, results.time};
}

void writeSurfaces(const results::Results& results, const tiler::TiledGeometry& geometry,
                   const std::filesystem::path& wall, const std::filesystem::path& openings) {
  const exports::FaceIds ids = exports::modelFaceIds(geometry.wallNames, geometry.openings);
  if (!results.wall.triangle.empty())
    exports::writeWallVtp(wall, results.wall, results.cycle, ids.wall, metadataOf(results));
  if (!results.openings.empty())
    exports::writeOpeningsVtp(openings, geometry, results.openings, ids.opening,
                              metadataOf(results));
}

}  // namespace tessera::postprocess
