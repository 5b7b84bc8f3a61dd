// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/series.hpp"

#include <iostream>
#include <string>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/export/export_fields.hpp"
#include "postprocess/export/vtk_xml.hpp"
#include "postprocess/fields/output_folder.hpp"
#include "postprocess/fields/run_series.hpp"
#include "postprocess/picture/picture.hpp"
#include "postprocess/picture/series_frames.hpp"
#include "postprocess/report/report_html.hpp"
#include "postprocess/run_results.hpp"
#include "postprocess/write/write.hpp"

namespace tessera::postprocess {

namespace {

void refuseSingleRunOptions(const PostprocessOptions& options) {
  for (const auto& [name, given] : {std::pair{"--with", !options.with.empty()},
                                    std::pair{"--forchheimer", !options.forchheimer.empty()}})
    if (given)
      stage::fail(stage::ExitCode::Usage,
                  fmt::format("{} takes the fields of other runs and does not go with a series; "
                              "give one file of fields",
                              name));
}

void printSeriesPlan(const fields::RunSeries& series, const stage::CommonOptions& common) {
  std::cout << fmt::format("fields    {} moments of one run\n", series.members.size());
  for (const fields::SeriesMember& member : series.members)
    std::cout << fmt::format("          {}, step {}, {}\n", member.path.string(), member.step,
                             stage::formatQuantity(member.time, stage::Dimension::Time));
  std::cout << fmt::format("output    {}, nothing is written by --plan\n",
                           common.output.empty() ? "(none given)" : common.output.string());
}

results::SeriesMoment momentOf(const results::Results& results) {
  results::SeriesMoment moment{results.fieldsName,   results.step,        results.time, {}, {},
                               results.pressureDrop, results.velocityMax, std::nullopt};
  for (const results::OpeningSummary& opening : results.openings) {
    moment.flowRate.push_back(opening.flowRate);
    moment.pressure.push_back(opening.meanPressure);
  }
  if (!results.wall.triangle.empty()) moment.shear = results.shear;
  return moment;
}

// Yield of one pass through the fields: files of each moment, and what is written at the end.
struct SeriesPass {
  results::Results last;
  std::vector<results::SeriesMoment> moments;
  std::vector<stage::ProvenanceInput> inputs;  // the fields
  write::SeriesTables tables;
  picture::SeriesFrames frames;
  std::vector<std::string> exports;  // names
};

std::vector<double> timesOf(const fields::RunSeries& series) {
  std::vector<double> times;
  for (const fields::SeriesMember& member : series.members) times.push_back(member.time);
  return times;
}

void listSurfaces(const results::Results& results, const std::vector<double>& times,
                  const std::filesystem::path& folder) {
  const auto list = [&](const std::string& stem) {
    std::vector<std::pair<double, std::string>> files;
    for (std::size_t k = 0; k < times.size(); ++k)
      files.emplace_back(times[k], exports::seriesName(stem, k, "vtp"));
    exports::writePvd(folder / (stem + ".pvd"), files);
  };
  if (!results.wall.triangle.empty()) list("wall");
  if (!results.openings.empty()) list("openings");
}

SeriesPass readThrough(const fields::RunSeries& series, fields::RunFiles& run,
                       const PostprocessOptions& options, const quantity::Request& request,
                       const exports::ExportRequest& exports, const std::filesystem::path& folder) {
  SeriesPass pass{{}, {}, {}, {}, picture::SeriesFrames(series.members.size()), {}};
  const std::vector<double> times = timesOf(series);
  const fields::NodeLookup lookup(run.geometry());
  std::unique_ptr<exports::FieldsSeries> grids;
  stage::Progress progress("reducing", series.members.size());
  for (std::size_t k = 0; k < series.members.size(); ++k) {
    if (k > 0) fields::readMember(series.members[k], run);
    pass.last = resultsOf(run, options, request);
    if (!grids)
      grids = std::make_unique<exports::FieldsSeries>(folder, exports, lookup, times,
                                                      metadataOf(pass.last));
    pass.moments.push_back(momentOf(pass.last));
    pass.inputs.push_back({pass.last.fieldsName, run.fields.contentHash});
    pass.tables.add(pass.last);
    pass.frames.add(k, pass.last, run.fields, lookup);
    grids->add(k, run.fields);
    writeSurfaces(pass.last, run.geometry(), folder / exports::seriesName("wall", k, "vtp"),
                  folder / exports::seriesName("openings", k, "vtp"));
    progress.update(k + 1);
  }
  progress.finish();
  pass.exports = grids->finish();
  listSurfaces(pass.last, times, folder);
  pass.frames.finish();
  pass.last.series = pass.moments;
  // "pulse" of pulse.0006
  const std::string title = pass.last.title;
  if (const std::size_t dot = title.rfind('.');
      dot != title.npos && dot > 0 && title.find_first_not_of("0123456789", dot + 1) == title.npos)
    pass.last.title = title.substr(0, dot);
  return pass;
}

// Inputs of the provenance are all fields, then the tiles.
void nameInputs(SeriesPass& pass) {
  std::vector<stage::ProvenanceInput>& inputs = pass.last.provenance.inputs;
  inputs.erase(inputs.begin());
  inputs.insert(inputs.begin(), pass.inputs.begin(), pass.inputs.end());
}

}  // namespace

void postprocessSeries(const stage::CommonOptions& common, const PostprocessOptions& options,
                       const quantity::Request& request, const exports::ExportRequest& exports) {
  refuseSingleRunOptions(options);
  const fields::RunSeries series = fields::findSeries(common.inputs);
  if (common.plan) return printSeriesPlan(series, common);
  fields::RunFiles run = fields::readFirst(series);
  stage::logInfo(fmt::format("reducing {} moments of {} nodes", series.members.size(),
                             run.geometry().fluidNodes));
  std::string summary, table;
  fields::OutputFolder(common.output).write([&](const std::filesystem::path& folder) {
    std::filesystem::create_directory(folder / "series");
    SeriesPass pass = readThrough(series, run, options, request, exports, folder);
    results::Results& results = pass.last;
    nameInputs(pass);
    addGeometryReport(results, run, options);
    results.exports = pass.exports;
    for (const std::string& warning : results.warnings) stage::logWarning(warning);
    summary = write::summaryJson(results);
    stage::writeTextAtomically(folder / "summary.json", summary);
    pass.tables.write(results, folder);
    stage::logInfo(results.hasPictures ? "drawing the pictures, the animations and the report"
                                       : "writing the report");
    const std::vector<picture::WallValues> wall = picture::wallValues(results);
    if (results.hasPictures) {
      picture::writePictures(results, wall, run.fields, run.geometry(), folder);
      results.animations = pass.frames.writeAnimations(results, run.geometry(), folder);
    }
    report::writeReportHtml(results, wall, run.fields, run.geometry(), folder, &pass.frames);
    table = write::tableForPeople(results, common.output);
  });
  if (!common.report.empty()) stage::writeTextAtomically(common.report, summary);
  std::cout << table;
}

}  // namespace tessera::postprocess
