// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/compare/write_comparison.hpp"

#include <algorithm>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess::compare {

using results::csvField;
using stage::Json;

namespace {

Json orNull(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json listOf(const std::vector<std::optional<double>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(orNull(value));
  return list;
}

Json convergenceJson(const MeshConvergence& convergence) {
  return {{"approach", nameOf(convergence.approach)},
          {"order", orNull(convergence.order)},
          {"extrapolated", orNull(convergence.extrapolated)},
          {"grid_convergence_index", orNull(convergence.index)},
          {"uncertainty", orNull(convergence.uncertainty)}};
}

std::string csvText(const std::optional<double>& value) {
  return value ? results::csvNumber(*value) : std::string();
}

std::string wideCsv(const Comparison& comparison) {
  std::string csv = "quantity";
  for (const RunSummary& run : comparison.runs) csv += "," + csvField(run.name);
  for (const RunSummary& run : comparison.runs)
    csv += "," + csvField("relative_difference_" + run.name);
  csv += ",half_range,approach,order,extrapolated,grid_convergence_index,uncertainty\n";
  for (const ComparedQuantity& quantity : comparison.quantities) {
    csv += csvField(quantity.name);
    for (const auto& value : quantity.value) csv += "," + csvText(value);
    for (const auto& value : quantity.relative) csv += "," + csvText(value);
    csv += "," + csvText(quantity.halfRange);
    const MeshConvergence c = quantity.convergence.value_or(MeshConvergence{});
    csv += "," + std::string(quantity.convergence ? nameOf(c.approach) : "");
    for (const auto& value : {c.order, c.extrapolated, c.index, c.uncertainty})
      csv += "," + csvText(value);
    csv += "\n";
  }
  return csv;
}

std::string tidyCsv(const Comparison& comparison) {
  std::string csv = "run,quantity,value\n";
  for (std::size_t r = 0; r < comparison.runs.size(); ++r)
    for (const ComparedQuantity& quantity : comparison.quantities)
      if (quantity.value[r])
        csv += csvField(comparison.runs[r].name) + "," + csvField(quantity.name) + "," +
               csvText(quantity.value[r]) + "\n";
  return csv;
}

constexpr std::size_t mostColumns = 6;

std::string cell(const std::string& text) {
  return fmt::format(" {:>12.12}", text);
}

std::string cell(const std::optional<double>& value, const char* format = "{:.5g}") {
  return cell(value ? fmt::vformat(format, fmt::make_format_args(*value)) : "-");
}

std::string percentCell(const std::optional<double>& part) {
  return part ? cell(fmt::format("{:+.3g} %", 100.0 * *part)) : cell(std::string("-"));
}

// Width of the names in front of the rows, bounded.
std::size_t nameWidth(const std::vector<const ComparedQuantity*>& quantities) {
  std::size_t width = 32;
  for (const ComparedQuantity* quantity : quantities)
    width = std::max(width, quantity->name.size());
  return std::min<std::size_t>(width, 60);
}

std::string headlineRow(const ComparedQuantity& quantity, std::size_t width, std::size_t columns,
                        bool mesh) {
  std::string row = quantity.name;
  row.resize(width, ' ');
  for (std::size_t r = 0; r < columns; ++r) row += cell(quantity.value[r]);
  if (!mesh) {
    for (std::size_t r = 1; r < columns; ++r) row += percentCell(quantity.relative[r]);
  } else if (quantity.convergence) {
    const MeshConvergence& c = *quantity.convergence;
    row += cell(std::string(nameOf(c.approach))) + cell(c.order, "{:.2f}") + cell(c.extrapolated) +
           cell(c.uncertainty, "{:.2g}");
  }
  return row + "\n";
}

}  // namespace

std::string comparisonJson(const Comparison& comparison, const stage::Provenance& provenance) {
  Json json{{"schema_version", 1}, {"kind", "comparison"}};
  json["runs"] = Json::array();
  for (const RunSummary& run : comparison.runs) {
    Json entry{{"name", run.name}, {"spacing_m", run.spacing}};
    for (const auto& [key, word] : run.settings) entry[key] = word;
    json["runs"].push_back(std::move(entry));
  }
  json["mesh_study"] = Json::array();
  for (const std::size_t i : comparison.meshStudy)
    json["mesh_study"].push_back(comparison.runs[i].name);
  json["quantities"] = Json::object();
  for (const ComparedQuantity& quantity : comparison.quantities) {
    Json entry{{"values", listOf(quantity.value)},
               {"relative_differences", listOf(quantity.relative)},
               {"half_range", orNull(quantity.halfRange)}};
    if (quantity.convergence) entry["convergence"] = convergenceJson(*quantity.convergence);
    json["quantities"][quantity.name] = std::move(entry);
  }
  json["warnings"] = comparison.warnings;
  json["provenance"] = stage::parseJson(provenance.toJson());
  return stage::jsonText(json, 1) + "\n";
}

void writeComparisonTables(const Comparison& comparison, const std::filesystem::path& folder) {
  stage::writeTextAtomically(folder / "comparison.csv", wideCsv(comparison));
  stage::writeTextAtomically(folder / "values.csv", tidyCsv(comparison));
}

std::string comparisonForPeople(const Comparison& comparison, const std::filesystem::path& target) {
  const std::size_t columns = std::min(comparison.runs.size(), mostColumns);
  const bool mesh = !comparison.meshStudy.empty();
  const std::vector<const ComparedQuantity*> rows = headlines(comparison);
  const std::size_t width = nameWidth(rows);
  std::string text(width, ' ');
  for (std::size_t r = 0; r < columns; ++r) text += cell(comparison.runs[r].name);
  if (mesh)
    for (const char* title : {"approach", "order", "extrapolated", "uncertainty"})
      text += cell(std::string(title));
  else
    for (std::size_t r = 1; r < columns; ++r) text += cell(comparison.runs[r].name);
  text += "\n";
  for (const ComparedQuantity* quantity : rows)
    text += headlineRow(*quantity, width, columns, mesh);
  if (comparison.runs.size() > columns)
    text += fmt::format("and {} more runs in the tables\n", comparison.runs.size() - columns);
  text += mesh ? "(uncertainty: error bar of the finest run, in the unit of the value)\n"
               : fmt::format("(right: difference from {})\n", comparison.runs.front().name);
  const std::string folder = target.string() + "/";
  return text + "\ntables    " + folder + "comparison.csv  " + folder + "values.csv  " + folder +
         "summary.json\n";
}

}  // namespace tessera::postprocess::compare
