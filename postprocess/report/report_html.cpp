// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/report/report_html.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/wall_view.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/picture/slice_picture.hpp"
#include "postprocess/picture/viewing_side.hpp"
#include "postprocess/report/markup_pieces.hpp"
#include "postprocess/report/report_style.hpp"
#include "postprocess/report/result_tables.hpp"
#include "postprocess/report/run_tables.hpp"
#include "postprocess/results/across_text.hpp"

namespace tessera::postprocess::report {

using picture::WallValues;
using results::Results;

namespace {

namespace fs = std::filesystem;

// " Computed in 16 s on a Xeon, finished 2026-03-01 12:00 UTC."; empty without the solver's report.
std::string recordText(const Results& results) {
  if (!results.runRecord) return "";
  const results::RunRecord& record = *results.runRecord;
  return " Computed in " + withUnit(record.seconds, "s", 3) +
         (record.machine.empty() ? "" : " on " + text(record.machine)) +
         (record.finished.empty() ? "" : ", finished " + text(record.finished) + " UTC") + ".";
}

std::string headerOf(const Results& results) {
  return "<header><h1>" + text(results.title) + "</h1>\n<p>Flow through " +
         text(tessera::picture::formatCount(results.fluidNodes)) + " fluid nodes at " +
         withUnit(results.spacing, "m", 3) + ", " +
         text(tessera::picture::formatCount(results.step)) + " steps, " + convergenceOf(results) +
         ". From " + text(results.fieldsName) + " and " + text(results.tilesName) + "." +
         recordText(results) + "</p></header>\n";
}

// Those of this run, then those of earlier stages: of preprocess by its report, which has all of
// them, or as the files keep them.
std::string warningNote(const Results& results) {
  std::string list;
  std::size_t count = results.warnings.size();
  for (const std::string& warning : results.warnings) list += "<li>" + text(warning) + "</li>";
  const auto add = [&](const std::vector<std::string>& warnings, const std::string& program) {
    for (const std::string& warning : warnings)
      list += "<li>" + text(warning) + " <small>(" + text(program) + ")</small></li>";
    count += warnings.size();
  };
  if (results.geometryReport)
    add(results.geometryReport->warnings, "tessera-preprocess");
  else
    for (const stage::Provenance& step : results.provenance.history)
      add(step.warnings, step.program);
  if (count == 0) return "";
  return "<div class=\"note warn\" role=\"alert\"><strong>" +
         std::string(count == 1 ? "One warning" : "Warnings") + "</strong><ul>" + list +
         "</ul></div>\n";
}

// Sources of the expected errors, in place of a statement that all is well.
std::string errorNote(const Results& results) {
  constexpr double leastShare = 1e-5, mostOfGood = 0.5;
  std::string sources;
  double sum = 0.0;
  for (const results::ErrorPart& part : results.expected.parts) {
    sum += part.share;
    if (part.share >= leastShare)
      sources += (sources.empty() ? "" : ", ") + text(part.source) + " " +
                 numberOf(100.0 * part.share, 2) + " %";
  }
  const bool good = sum <= mostOfGood && (results.converged || !results.convergenceAsked);
  return "<p class=\"note" + std::string(good ? "" : " warn") +
         "\" role=\"status\">Errors behind \u00b1 are expected ones, which nine of "
         "ten "
         "runs keep. Of the flow and its resistance they come from " +
         sources + ", at " + numberOf(results.expected.nodesAcross, 3) + " nodes " +
         results::acrossText(results) + "; " +
         (results.convergenceAsked
              ? (results.converged ? "the run met its convergence rule."
                                   : "the run did not meet its convergence rule.")
              : "the case had no convergence rule to meet.") +
         " Three spacings and tessera-compare give error bars of this very flow.</p>\n";
}

std::string arrowsText(const Results& results) {
  if (results.openings.empty()) return "";
  return std::string(" Arrows: flow through the openings") +
         (results.period ? ", mean over the last period." : ".");
}

std::string wallPictures(const Results& results, const WallValues& values, const fs::path& folder) {
  const std::string name = "wall_" + values.key;
  const std::string what = values.title + " of " + results.title;
  const std::string scale = " from " +
                            tessera::picture::formatNumber(values.shownScale().lowest, 3) + " to " +
                            tessera::picture::formatNumber(values.shownScale().highest, 3) +
                            (values.unit.name.empty() ? "" : ' ' + values.unit.name);
  const std::string caption = text(values.titleAndMoment() + ". ") +
                              (values.remark.empty() ? "" : text(values.remark) + ". ") +
                              "Colours from " + (values.startsAtZero ? "0" : "the 1st") +
                              " to the 99th percentile of the area.";
  return picture(folder / (name + ".png"),
                 what + ", coloured" + scale + ", with " +
                     (results.openings.empty() ? "" : "the openings and ") + "a scale bar.",
                 caption + arrowsText(results)) +
         foldedPicture("From six sides", folder / (name + "_views.png"),
                       what + " from six sides, coloured" + scale + ".", caption);
}

std::string wallSection(const Results& results, const std::vector<WallValues>& wall,
                        const fs::path& folder) {
  std::string out = wallTable(wall) + stokesLayerNote(results);
  for (const WallValues& values : wall) out += wallPictures(results, values, folder);
  return out;
}

bool hasInlet(const Results& results) {
  const auto openings = fields::openingsOverPeriod(results);
  return std::any_of(openings.begin(), openings.end(),
                     [](const auto& opening) { return opening.flowRate < 0.0; });
}

std::string flowSection(const Results& results, const solver::file::Fields& fields,
                        const fs::path& folder) {
  const std::string of = " of " + results.title;
  const std::string moment = results.period ? " at the end of the run" : "";
  const auto on = [&](picture::SlicePlane plane) { return picture::planeName(results, plane); };
  return picture(folder / "streamlines.png",
                 "Streamlines" + of + " inside its wall, coloured by speed.",
                 std::string("Streamlines") +
                     (fields.means ? " of the mean velocity over the cycle" : moment) +
                     (hasInlet(results) ? ", from the inlets." : ", through points everywhere.")) +
         picture(folder / "velocity_slice.png", "Velocity magnitude on a plane through" + of + ".",
                 "Velocity magnitude" + moment + ", " + on(picture::SlicePlane::Main) + ".") +
         foldedPicture(
             "On a plane across", folder / "velocity_slice_across.png",
             "Velocity magnitude on another plane through" + of + ".",
             "Velocity magnitude" + moment + ", " + on(picture::SlicePlane::Across) + ".") +
         picture(folder / "pressure_slice.png", "Pressure on a plane through" + of + ".",
                 "Gauge pressure" + moment + ", " + on(picture::SlicePlane::Main) + ".");
}

// Charts of a medium.
std::string mediumSection(const Results& results, const fs::path& folder) {
  const bool forced =
      std::any_of(results.layers.begin(), results.layers.end(),
                  [](const results::SampleLayer& of) { return of.potential != of.pressure; });
  return picture(folder / "along_the_sample.svg",
                 "Pressure and porosity of each layer against the distance along the sample.",
                 std::string(forced ? "Pressure, less the work of the body force," : "Pressure") +
                     " and porosity, means over the layers of nodes across the flow. Table: "
                     "along_the_sample.csv.") +
         picture(
             folder / "velocity_histogram.svg",
             "Probability density of the velocity along the driving force.",
             "Velocity of the nodes along the driving force, over its mean in the pores. Table: "
             "velocity_histogram.csv.");
}

std::string ratioSection(const fs::path& folder) {
  return picture(
      folder / "pressure_ratio.svg", "Pressure ratio against the distance along the centrelines.",
      "Mean pressure of the cross-sections over that of the inlets; centrelines are named "
      "by the ids of their openings. In a coronary artery at hyperaemia it is the "
      "fractional flow reserve (FFR), if the pressures of the case are those of the "
      "patient. Table: stations.csv.");
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
                 "Mean pressure of the openings, kinetic energy and largest Mach number.") +
         picture(
             folder / "places.svg",
             "Flow rates and pressures of the case's stations, and pressures and velocities of "
             "its probes, against time.",
             "Probes and stations of the case. Flow rates are positive along the normals of the "
             "stations, pressures are means over their sections. Table: monitor.csv.");
}

// An opening in the view: its number, name, flow and pressure, and an arrow along its flow.
tessera::picture::ViewMark markOf(const results::OpeningSummary& opening, const Results& results) {
  const auto shown = [](double si, const char* unit) {
    const tessera::picture::DisplayUnit display = tessera::picture::displayUnit(unit, si);
    return tessera::picture::formatNumber(si * display.factor, 3) + ' ' + display.name;
  };
  tessera::picture::ViewMark mark;
  mark.number = std::to_string(opening.id);
  mark.name = opening.name;
  mark.note = shown(std::abs(opening.flowRate), "m3/s") +
              (opening.flowRate < 0.0 ? " into the fluid" : " out of the fluid") +
              (results.period ? ", mean over the last period" : "") + ", radius " +
              shown(opening.radius, "m");
  mark.centre = opening.centre;
  mark.normal = opening.normal;
  mark.radius = opening.radius;
  mark.inwards = opening.flowRate < 0.0;
  return mark;
}

std::string wallInThreeDimensions(const Results& results, const std::vector<WallValues>& wall,
                                  const tiler::TiledGeometry& geometry,
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
  tessera::picture::ViewParts parts;
  parts.space = results.space;
  parts.side = picture::viewingSide(results, geometry);
  for (const results::OpeningSummary& opening : fields::openingsOverPeriod(results))
    parts.marks.push_back(markOf(opening, results));
  return tessera::picture::wallView(results.wall.vertex, results.wall.triangle, choices, parts);
}

std::string body(const Results& results, const std::vector<WallValues>& wall,
                 const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                 const fs::path& folder, const picture::SeriesFrames* frames) {
  std::string out =
      headerOf(results) + warningNote(results) + errorNote(results) + keyFigures(results, wall);
  out += section("The medium", mediumSection(results, folder));
  if (!results.flat())
    out += "<div class=\"screen\">" +
           section("The wall in three dimensions",
                   wallInThreeDimensions(results, wall, geometry, frames)) +
           "</div>\n";
  out += section("Over time", overTime(results, folder));
  out += section("Openings", periodTable(results) + openingsTable(results));
  out += section("Pressure ratio along the vessel", ratioSection(folder));
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
