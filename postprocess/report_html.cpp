// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/report_html.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/quantity.hpp"
#include "postprocess/picture/report_style.hpp"
#include "postprocess/results.hpp"
#include "solver/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera {
namespace {

// --- pieces; what they are given is markup already, see text() --------------------------------

std::string text(std::string_view plain) {
  return escapeMarkup(plain);
}

using Row = std::vector<std::string>;

std::string table(const std::string& caption, const Row& head, const std::vector<Row>& rows) {
  std::string out = "<div class=\"card\"><table aria-label=\"" + caption + "\">";
  if (!head.empty()) {
    out += "<thead><tr>";
    for (const std::string& cell : head) out += "<th scope=\"col\">" + cell + "</th>";
    out += "</tr></thead>";
  }
  out += "<tbody>";
  for (const Row& row : rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += c == 0 ? "<th scope=\"row\">" + row[c] + "</th>" : "<td>" + row[c] + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : "<section>\n<h2>" + title + "</h2>\n" + body + "</section>\n";
}

// --- numbers ----------------------------------------------------------------------------------

std::string withUnit(double si, const char* unit, int digits = 4) {
  const DisplayUnit display = displayUnit(unit, si);
  return text(formatNumber(si * display.factor, digits) + ' ' + display.name);
}

std::string vectorIn(const Double3& si, double factor, int digits = 3) {
  std::string out;
  for (double component : si)
    out += (out.empty() ? "" : ", ") + text(formatNumber(component * factor, digits));
  return out;
}

double nodesAcross(const OpeningSummary& opening, const Results& results) {
  return 2.0 * opening.radius / results.spacing;
}

std::string nameOf(const OpeningSummary& opening) {
  const std::string id = std::to_string(opening.id);
  return opening.name.empty() ? "opening " + id
                              : text(opening.name) + " <small>id " + id + "</small>";
}

// --- sections ---------------------------------------------------------------------------------

std::string figure(const char* name, const std::string& value) {
  return "<div><dt>" + std::string(name) + "</dt><dd>" + value + "</dd></div>\n";
}

double largestReynolds(const Results& results) {
  double largest = 0.0;
  for (const OpeningSummary& opening : results.openings)
    largest = std::max(largest, opening.reynolds);
  return largest;
}

std::string keyFigures(const Results& results) {
  std::string out = "<dl class=\"figures\">\n";
  if (results.pressureDrop) out += figure("Pressure drop", withUnit(*results.pressureDrop, "Pa"));
  if (results.shear.area > 0.0) {
    out += figure("Wall shear stress, mean", withUnit(results.shear.mean, "Pa", 3));
    out += figure("Wall shear stress, 99th percentile", withUnit(results.shear.p99, "Pa", 3));
  }
  out += figure("Largest velocity", withUnit(results.velocityMax, "m/s", 3));
  if (!results.openings.empty()) {
    out += figure("Reynolds number, largest of the openings",
                  text(formatNumber(largestReynolds(results), 3)));
    out += figure("Mass residual", text(formatNumber(results.massResidual, 2)));
  }
  if (results.permeability)
    out += figure("Permeability", text(formatNumber(results.permeability->value, 4) + " m\u00b2"));
  return out + "</dl>\n";
}

std::string warningNote(const std::vector<std::string>& warnings) {
  if (warnings.empty())
    return "<p class=\"note\" role=\"status\">No warnings: the run met its convergence rule, and "
           "the checks on mass balance and Mach number passed.</p>\n";
  std::string out = "<div class=\"note warn\" role=\"alert\"><strong>" +
                    std::string(warnings.size() == 1 ? "One warning" : "Warnings") +
                    "</strong><ul>";
  for (const std::string& warning : warnings) out += "<li>" + text(warning) + "</li>";
  return out + "</ul></div>\n";
}

std::string readPicture(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof())
    fail(ExitCode::BadInput, "The picture " + path.string() + " cannot be read back.");
  return bytes;
}

// Nothing when the picture was not drawn.
std::string picture(const std::filesystem::path& path, const std::string& type,
                    const std::string& alternative, const std::string& caption) {
  if (!std::filesystem::exists(path)) return "";
  return "<figure><img alt=\"" + text(alternative) + "\" src=\"data:image/" + type + ";base64," +
         base64(readPicture(path)) + "\"><figcaption>" + caption + "</figcaption></figure>\n";
}

std::string wallPicture(const Results& results, const std::filesystem::path& folder) {
  const ShearStatistics& shear = results.shear;
  return picture(folder / "wall_wss.png", "png",
                 "The wall of " + results.title + ", coloured by wall shear stress from " +
                     formatNumber(shear.p01, 3) + " to " + formatNumber(shear.p99, 3) +
                     " pascal, with the openings and a scale bar.",
                 "Wall shear stress, colours from the 1st to the 99th percentile of the area. "
                 "Arrows: the mean flow through the openings.");
}

std::string slicePicture(const Results& results, const std::filesystem::path& folder) {
  return picture(folder / "velocity_slice.png", "png",
                 "Velocity magnitude on a plane through " + results.title +
                     ", from zero at the wall to the largest value on the plane.",
                 "Velocity magnitude on the plane of the two longest principal axes, where it "
                 "holds most nodes.");
}

std::string openingsTable(const Results& results) {
  if (results.openings.empty()) return "";
  std::vector<Row> rows;
  for (const OpeningSummary& o : results.openings)
    rows.push_back({nameOf(o), o.kind.empty() ? "\u2013" : text(o.kind),
                    withUnit(o.flowRate, "m3/s"), withUnit(o.meanPressure, "Pa"),
                    withUnit(o.meanVelocity, "m/s", 3), text(formatNumber(o.reynolds, 3)),
                    text(formatNumber(o.area * 1e6, 4)), withUnit(2.0 * o.radius, "m", 3),
                    text(formatNumber(nodesAcross(o, results), 3))});
  return table("Openings",
               {"Opening", "Condition", "Flow rate<br><small>out of the fluid</small>",
                "Pressure<br><small>mean, gauge</small>", "Velocity<br><small>mean</small>",
                "Reynolds", "Area<br><small>mm\u00b2</small>",
                "Diameter<br><small>of equal area</small>", "Nodes<br>across"},
               rows);
}

std::string planesTable(const Results& results) {
  if (results.planes.empty()) return "";
  std::vector<Row> rows;
  for (const PlaneSummary& p : results.planes)
    rows.push_back({text(p.name), withUnit(p.flowRate, "m3/s"), withUnit(p.meanPressure, "Pa"),
                    withUnit(p.meanVelocity, "m/s", 3), text(formatNumber(p.area * 1e6, 4)),
                    vectorIn(p.point, 1e3), vectorIn(p.normal, 1.0)});
  return table("Planes",
               {"Plane", "Flow rate<br><small>along the normal</small>",
                "Pressure<br><small>mean, gauge</small>", "Velocity<br><small>mean</small>",
                "Area<br><small>mm\u00b2</small>", "Point<br><small>mm</small>", "Normal"},
               rows);
}

std::string shearTable(const Results& results) {
  const ShearStatistics& s = results.shear;
  if (!(s.area > 0.0)) return "";
  return table("Wall shear stress",
               {"Area", "Mean", "1st percentile", "Median", "99th percentile", "Largest"},
               {{text(formatNumber(s.area * 1e6, 4) + " mm\u00b2"), withUnit(s.mean, "Pa"),
                 withUnit(s.p01, "Pa"), withUnit(s.p50, "Pa"), withUnit(s.p99, "Pa"),
                 withUnit(s.max, "Pa")}});
}

std::string forcesTable(const Results& results) {
  std::vector<Row> rows;
  for (const WallForce& force : results.forces)
    rows.push_back({text(force.name) + " <small>label " + std::to_string(force.label) + "</small>",
                    vectorIn(force.pressure, 1.0), vectorIn(force.viscous, 1.0)});
  if (rows.empty()) return "";
  return table("Forces on the walls",
               {"Wall", "Pressure x, y, z <small>N</small>", "Viscous x, y, z <small>N</small>"},
               rows);
}

std::string viscosityText(const Results& results) {
  const std::string least = formatNumber(results.kinematicViscosity, 4);
  if (results.largestViscosity <= results.kinematicViscosity) return least + " m\u00b2/s";
  return least + " \u2013 " + formatNumber(results.largestViscosity, 4) +
         " m\u00b2/s (Reynolds numbers: the least)";
}

std::string flowTable(const Results& results, const Fields& fields) {
  std::vector<Row> rows{
      {"Density", text(formatNumber(results.density, 5) + " kg/m\u00b3")},
      {"Fluid", text(results.fluidModel)},
      {"Kinematic viscosity", text(viscosityText(results))},
      {"Steps", text(formatCount(results.step))},
      {"Time simulated", text(formatQuantity(results.time, Dimension::Time))},
      {"Time step", text(formatQuantity(fields.timeStep, Dimension::Time))},
      {"Converged", results.converged ? "yes" : "no"},
      {"Mach number, largest", text(formatNumber(results.machMax, 3))},
      {"Relaxation time \u03c4", text(formatNumber(results.tau, 5))},
      {"Density range, lattice", text(formatNumber(fields.densityRange[0], 6) + " \u2013 " +
                                      formatNumber(fields.densityRange[1], 6))},
      {"Method", text(results.variant)}};
  if (!results.openings.empty())
    rows.insert(rows.begin() + 2,
                {"Reynolds number, largest", text(formatNumber(largestReynolds(results), 4))});
  return "<div><h3>Flow</h3>" + table("Flow", {}, rows) + "</div>\n";
}

std::string geometryTable(const Results& results, const TiledGeometry& geometry) {
  const Int3& n = results.nodes;
  const std::string box =
      std::to_string(n[0]) + " \u00d7 " + std::to_string(n[1]) + " \u00d7 " + std::to_string(n[2]);
  const double boxNodes = static_cast<double>(n[0]) * n[1] * n[2];
  std::vector<Row> rows{
      {"Node spacing", withUnit(results.spacing, "m")},
      {"Lattice", text(box) + " nodes"},
      {"Fluid nodes", text(formatCount(results.fluidNodes))},
      {"Fluid share of the box",
       text(formatNumber(100.0 * static_cast<double>(results.fluidNodes) / boxNodes, 3) + " %")},
      {"Tiles of 64 nodes", text(formatCount(results.tiles))},
      {"Nodes in tiles that are fluid",
       text(formatNumber(100.0 * geometry.utilisation(), 3) + " %")},
      {"Surface triangles", text(formatCount(geometry.surface.triangle.size()))}};
  for (const OpeningSummary& opening : results.openings)
    rows.push_back(
        {"Nodes across " +
             (opening.name.empty() ? "opening " + std::to_string(opening.id) : text(opening.name)),
         text(formatNumber(nodesAcross(opening, results), 3))});
  return "<div><h3>Geometry and resolution</h3>" + table("Geometry", {}, rows) + "</div>\n";
}

// The newest step last, as the files were made.
std::string provenanceChain(const Provenance& newest) {
  std::vector<Provenance> chain{newest};
  while (!chain.back().history.empty()) chain.push_back(Provenance::fromJson(chain.back().history));
  std::string out = "<ol class=\"chain\">\n";
  for (auto step = chain.rbegin(); step != chain.rend(); ++step) {
    out += "<li><strong>" + text(step->program) + "</strong> " + text(step->version) +
           " <small>commit " + text(step->gitHash) + ", " + text(step->build) + "</small>\n";
    for (const ProvenanceInput& input : step->inputs)
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

std::string caseSection(const Fields& fields) {
  if (fields.caseText.empty()) return "";
  return section("Case file",
                 "<div class=\"card\"><pre>" + text(fields.caseText) + "</pre></div>\n");
}

std::string headerOf(const Results& results) {
  return "<header><h1>" + text(results.title) + "</h1>\n<p>Flow through " +
         text(formatCount(results.fluidNodes)) + " fluid nodes at " +
         withUnit(results.spacing, "m", 3) + ", " + text(formatCount(results.step)) + " steps, " +
         (results.converged ? "converged" : "not converged") + ". From " +
         text(results.fieldsName) + " and " + text(results.tilesName) + ".</p></header>\n";
}

std::string convergencePicture(const std::filesystem::path& folder) {
  return picture(folder / "convergence.svg", "svg+xml",
                 "Flow rate of each opening, and residuals on a logarithmic axis, against the "
                 "time step.",
                 "As monitored while the run went on.");
}

std::string body(const Results& results, const Fields& fields, const TiledGeometry& geometry,
                 const std::filesystem::path& folder) {
  std::string out = headerOf(results) + warningNote(results.warnings) + keyFigures(results);
  out += section("Wall shear stress", wallPicture(results, folder) + shearTable(results));
  out += section("Velocity", slicePicture(results, folder));
  out += section("Openings", openingsTable(results));
  out += section("Planes", planesTable(results));
  out += section("Forces on the walls", forcesTable(results));
  out += section("What was run", "<div class=\"pair\">" + flowTable(results, fields) +
                                     geometryTable(results, geometry) + "</div>\n");
  out += section("Convergence", convergencePicture(folder));
  out += section("How these results were made", provenanceChain(results.provenance));
  return out + caseSection(fields);
}

}  // namespace

void writeReportHtml(const Results& results, const Fields& fields, const TiledGeometry& geometry,
                     const std::filesystem::path& folder) {
  const std::string title = text(results.title) + " \u00b7 Tessera";
  writeTextAtomically(
      folder / "report.html",
      "<!DOCTYPE html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
          title + "</title>\n<style>" + reportStyle + "</style>\n</head>\n<body>\n<main>\n" +
          body(results, fields, geometry, folder) +
          "<footer>Written by tessera-postprocess. Everything is in this file: nothing is "
          "fetched.</footer>\n</main>\n</body>\n</html>\n");
}

}  // namespace tessera
