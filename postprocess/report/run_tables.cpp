// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/report/run_tables.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "pipelines/picture/surface.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/report/markup_pieces.hpp"
#include "postprocess/report/result_tables.hpp"
#include "postprocess/results/descriptors.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::report {

namespace {

Double3 asDouble(const Float3& v) {
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

}  // namespace

SurfaceCheck checkSurface(const tiler::TiledGeometry& geometry) {
  const preprocess::geometry::Surface& surface = geometry.surface;
  SurfaceCheck check;
  const std::span<const stage::Triangle> closed(surface.triangle.data(),
                                                surface.triangle.size() - surface.sheetTriangles);
  tessera::picture::forEachEdge(closed, [&](const tessera::picture::Edge&, std::size_t triangles) {
    if (triangles != 2) ++check.openEdges;
  });
  for (const stage::Triangle& t : closed) {
    const Double3 a = asDouble(surface.vertex[t[0]]), b = asDouble(surface.vertex[t[1]]),
                  c = asDouble(surface.vertex[t[2]]);
    check.area += 0.5 * length(cross(b - a, c - a));
    check.volume += dot(a, cross(b, c)) / 6.0;
  }
  const double h = geometry.frame.spacing;
  check.area *= h * h;
  check.volume *= h * h * h;
  check.nodeVolume = static_cast<double>(geometry.fluidNodes) * h * h * h;
  return check;
}

using results::Results;
using tessera::picture::formatCount;
using tessera::picture::formatNumber;

namespace {

std::string viscosityText(const Results& results) {
  const std::string least = formatNumber(results.kinematicViscosity, 4);
  if (results.largestViscosity <= results.kinematicViscosity) return least + " m\u00b2/s";
  return least + " \u2013 " + formatNumber(results.largestViscosity, 4) +
         " m\u00b2/s (Reynolds numbers: the smallest)";
}

}  // namespace

std::string convergenceOf(const Results& results) {
  if (results.converged) return "converged";
  return results.convergenceAsked ? "not converged" : "no convergence rule";
}

std::string flowTable(const Results& results, const solver::file::Fields& fields) {
  std::vector<Row> rows{{"Fluid", text(results.fluidModel)},
                        {"Density", text(formatNumber(results.density, 5) + " kg/m\u00b3")},
                        {"Kinematic viscosity", text(viscosityText(results))},
                        {"Steps", text(formatCount(results.step))},
                        {"Time simulated", withUnit(results.time, "s")},
                        {"Time step", withUnit(fields.timeStep, "s")},
                        {"Convergence", convergenceOf(results)},
                        {"Method", text(results.variant)}};
  if (const auto& record = results.runRecord) {
    rows.push_back({"Run time", withUnit(record->seconds, "s", 3)});
    rows.push_back({"Speed", numberOf(record->mflups, 3) + " MFLUPS"});
    if (!record->machine.empty()) rows.push_back({"Computed on", text(record->machine)});
    if (!record->finished.empty()) rows.push_back({"Finished", text(record->finished) + " UTC"});
  }
  if (results.period) rows.insert(rows.begin() + 5, {"Period", withUnit(*results.period, "s")});
  return titledTable("Flow", {}, rows);
}

std::string dimensionlessTable(const Results& results, const solver::file::Fields& fields) {
  const double h = results.spacing;
  std::vector<Row> rows;
  if (!results.openings.empty())
    rows.push_back({"Reynolds number, largest of the openings" + momentOf(results),
                    numberOf(results::largestReynolds(results), 4)});
  rows.push_back(
      {std::string("Mach number, largest") + (results.period ? " of the last period" : ""),
       numberOf(results.machMax)});
  rows.push_back({"Relaxation time \u03c4", numberOf(results.tau, 5)});
  const double fastest = results::largestVelocity(results);
  rows.push_back({"Reynolds number of the grid <small>largest velocity" + momentOf(results) +
                      ", one spacing</small>",
                  numberOf(fastest * h / results.kinematicViscosity)});
  rows.push_back({"Largest velocity <small>nodes per step" + momentOf(results) + "</small>",
                  numberOf(fastest * fields.timeStep / h)});
  rows.push_back({"Density range <small>lattice</small>",
                  text(formatNumber(fields.densityRange[0], 6) + " \u2013 " +
                       formatNumber(fields.densityRange[1], 6))});
  return titledTable("Dimensionless numbers", {}, rows);
}

std::string resolutionTable(const Results& results, const tiler::TiledGeometry& geometry) {
  const Int3& n = results.nodes;
  const std::string box = fmt::format("{} \u00d7 {} \u00d7 {}", n[0], n[1], n[2]);
  const double boxNodes = static_cast<double>(n[0]) * n[1] * n[2];
  std::vector<Row> rows{
      {"Node spacing", withUnit(results.spacing, "m")},
      {"Lattice", text(box) + " nodes"},
      {"Fluid nodes", text(formatCount(results.fluidNodes))},
      {"Fluid share of the box",
       numberOf(100.0 * static_cast<double>(results.fluidNodes) / boxNodes) + " %"},
      {"Tiles of 64 nodes", text(formatCount(results.tiles))},
      {"Tile utilisation", numberOf(100.0 * geometry.utilisation()) + " %"}};
  for (const results::OpeningSummary& opening : results.openings)
    rows.push_back(
        {"Nodes across " + nameOf(opening), numberOf(results::nodesAcross(opening, results))});
  return titledTable("Resolution and tiling", {}, rows);
}

std::string surfaceTable(const tiler::TiledGeometry& geometry) {
  if (geometry.surface.triangle.empty()) return "";
  const SurfaceCheck check = checkSurface(geometry);
  std::vector<Row> rows{
      {"Triangles, openings covered",
       text(formatCount(geometry.surface.triangle.size() - geometry.surface.sheetTriangles))},
      {"Closed", check.openEdges == 0 ? "yes, each edge has two triangles"
                                      : text("no, " + formatCount(check.openEdges) +
                                             " edges do not have two triangles")},
      {"Area", numberOf(check.area * 1e6, 5) + " mm\u00b2"},
      {"Volume inside", numberOf(check.volume * 1e9, 5) + " mm\u00b3"},
      {"Volume of the fluid nodes", numberOf(check.nodeVolume * 1e9, 5) + " mm\u00b3"}};
  if (geometry.surface.sheetTriangles > 0)
    rows.push_back(
        {"Sheets, both sides", text(formatCount(geometry.surface.sheetTriangles) + " triangles")});
  if (check.volume > 0.0)
    rows.push_back(
        {"Difference", numberOf(100.0 * (check.nodeVolume / check.volume - 1.0), 2) + " %"});
  return titledTable("Surface", {}, rows);
}

std::string geometryReportTable(const Results& results) {
  if (!results.geometryReport) return "";
  const results::GeometryReport& report = *results.geometryReport;
  std::vector<Row> rows;
  if (!report.verdict.empty()) rows.push_back({"Verdict", text(report.verdict), ""});
  for (const auto& [name, count] : report.repairs) {
    std::string plain = name;
    std::replace(plain.begin(), plain.end(), '_', ' ');
    if (count > 0) rows.push_back({"Repaired: " + text(plain), text(formatCount(count)), ""});
  }
  for (const results::GeometryReport::Health& of : report.health)
    rows.push_back({text(of.name), of.asRead.empty() ? "\u2013" : text(of.asRead),
                    of.repaired.empty() ? "\u2013" : text(of.repaired)});
  return titledTable("Surface health (tessera-preprocess)", {"", "As read", "Repaired"}, rows);
}

std::string provenanceChain(const stage::Provenance& newest) {
  const std::vector<stage::Provenance> chain = newest.steps();
  std::string out = "<ol class=\"chain\">\n";
  for (auto step = chain.rbegin(); step != chain.rend(); ++step) {
    out += "<li><strong>" + text(step->program) + "</strong> " + text(step->version) +
           " <small>commit " + text(step->gitHash) + ", " + text(step->build) + "</small>\n";
    for (const stage::ProvenanceInput& input : step->inputs)
      out += "<p>reads " + text(input.name) + " <code>" + text(input.hash) + "</code></p>\n";
    std::string options;
    for (const auto& [name, value] : step->options)
      if (!value.empty())
        options += (options.empty() ? "" : ", ") + text(name) + " = " + text(value);
    if (!options.empty()) out += "<p>with <code>" + options + "</code></p>\n";
    out += "</li>\n";
  }
  return out + "</ol>\n";
}

std::string caseText(const solver::file::Fields& fields) {
  return fields.caseText.empty()
             ? ""
             : "<div class=\"card\"><pre>" + text(fields.caseText) + "</pre></div>\n";
}

}  // namespace tessera::postprocess::report
