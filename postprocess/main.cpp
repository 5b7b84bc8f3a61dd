// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-postprocess: run.fields and geom.tiles to a folder of results.
#include <cmath>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "pipelines/picture/typeset.hpp"
#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/export/export_fields.hpp"
#include "postprocess/fields/output_folder.hpp"
#include "postprocess/fields/run_series.hpp"
#include "postprocess/options.hpp"
#include "postprocess/picture/picture.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/permeability.hpp"
#include "postprocess/quantity/run_record.hpp"
#include "postprocess/report/report_html.hpp"
#include "postprocess/run_results.hpp"
#include "postprocess/series.hpp"
#include "postprocess/write/write.hpp"

namespace tessera::postprocess {
namespace {

void printPlan(const fields::RunFiles& run, const stage::CommonOptions& common,
               const quantity::Request& request) {
  const auto nodes = static_cast<double>(run.geometry().fluidNodes);
  const auto triangles = static_cast<double>(run.geometry().surface.triangle.size());
  // Memory: fields and look-up 45 bytes per node, points of the export 5; a wall triangle with its
  // vertices, stress and shear 400.
  std::cout << fmt::format(
      "fields    {}, step {}\ngeometry  {}, {} nodes in {} tiles, {} openings\n"
      "asked     {} planes, {} lines, {} stations\nmemory    about {} MB\n"
      "output    {}, nothing is written by --plan\n",
      run.fieldsPath.string(), run.fields.step, run.tilesPath.string(), run.geometry().fluidNodes,
      run.geometry().tiles(), run.geometry().openings.size(), request.planes.size(),
      request.lines.size(), request.stations,
      stage::number(std::ceil((50.0 * nodes + 400.0 * triangles) / 1e6)),
      common.output.empty() ? "(none given)" : common.output.string());
}

void writeEverything(const results::Results& results, const fields::RunFiles& run,
                     const exports::ExportRequest& exports, const std::filesystem::path& target) {
  fields::OutputFolder(target).write([&](const std::filesystem::path& folder) {
    stage::logInfo("writing tables");
    stage::writeTextAtomically(folder / "summary.json", write::summaryJson(results));
    write::writeTables(results, folder);
    exports::exportFields(folder, exports, fields::NodeLookup(run.geometry()), run.fields,
                          metadataOf(results));
    writeSurfaces(results, run.geometry(), folder / "wall.vtp", folder / "openings.vtp");
    stage::logInfo(results.hasPictures ? "drawing the pictures and the report"
                                       : "writing the report");
    const std::vector<picture::WallValues> wall = picture::wallValues(results);
    if (results.hasPictures)
      picture::writePictures(results, wall, run.fields, run.geometry(), folder);
    report::writeReportHtml(results, wall, run.fields, run.geometry(), folder);
  });
}

int postprocess(int argc, const char* const* argv) {
  stage::CommandLine line(
      "tessera-postprocess",
      "Fields to results: flow rates, pressures, wall shear stress, tables, pictures and a "
      "report.\nINPUT: run.fields, and geom.tiles if it is in another folder. Several fields of "
      "one "
      "run are a series in time.",
      1, 100'000, true);
  PostprocessOptions options;
  line.inputs("run.fields [geom.tiles]", {"fields", "tiles"});
  line.output("FOLDER");
  line.environment(tessera::picture::fontsVariable, tessera::picture::fontsEffect);
  line.file("report.html", "the results on one page");
  line.file("summary.json", "all numbers");
  line.file("*.csv", "tables of openings, walls, forces, planes, lines and stations");
  line.file("*.png", "the pictures of the report");
  line.file("fields.vtkhdf, wall.vtp", "fields and walls, for ParaView and other programs");
  addOptions(line, options);
  line.example("tessera-postprocess run.fields -o out");
  line.example(
      "tessera-postprocess run.fields --stations 50 --export vtu --slice \"z=2 mm\" -o out");
  line.example(
      "tessera-postprocess run.fields geom.tiles --plane \"neck=1 mm,2 mm,0;0,0,1\" -o out");
  line.example("tessera-postprocess pulse.*.fields -o out");
  const auto common = line.parse(argc, argv);
  if (!common) return 0;
  stage::applyCommonOptions(*common);
  quantity::Request request = requestOf(options);
  const exports::ExportRequest exports = exportOf(options);
  // The case has no table for this stage; its mistakes are reported early.
  if (!common->caseFile.empty()) stage::CaseFile::load(common->caseFile);
  stage::refuseOverwriting(*common);
  if (!common->plan) fields::OutputFolder::check(common->output);
  if (!common->plan && common->report.parent_path() != common->output)
    stage::requireWritable({common->report});

  if (fields::isSeries(common->inputs)) {
    postprocessSeries(*common, options, request, exports);
    return 0;
  }
  if (common->inputs.size() > 2)
    stage::fail(stage::ExitCode::Usage,
                "more than two inputs; expected .fields of one run and at most one .tiles");
  fields::RunFiles run = fields::readRun(common->inputs);
  if (common->plan) {
    printPlan(run, *common, request);
    return 0;
  }
  stage::logInfo(fmt::format("reducing {} nodes", run.geometry().fluidNodes));
  results::Results results = resultsOf(run, options, request);
  quantity::addPermeabilityTensor(results, run, options.with);
  quantity::addForchheimer(results, run, options.forchheimer);
  addGeometryReport(results, run, options);
  for (const std::string& format : exports.formats) results.exports.push_back("fields." + format);
  for (const std::string& warning : results.warnings) stage::logWarning(warning);
  writeEverything(results, run, exports, common->output);
  if (!common->report.empty())
    stage::writeTextAtomically(common->report, write::summaryJson(results));
  std::cout << write::tableForPeople(results, common->output);
  return 0;
}

}  // namespace
}  // namespace tessera::postprocess

int main(int argc, char** argv) {
  return tessera::stage::runStage("tessera-postprocess",
                                  [&] { return tessera::postprocess::postprocess(argc, argv); });
}
