// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/report/report_html.hpp"

#include <string>

#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/wall_view.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "postprocess/report/markup_pieces.hpp"
#include "postprocess/report/report_style.hpp"
#include "postprocess/report/result_tables.hpp"
#include "postprocess/report/run_tables.hpp"

namespace tessera::postprocess::report {

using picture::WallValues;
using results::Results;

namespace {

namespace fs = std::filesystem;

std::string headerOf(const Results& results) {
  return "<header><h1>" + text(results.title) + "</h1>\n<p>Flow through " +
         text(tessera::picture::formatCount(results.fluidNodes)) + " fluid nodes at " +
         withUnit(results.spacing, "m", 3) + ", " +
         text(tessera::picture::formatCount(results.step)) + " steps, " + convergenceOf(results) +
         ". From " + text(results.fieldsName) + " and " + text(results.tilesName) +
         ".</p></header>\n";
}

std::string warningNote(const Results& results) {
  const auto& warnings = results.warnings;
  if (warnings.empty()) return "";
  std::string out = "<div class=\"note warn\" role=\"alert\"><strong>" +
                    std::string(warnings.size() == 1 ? "One warning" : "Warnings") +
                    "</strong><ul>";
  for (const std::string& warning : warnings) out += "<li>" + text(warning) + "</li>";
  return out + "</ul></div>\n";
}

// Sources of the expected errors, in place of a statement that all is well.
std::string errorNote(const Results& results) {
  constexpr double leastShare = 1e-5;
  std::string sources;
  for (const results::ErrorPart& part : results.expected.parts)
    if (part.share >= leastShare)
      sources += (sources.empty() ? "" : ", ") + text(part.source) + " " +
                 numberOf(100.0 * part.share, 2) + " %";
  return "<p class=\"note\" role=\"status\">Errors behind \u00b1 are expected ones, which nine of "
         "ten "
         "runs keep. Of the flow and its resistance they come from " +
         sources + ", at " + numberOf(results.expected.nodesAcross, 3) +
         " nodes across the narrowest section; " +
         (results.convergenceAsked
              ? (results.converged ? "the run met its convergence rule."
                                   : "the run did not meet its convergence rule.")
              : "the case had no convergence rule to meet.") +
         " Three spacings and tessera-compare give error bars of this very flow.</p>\n";
}

std::string wallPictures(const Results& results, const WallValues& values, const fs::path& folder) {
  const std::string name = "wall_" + values.key;
  const std::string what = values.title + " of " + results.title;
  const std::string scale = " from " +
                            tessera::picture::formatNumber(values.shownScale().lowest, 3) + " to " +
                            tessera::picture::formatNumber(values.shownScale().highest, 3) +
                            (values.unit.name.empty() ? "" : ' ' + values.unit.name);
  const std::string caption =
      !values.remark.empty() ? text(values.title + ". " + values.remark + '.')
                             : text(values.titleAndMoment()) +
                                   ". Colours from the 1st to the 99th percentile of the area.";
  return picture(folder / (name + ".png"),
                 what + ", coloured" + scale + ", with the openings and a scale bar.",
                 caption + " Arrows: flow through the openings" +
                     (results.period ? ", mean over the last period." : ".")) +
         foldedPicture("From six sides", folder / (name + "_views.png"),
                       what + " from six sides, coloured" + scale + ".", caption);
}

std::string wallSection(const Results& results, const std::vector<WallValues>& wall,
                        const fs::path& folder) {
  std::string out = wallTable(wall) + stokesLayerNote(results);
  for (const WallValues& values : wall) out += wallPictures(results, values, folder);
  return out;
}

std::string flowSection(const Results& results, const solver::file::Fields& fields,
                        const fs::path& folder) {
  const std::string of = " of " + results.title;
  const std::string moment = results.period ? " at the end of the run" : "";
  return picture(folder / "streamlines.png",
                 "Streamlines" + of + " inside its wall, coloured by speed.",
                 fields.means ? "Streamlines of the mean velocity over the cycle, from the inlets."
                              : "Streamlines from the inlets.") +
         picture(folder / "velocity_slice.png",
                 "Velocity magnitude on a plane through " + results.title + ".",
                 "Velocity magnitude" + moment +
                     " on the plane of the two longest principal axes with most nodes.") +
         foldedPicture("On the plane of the longest and the shortest axis",
                       folder / "velocity_slice_across.png",
                       "Velocity magnitude on another plane through " + results.title + ".",
                       "Velocity magnitude" + moment + ", where that plane holds most nodes.") +
         picture(folder / "pressure_slice.png",
                 "Pressure on a plane through " + results.title + ".",
                 "Gauge pressure" + moment + " on the plane of the two longest principal axes.");
}

// Several fields of the run; empty for one.
std::string overTime(const Results& results, const fs::path& folder) {
  if (results.series.size() < 2) return "";
  return picture(folder / "series.svg",
                 "Flow rates, pressures, wall shear stress and largest velocity against time.",
                 text(tessera::picture::formatCount(results.series.size())) + " moments, from " +
                     withUnit(results.series.front().time, "s", 4) + " to " +
                     withUnit(results.series.back().time, "s", 4) +
                     "; pictures and numbers below are of the last.");
}

std::string curvesSection(const fs::path& folder) {
  return picture(folder / "convergence.svg",
                 "Flow rate of each opening, and residuals on a logarithmic axis, against the time "
                 "step.",
                 "As monitored during the run.") +
         picture(folder / "monitors.svg",
                 "Mean pressure of each opening, kinetic energy and Mach number against time.",
                 "Mean pressure of the openings, kinetic energy and largest Mach number.");
}

std::string wallInThreeDimensions(const Results& results, const std::vector<WallValues>& wall,
                                  const picture::SeriesFrames* frames) {
  std::vector<tessera::picture::WallViewValues> choices;
  const auto add = [&](const WallValues& values) {
    choices.push_back({values.titleAndMoment(), values.captionWithUnit(), values.unit.name,
                       values.unit.factor, values.vertex, values.scale, values.openBelow,
                       values.openAbove});
  };
  if (frames != nullptr && frames->times().size() > 1)
    for (const WallValues& values : frames->shear()) {
      add(values);
      choices.back().title += " over time";
      choices.back().frames = frames->vertexShear();
      choices.back().times = frames->times();
    }
  for (const WallValues& values : wall) add(values);
  return tessera::picture::wallView(results.wall.vertex, results.wall.triangle, choices);
}

std::string body(const Results& results, const std::vector<WallValues>& wall,
                 const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                 const fs::path& folder, const picture::SeriesFrames* frames) {
  std::string out =
      headerOf(results) + warningNote(results) + errorNote(results) + keyFigures(results, wall);
  if (!results.flat())
    out += "<div class=\"screen\">" +
           section("The wall in three dimensions", wallInThreeDimensions(results, wall, frames)) +
           "</div>\n";
  out += section("Over time", overTime(results, folder));
  out += section("Openings", periodTable(results) + openingsTable(results));
  out += section("Planes", planesTable(results));
  out += section("On the wall", wallSection(results, wall, folder));
  out += section("Forces on the walls", forcesTable(results));
  out += section("Flow", flowSection(results, fields, folder));
  out += section("What was run", "<div class=\"pair\">" + flowTable(results, fields) +
                                     dimensionlessTable(results, fields) +
                                     resolutionTable(results, geometry) + surfaceTable(geometry) +
                                     geometryReportTable(results) + "</div>\n");
  out += section("Convergence", curvesSection(folder));
  out += section("How these results were made", provenanceChain(results.provenance));
  return out + section("Case file", caseText(fields));
}

}  // namespace

void writeReportHtml(const Results& results, const std::vector<WallValues>& wall,
                     const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                     const fs::path& folder, const picture::SeriesFrames* frames) {
  const std::string title = text(results.title) + " \u00b7 Tessera";
  // The policy forbids fetching even in case of a programming error.
  stage::writeTextAtomically(
      folder / "report.html",
      "<!DOCTYPE html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
          title + "</title>\n<style>" + reportStyle() + "</style>\n</head>\n<body>\n<main>\n" +
          body(results, wall, fields, geometry, folder, frames) +
          "<footer>Written by tessera-postprocess. This file is self-contained: nothing is "
          "fetched.</footer>\n</main>\n</body>\n</html>\n");
}

}  // namespace tessera::postprocess::report
