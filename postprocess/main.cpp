// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-postprocess: run.fields and geom.tiles to a folder of results.
#include <cmath>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/case_file.hpp"
#include "pipelines/stage/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"
#include "pipelines/stage/targets.hpp"
#include "postprocess/compute_results.hpp"
#include "postprocess/darcy_runs.hpp"
#include "postprocess/geometry_report.hpp"
#include "postprocess/options.hpp"
#include "postprocess/output_folder.hpp"
#include "postprocess/permeability.hpp"
#include "postprocess/picture.hpp"
#include "postprocess/report/report_html.hpp"
#include "postprocess/run_files.hpp"
#include "postprocess/write_summary.hpp"
#include "postprocess/write_tables.hpp"
#include "postprocess/write_vtp.hpp"

namespace tessera {
namespace {

void printPlan(const RunFiles& run, const CommonOptions& common, const Request& request) {
  const auto nodes = static_cast<double>(run.geometry().fluidNodes);
  const auto triangles = static_cast<double>(run.geometry().surface.triangle.size());
  // By what is held at once: fields and their look-up 45 B a node, points of the export 5 B; a wall
  // triangle with its vertices, stress and shear 400 B.
  std::cout << "fields    " << run.fieldsPath.string() << ", step " << run.fields.step << "\n"
            << "geometry  " << run.tilesPath.string() << ", " << run.geometry().fluidNodes
            << " nodes in " << run.geometry().tiles() << " tiles, "
            << run.geometry().openings.size() << " openings\n"
            << "asked     " << request.planes.size() << " planes, " << request.lines.size()
            << " lines, " << request.stations << " stations\n"
            << "memory    about " << std::ceil((50.0 * nodes + 400.0 * triangles) / 1e6) << " MB\n"
            << "output    " << (common.output.empty() ? "(none given)" : common.output.string())
            << ", nothing is written by --plan\n";
}

void writeEverything(const Results& results, const RunFiles& run, const ExportRequest& exports,
                     const std::filesystem::path& target) {
  OutputFolder folder(target);
  logInfo("writing tables");
  writeTextAtomically(folder.path() / "summary.json", summaryJson(results));
  writeTables(results, folder.path());
  exportFields(folder.path(), exports, NodeLookup(run.geometry()), run.fields);
  if (!results.wall.triangle.empty())
    writeWallVtp(folder.path() / "wall.vtp", results.wall, results.cycle);
  logInfo("drawing the pictures and the report");
  const std::vector<WallValues> wall = wallValues(results);
  writePictures(results, wall, run.fields, run.geometry(), folder.path());
  writeReportHtml(results, wall, run.fields, run.geometry(), folder.path());
  folder.commit();
}

int postprocess(int argc, const char* const* argv) {
  CommandLine line("tessera-postprocess",
                   "Fields to results: flow rates, pressures, wall shear stress, tables, pictures "
                   "and a report.\nINPUT: run.fields, and geom.tiles when it does not lie beside "
                   "it.",
                   1, 2, true);
  PostprocessOptions options;
  addOptions(line, options);
  line.example("tessera-postprocess run.fields -o out");
  line.example(
      "tessera-postprocess run.fields --stations 50 --export vtu --slice \"z=2 mm\" -o out");
  line.example(
      "tessera-postprocess run.fields geom.tiles --plane \"neck=1 mm,2 mm,0;0,0,1\" -o out");
  const auto common = line.parse(argc, argv);
  if (!common) return 0;
  applyCommonOptions(*common);
  const Request request = requestOf(options);
  const ExportRequest exports = exportOf(options);
  // No table of the case is for this stage, but a broken case is told at once.
  if (!common->caseFile.empty()) CaseFile::load(common->caseFile);
  refuseOverwriting(*common);
  if (!common->plan) OutputFolder::check(common->output);
  if (!common->plan && common->report.parent_path() != common->output)
    requireWritable({common->report});

  const RunFiles run = readRun(common->inputs);
  if (common->plan) {
    printPlan(run, *common, request);
    return 0;
  }
  logInfo("reducing " + std::to_string(run.geometry().fluidNodes) + " nodes");
  Results results = computeResults(run.fields, run.geometry(), request);
  describeOrigin(results, run, givenOptions(options));
  addPermeabilityTensor(results, run, options.with);
  addForchheimer(results, run, options.forchheimer);
  results.geometryReport =
      findGeometryReport(options.geometryReport, run.tilesPath, run.geometry());
  if (const auto& found = results.geometryReport)
    results.provenance.inputs.push_back({found->name, found->hash});
  warnAboutBlocked(results, run.geometry().frame);
  for (const std::string& format : exports.formats) results.exports.push_back("fields." + format);
  for (const std::string& warning : results.warnings) logWarning(warning);
  writeEverything(results, run, exports, common->output);
  if (!common->report.empty()) writeTextAtomically(common->report, summaryJson(results));
  std::cout << tableForPeople(results, common->output);
  return 0;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::runStage("tessera-postprocess", [&] { return tessera::postprocess(argc, argv); });
}
