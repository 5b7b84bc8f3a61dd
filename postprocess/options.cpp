// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/options.hpp"

#include <filesystem>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/field_selection.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess {

using stage::Dimension;
using stage::ExitCode;
using stage::fail;

namespace {

constexpr std::int64_t mostStations = 10'000;
constexpr int defaultStations = 50;
constexpr std::int64_t largestEvery = 1024;

Double3 directionOf(const std::string& option, const std::string& text) {
  const auto direction = results::parseDirection(text);
  if (!direction)
    fail(ExitCode::Usage,
         fmt::format("{} is \"{}\"; expected a direction \"x,y,z\" of any length but 0", option,
                     text));
  return *direction;
}

double positive(const std::string& option, const std::string& text, Dimension dimension) {
  const double value = stage::parseQuantity(text, dimension);
  if (!(value > 0.0))
    fail(ExitCode::Usage, fmt::format("{} is \"{}\"; expected more than 0, in {} or with a unit",
                                      option, text, stage::siUnit(dimension)));
  return value;
}

std::optional<quantity::ForceReference> referenceOf(const PostprocessOptions& options) {
  const bool any = !options.referenceVelocity.empty() || !options.referenceArea.empty() ||
                   !options.referenceLength.empty() || !options.flowDirection.empty() ||
                   !options.liftDirection.empty() || !options.bodies.empty();
  if (!any) return std::nullopt;
  if (options.referenceVelocity.empty() || options.referenceArea.empty() ||
      options.flowDirection.empty())
    fail(ExitCode::Usage,
         "drag and lift coefficients need --reference-velocity, --reference-area and "
         "--flow-direction; not all of them were given");
  quantity::ForceReference reference;
  reference.bodies = options.bodies;
  reference.velocity =
      positive("--reference-velocity", options.referenceVelocity, Dimension::Velocity);
  reference.area = positive("--reference-area", options.referenceArea, Dimension::Area);
  reference.flow = directionOf("--flow-direction", options.flowDirection);
  if (!options.referenceLength.empty())
    reference.length = positive("--reference-length", options.referenceLength, Dimension::Length);
  if (!options.liftDirection.empty())
    reference.across = directionOf("--lift-direction", options.liftDirection);
  return reference;
}

std::optional<stage::LengthUnit> lengthUnitGiven(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const stage::LengthUnit* unit = stage::findLengthUnit(name);
  if (unit == nullptr || unit->metres < 1e-6)
    fail(ExitCode::Usage, fmt::format("--length-unit is \"{}\"; expected m, mm, cm or um", name));
  return *unit;
}

void addStations(quantity::Request& request, const PostprocessOptions& options) {
  if (options.stations && (*options.stations < 1 || *options.stations > mostStations))
    fail(ExitCode::Usage,
         fmt::format("--stations is {}; expected 1 to {}", *options.stations, mostStations));
  if (options.stations) request.stations = static_cast<int>(*options.stations);
  if (options.centreline.empty()) return;
  if (request.stations == 0) request.stations = defaultStations;
  request.centreline = quantity::readPolyline(options.centreline);
  request.centrelineName = std::filesystem::path(options.centreline).stem().string();
}

}  // namespace

