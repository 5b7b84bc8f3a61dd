// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preview/preview_page.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/view_json.hpp"
#include "pipelines/picture/wall_view.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/preview/case_recipe.hpp"
#include "preprocess/preview/preview_page_script.hpp"
#include "preprocess/preview/preview_style.hpp"
#include "preprocess/preview/preview_text.hpp"

namespace tessera::preprocess::preview {

using picture::escapeMarkup;
using picture::MarkKind;
using stage::Dimension;
using stage::formatQuantity;
using stage::Json;

namespace {

std::string section(const std::string& title, const std::string& content) {
  return content.empty()
             ? ""
             : "<section><h2>" + escapeMarkup(title) + "</h2>\n" + content + "</section>\n";
}

std::string badge(MarkKind kind, const std::string& number) {
  return "<b class=\"badge\" style=\"background:" + picture::hexColour(picture::markColour(kind)) +
         "\">" + escapeMarkup(number) + "</b>";
}

// Coordinates below a thousandth of the size there are 0.
std::string placeText(const Double3& at, double factor, double size) {
  std::string text;
  for (std::size_t a = 0; a < 3; ++a)
    text += (a > 0 ? ", " : "") +
            picture::formatNumber(std::abs(at[a]) < 1e-3 * size ? 0.0 : at[a] * factor, 4);
  return text;
}

// name: of the column, for narrow windows.
std::string cell(const std::string& text, const std::string& name = "") {
  return (name.empty() ? "<td>" : "<td data-name=\"" + escapeMarkup(name) + "\">") +
         escapeMarkup(text) + "</td>";
}

std::string note(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return "";
  std::string out = "<div class=\"note\" role=\"alert\"><strong>" +
                    stage::plural(warnings.size(), "warning") +
                    " of tessera-preprocess</strong><ul>";
  for (const std::string& warning : warnings) out += "<li>" + escapeMarkup(warning) + "</li>";
  return out + "</ul></div>\n";
}

// Rows of openings; the script adds the condition to each.
std::string openingsTable(const Preview& preview, const CaseGeometry& geometry) {
  if (preview.openings.empty())
    return "<p>The geometry has no openings: a body force, a moving wall or a pressure difference "
           "across periodic axes drives the flow. The ends of a vessel open with --open or --cut "
           "of tessera-preprocess, the sides of an image with --faces.</p>\n";
  const picture::DisplayUnit unit = picture::displayUnit("m", preview.openings.front().radius);
  const bool flat = preview.dimensions == 2;
  std::string out =
      "<div class=\"card\"><table id=\"openings\"><thead><tr><th></th><th>name</th><th>" +
      std::string(flat ? "width" : "radius") + "<br><small>" + escapeMarkup(unit.name) +
      "</small></th><th>nodes across</th><th>centre<br><small>" + escapeMarkup(unit.name) +
      "</small></th><th class=\"text\">condition</th></tr></thead>\n<tbody>";
  for (std::size_t k = 0; k < preview.openings.size(); ++k) {
    const geometry::Opening& opening = preview.openings[k];
    const double size = flat ? diameterOf(opening, 2, geometry.spacing) : opening.radius;
    out += fmt::format("<tr data-mark=\"{}\" tabindex=\"0\"><td>", k) +
           badge(MarkKind::Opening, std::to_string(opening.id)) + "</td><th>" +
           escapeMarkup(opening.name);
    if (k < preview.notes.origins.size() && !preview.notes.origins[k].empty())
      out += "<br><small>" + escapeMarkup(preview.notes.origins[k]) + "</small>";
    out += "</th>" +
           cell(picture::formatNumber(size * unit.factor, 4),
                (flat ? "width in " : "radius in ") + unit.name) +
           cell(fmt::format("{:.1f}", nodesAcross(opening, preview.dimensions, geometry.spacing)),
                "nodes across") +
           cell(placeText(opening.centre, unit.factor, opening.radius), "centre in " + unit.name) +
           "<td class=\"text condition\"></td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string othersTable(const Preview& preview) {
  if (preview.notes.others.empty()) return "";
  std::string out =
      "<div class=\"card\"><table><thead><tr><th></th><th>radius</th><th>nodes "
      "across</th><th>centre "
      "[mm]</th>"
      "<th class=\"text\">why it is no opening</th><th "
      "class=\"text\">option</th></tr></thead><tbody>";
  std::size_t mark = preview.openings.size();
  for (const OtherPlace& other : preview.notes.others) {
    out += fmt::format("<tr data-mark=\"{}\" tabindex=\"0\"><td>", mark++) +
           badge(other.kind, other.number) + "</td>" +
           cell(formatQuantity(other.radius, Dimension::Length)) +
           cell(fmt::format("{:.1f}", 2.0 * other.radius / preview.frame.spacing)) +
           cell(placeText(other.centre, 1e3, other.radius)) + "<td class=\"text\">" +
           escapeMarkup(other.reason) + "</td><td class=\"text\"><code>" +
           escapeMarkup(other.option) + "</code></td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string throatsTable(const Preview& preview) {
  if (preview.throats.empty()) return "";
  const bool flat = preview.dimensions == 2;
  double largest = 0.0;
  for (const geometry::Opening& opening : preview.openings)
    largest = std::max(largest, opening.area);
  const picture::DisplayUnit unit = picture::displayUnit("m", preview.openings.front().radius);
  std::string out = "<div class=\"card\"><table><thead><tr><th></th><th>" +
                    std::string(flat ? "width" : "radius") + "<br><small>" +
                    escapeMarkup(unit.name) +
                    "</small></th><th>nodes across</th><th>passages</th><th>mean velocity, over "
                    "that of the largest opening"
                    "</th><th class=\"text\">between</th></tr></thead><tbody>";
  const std::size_t first = preview.openings.size() + preview.notes.others.size();
  for (std::size_t k = 0; k < preview.throats.size(); ++k) {
    const geometry::Throat& throat = preview.throats[k];
    const double width = diameterOf(throat, preview.dimensions, preview.frame.spacing);
    std::vector<std::string> ids;
    for (const int id : throat.openings) ids.push_back(std::to_string(id));
    out += fmt::format("<tr data-mark=\"{}\" tabindex=\"0\"><td>", first + k) +
           badge(MarkKind::Throat, fmt::format("T{}", k + 1)) + "</td>" +
           cell(picture::formatNumber((flat ? width : 0.5 * width) * unit.factor, 4)) +
           cell(fmt::format("{:.1f}", width / preview.frame.spacing)) +
           cell(std::to_string(throat.passages)) +
           cell(picture::formatNumber(largest / throat.area, 3)) + "<td class=\"text\">opening " +
           escapeMarkup(stage::enumeration(ids)) + " and the others</td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

Json recipeJson(const CaseRecipe& recipe) {
  Json json{{"name", recipe.name},        {"title", recipe.title},   {"head", recipe.head},
            {"fluid", recipe.fluid},      {"solver", recipe.solver}, {"tail", recipe.tail},
            {"waveform", recipe.waveform}};
  json["openings"] = Json::array();
  for (const OpeningEntry& entry : recipe.openings) {
    Json values = Json::object();
    for (const auto& [key, value] : entry.values) values[key] = value;
    json["openings"].push_back({{"comment", entry.comment},
                                {"key", entry.key},
                                {"kind", entry.kind},
                                {"values", values},
                                {"remark", entry.remark}});
  }
  return json;
}

Json formJson(const CaseGeometry& geometry) {
  Json json{{"dimensions", geometry.dimensions}, {"first", recipeFor(geometry)}};
  json["fluids"] = Json::array();
  for (const PresetFluid& fluid : presetFluids())
    json["fluids"].push_back(
        {{"name", fluid.name}, {"density", fluid.density}, {"viscosity", fluid.viscosity}});
  json["openings"] = Json::array();
  for (const geometry::Opening& opening : geometry.openings)
    json["openings"].push_back(
        {{"diameter", diameterOf(opening, geometry.dimensions, geometry.spacing)},
         {"area", opening.area}});
  json["recipes"] = Json::array();
  for (const std::string& name : recipeNames())
    if (name == "pulsatile" ? geometry.openings.size() > 1
                            : (name == "2d") == (geometry.dimensions == 2))
      json["recipes"].push_back(recipeJson(caseRecipe(geometry, name)));
  return json;
}

std::string caseForm(const CaseGeometry& geometry) {
  return "<form id=\"case\"><p><label>Start from <select name=\"recipe\"></select></label> "
         "<label>Fluid <select name=\"fluid\"></select></label> "
         "<span id=\"own-fluid\" hidden><label>density <input name=\"density\" size=\"12\" "
         "value=\"1060 kg/m3\"></label> <label>viscosity <input name=\"viscosity\" size=\"12\" "
         "value=\"3.5e-3 Pa.s\"></label></span></p>\n"
         "<p class=\"buttons\"><a id=\"save-case\" class=\"button\" download=\"case.toml\" "
         "href=\"#\">Save "
         "case.toml</a> <a id=\"save-waveform\" class=\"button\" hidden download=\"inlet.csv\" "
         "href=\"#\">Save inlet.csv</a> <output id=\"case-state\"></output></p>\n"
         "<pre id=\"case-text\" tabindex=\"0\"></pre></form>\n"
         "<noscript><p>Scripts are off; <code>tessera-info FILE.tiles --case</code> writes the "
         "same "
         "case.</p></noscript>\n<script type=\"application/json\" id=\"case-data\">" +
         picture::scriptJson(formJson(geometry)) + "</script>\n<script>" +
         std::string(previewPageScript) + "</script>\n";
}

}  // namespace

std::string previewPage(const Preview& preview, const CaseGeometry& geometry) {
  picture::ViewParts parts = preview.parts;
  parts.labelOf = preview.label;
  const std::string title = escapeMarkup(preview.notes.title);
  return "<!DOCTYPE html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
         "data:; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         title + " \u00b7 Tessera</title>\n<style>" + previewStyle() +
         "</style>\n</head>\n<body>\n<main>\n<header><h1>" + title +
         "</h1><p>Before the run: " + escapeMarkup(factsLine(preview)) + ".</p></header>\n" +
         note(preview.notes.warnings) + "<section>" +
         picture::wallView(preview.vertex, preview.triangle, {}, parts) + "</section>\n" +
         section("Openings", openingsTable(preview, geometry)) +
         section("Not openings", othersTable(preview)) +
         section("Narrowest sections", throatsTable(preview)) +
         section("Write a case", caseForm(geometry)) +
         "<footer>Written by Tessera. This file is self-contained: nothing is fetched.</footer>\n"
         "</main>\n</body>\n</html>\n";
}

}  // namespace tessera::preprocess::preview