void addOptions(stage::CommandLine& line, PostprocessOptions& options) {
  line.group("Planes, lines and stations");
  line.repeated(
      "--plane [NAME=]POINT;NORMAL", options.planes,
      "flow through the plane \"x,y,z;nx,ny,nz\" or \"name=x,y,z;nx,ny,nz\" (world frame, "
      "metres or with units); repeatable");
  line.repeated("--line [NAME=]POINT;POINT;N", options.lines,
                "velocity and pressure along \"name=x,y,z;x,y,z;points\"; repeatable");
  line.option("--stations", options.stations,
              "number of cross-sections along the centreline from the inlet to each outlet");
  line.option(
      "--centreline FILE.csv", options.centreline,
      "polyline for the stations, one point \"x,y,z\" in metres per line (default: computed)");
  line.group("Exported fields");
  line.option("--export FORMATS", options.exports,
              "formats of the fields: " + stage::joined(exports::exportFormats(), ",") +
                  " (default: vtkhdf)");
  line.option("--fields NAMES", options.fields,
              "additional fields besides velocity and pressure: " +
                  stage::joined(fields::derivedFields(), ","));
  line.option("--length-unit m|mm|cm|um", options.lengthUnit,
              "unit of lengths in VTK files and CSV tables (default: in VTK files "
              "that of the mesh or image, in tables m)");
  line.option("--region X0,Y0,Z0,X1,Y1,Z1", options.region,
              "export only nodes in the box \"x0,y0,z0,x1,y1,z1\" (world frame, metres or with "
              "units)");
  line.repeated("--slice AXIS=LENGTH", options.slices,
                "export only the layer of nodes at \"z=1 mm\"; repeatable");
  line.option("--every", options.every, "export every Nth node on each axis");
  line.group("Pressures, forces and coefficients");
  line.option("--pressure-at POINT", options.pressureAt,
              "point \"x,y,z\" whose pressure all others are relative to (world frame, metres or "
              "with units; default: pressure_at of [reference] in the case)");
  line.option("--reference-velocity VELOCITY", options.referenceVelocity,
              "reference velocity of drag and lift coefficients, e.g. \"0.2 m/s\" (default: all "
              "references from [forces] of the case)");
  line.option("--reference-area AREA", options.referenceArea,
              "reference area of drag and lift coefficients, e.g. \"3 mm2\"");
  line.option("--reference-length LENGTH", options.referenceLength,
              "reference length of the Strouhal number, e.g. \"2 mm\"");
  line.option("--flow-direction X,Y,Z", options.flowDirection, "\"x,y,z\" direction of drag");
  line.option("--lift-direction X,Y,Z", options.liftDirection, "\"x,y,z\" direction of lift");
  line.repeated("--body LABEL", options.bodies,
                "wall label whose forces make up the coefficients (default: all); repeatable");
  line.option(
      "--moments-about POINT", options.momentsAbout,
      "point \"x,y,z\" of the moments (default that of the case, else the origin of the world)");
  line.group("Permeability");
  line.repeated(
      "--with FILE.fields", options.with,
      "fields of a run of the same medium driven along another axis; two of them give the "
      "permeability tensor");
  line.repeated(
      "--forchheimer FILE.fields", options.forchheimer,
      "fields of a run of the same medium driven along the same axis by another force; one or more "
      "give the permeability at rest and Forchheimer's coefficient");
  line.group("Report");
  line.option(
      "--geometry-report FILE.json", options.geometryReport,
      "report of tessera-preprocess --report, for repairs, health and warnings in report.html "
      "(default: STEM.preprocess.json next to STEM.tiles, if it exists; the warnings are in the "
      "tiles too)");
  line.option("--solver-report FILE.json", options.solverReport,
              "report of tessera-solver, for run time, machine and date in report.html "
              "(default: STEM.solver.json, which the solver writes next to STEM.fields)");
  line.flag("--no-pictures", options.noPictures,
            "draw no PNG and SVG files; report.html is without them");
}

quantity::Request requestOf(const PostprocessOptions& options) {
  quantity::Request request;
  for (std::size_t i = 0; i < options.planes.size(); ++i)
    request.planes.push_back(quantity::parsePlane(options.planes[i], i));
  for (std::size_t i = 0; i < options.lines.size(); ++i)
    request.lines.push_back(quantity::parseLine(options.lines[i], i));
  addStations(request, options);
  request.reference = referenceOf(options);
  request.lengthUnit = lengthUnitGiven(options.lengthUnit);
  if (options.momentsAbout.empty()) return request;
  const auto about = results::parseTriple(options.momentsAbout, Dimension::Length);
  if (!about)
    fail(ExitCode::Usage, fmt::format("--moments-about is \"{}\"; expected a point \"x,y,z\" in "
                                      "metres or with units",
                                      options.momentsAbout));
  request.momentsAbout = *about;
  return request;
}

exports::ExportRequest exportOf(const PostprocessOptions& options) {
  exports::ExportRequest request;
  if (!options.exports.empty()) request.formats = exports::parseFormats(options.exports);
  if (!options.fields.empty()) request.derived = fields::parseFieldNames(options.fields);
  if (!options.region.empty()) request.selection.region = fields::parseRegion(options.region);
  for (const std::string& slice : options.slices)
    request.selection.slices.push_back(fields::parseSlice(slice));
  if (!options.every) return request;
  if (*options.every < 1 || *options.every > largestEvery)
    fail(ExitCode::Usage,
         fmt::format("--every is {}; expected 1 to {} nodes", *options.every, largestEvery));
  request.selection.every = static_cast<int>(*options.every);
  return request;
}

std::vector<std::pair<std::string, std::string>> givenOptions(const PostprocessOptions& options) {
  std::vector<std::pair<std::string, std::string>> given;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) given.emplace_back(name, value);
  };
  for (const std::string& plane : options.planes) add("plane", plane);
  for (const std::string& line : options.lines) add("line", line);
  if (options.stations) add("stations", fmt::format("{}", *options.stations));
  add("centreline", std::filesystem::path(options.centreline).filename().string());
  add("export", options.exports);
  add("fields", options.fields);
  add("length-unit", options.lengthUnit);
  add("region", options.region);
  for (const std::string& slice : options.slices) add("slice", slice);
  if (options.every) add("every", fmt::format("{}", *options.every));
  add("pressure-at", options.pressureAt);
  add("reference-velocity", options.referenceVelocity);
  add("reference-area", options.referenceArea);
  add("reference-length", options.referenceLength);
  add("flow-direction", options.flowDirection);
  add("lift-direction", options.liftDirection);
  for (const std::string& body : options.bodies) add("body", body);
  add("moments-about", options.momentsAbout);
  if (options.noPictures) add("no-pictures", "true");
  for (const std::string& with : options.with)
    add("with", std::filesystem::path(with).filename().string());
  for (const std::string& run : options.forchheimer)
    add("forchheimer", std::filesystem::path(run).filename().string());
  return given;
}

}  // namespace tessera::postprocess
