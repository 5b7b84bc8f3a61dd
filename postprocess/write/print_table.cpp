// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/write/write.hpp"

namespace tessera::postprocess::write {

using results::ResultDescriptor;
using results::Results;
using stage::Dimension;
using stage::formatQuantity;

namespace {

// With a convenient unit; a plain number if the unit is unknown.
std::string withSuitableUnit(double value, const std::string& unit) {
  for (const Dimension dimension : {Dimension::Pressure, Dimension::Velocity, Dimension::FlowRate,
                                    Dimension::Resistance, Dimension::Length, Dimension::Time})
    if (stage::siUnit(dimension) == unit) return formatQuantity(value, dimension);
  const std::string text = stage::number(value, 4);
  return unit.empty() ? text : text + " " + unit;
}

// Text of a value; empty if the run does not have the result.
std::string shown(const ResultDescriptor& result, const results::ResultValue& value) {
  const auto number = [&](double v) {
    return result.console.format == nullptr
               ? withSuitableUnit(v, result.unit)
               : fmt::vformat(result.console.format, fmt::make_format_args(v));
  };
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return number(static_cast<double>(*whole));
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  if (const auto* v = std::get_if<Double3>(&value))
    return number((*v)[0]) + " " + number((*v)[1]) + " " + number((*v)[2]) + " " + result.unit;
  return {};
}

std::string cell(const std::string& text, int width) {
  if (width >= 0) return fmt::format("{:>{}}", text, width);
  std::string padded = fmt::format("{:<{}}", text, -width);
  padded.resize(static_cast<std::size_t>(-width));
  return padded;
}

constexpr int errorWidth = 12;
constexpr double leastShare = 1e-5;  // of a source of errors that is named

// " +- 0.5 %"; empty without one.
std::string errorOf(const ResultDescriptor& result, const void* record, const Results& results) {
  const auto error = result.errorIn(record, results);
  return error ? " +- " + results::errorText(*error) : std::string();
}

std::vector<const ResultDescriptor*> shownOf(const results::ResultGroup& group) {
  std::vector<const ResultDescriptor*> all;
  for (const ResultDescriptor& result : group.results)
    if (result.console.title != nullptr) all.push_back(&result);
  return all;
}

void sortByRank(std::vector<const ResultDescriptor*>& results) {
  std::stable_sort(results.begin(), results.end(),
                   [](auto* a, auto* b) { return a->console.rank < b->console.rank; });
}

// Whether an error stands behind a column, which those of the same one share.
bool showsError(const std::vector<const ResultDescriptor*>& columns, std::size_t column) {
  return columns[column]->error != nullptr &&
         std::none_of(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(column),
                      [&](auto* before) { return before->error == columns[column]->error; });
}

// One line per record.
std::string tableRows(std::string_view id, const char* remark, const Results& results) {
  const results::ResultGroup& group = results::resultGroup(id);
  const std::vector<results::ResultRecord> records = group.records(results);
  if (records.empty()) return {};
  std::vector<const ResultDescriptor*> columns = shownOf(group);
  sortByRank(columns);
  std::string text;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    text += (c == 0 ? "" : " ") + cell(columns[c]->console.title, columns[c]->console.width);
    if (showsError(columns, c)) text += cell("error", errorWidth);
  }
  for (const results::ResultRecord& record : records) {
    text += "\n";
    for (std::size_t c = 0; c < columns.size(); ++c)
      text += (c == 0 ? "" : " ") +
              cell(shown(*columns[c], columns[c]->value(record.data.get(), results)),
                   columns[c]->console.width) +
              (showsError(columns, c)
                   ? cell(errorOf(*columns[c], record.data.get(), results), errorWidth)
                   : "");
  }
  return text + "\n" + remark + "\n";
}

std::string centrelineRows(const Results& results) {
  std::string text;
  for (const results::Centreline& c : results.centrelines) {
    const results::Station& first = c.stations.front();
    const results::Station& last = c.stations.back();
    text += fmt::format("centreline {}: {}, {} stations, pressure {} to {}\n",
                        c.name.substr(0, 100), formatQuantity(c.length, Dimension::Length),
                        c.stations.size(), formatQuantity(first.meanPressure, Dimension::Pressure),
                        formatQuantity(last.meanPressure, Dimension::Pressure));
  }
  return text.empty() ? text : text + "\n";
}

struct Row {
  int rank;
  std::string text;
};

// Lines of single-record groups by rank, of the last period or not.
std::string rowsOf(const Results& results, bool ofPeriod) {
  std::vector<Row> rows;
  for (const results::ResultGroup& group : results::resultGroups()) {
    if (group.shape != results::GroupShape::One) continue;
    const std::vector<results::ResultRecord> records = group.records(results);
    if (records.empty()) continue;
    for (const ResultDescriptor* result : shownOf(group)) {
      if ((result->moment == results::Moment::Period) != ofPeriod) continue;
      const std::string text = shown(*result, result->value(records[0].data.get(), results));
      if (text.empty()) continue;
      const results::ConsoleCell& console = result->console;
      const std::string title = (ofPeriod ? "  " : "") + std::string(console.title);
      rows.push_back({console.rank, fmt::format("{:<28} ", title) + cell(text, console.width) +
                                        (console.note != nullptr ? console.note(results) : "") +
                                        cell(errorOf(*result, records[0].data.get(), results), 0) +
                                        "\n"});
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.rank < b.rank; });
  std::string text;
  for (const Row& row : rows) text += row.text;
  return text;
}

std::string scalarRows(const Results& results) {
  const bool cycle = results.cycleFlow && results.cycleFlow->pressureDrop;
  if (!cycle) return rowsOf(results, false);
  return "over the last period of " + formatQuantity(*results.period, Dimension::Time) + "\n" +
         rowsOf(results, true) + "at the end of the run\n" + rowsOf(results, false);
}

// A run without a convergence rule that completed its steps has no checkpoint.
std::string nextRun(const Results& results) {
  if (results.converged) return ", or halve the node spacing and compare the wall shear stress.\n";
  if (results.convergenceAsked)
    return fmt::format(
        ", or continue the run (--resume with more {}), since it has not converged.\n",
        results.period ? "cycles" : "steps");
  return fmt::format(
      ", or continue the run to another output (--initial {}), since its case has no convergence "
      "rule.\n",
      results.fieldsName);
}

// "expected errors (+-): by resolution 0.4 %, Mach number 0.15 %; 20.1 nodes across".
std::string errorSources(const Results& results) {
  std::string text;
  for (const results::ErrorPart& part : results.expected.parts)
    if (part.share >= leastShare)
      text +=
          (text.empty() ? "" : ", ") + part.source + fmt::format(" {:.2g} %", 100.0 * part.share);
  return fmt::format("errors +- are expected ones: {}; {:.1f} nodes across the narrowest section\n",
                     text, results.expected.nodesAcross);
}

// "units     VTK: lengths mm, RAS (change: --length-unit), velocity m/s, pressure Pa"
std::string unitsOfFiles(const Results& results) {
  return fmt::format(
      "units     VTK: lengths {}{} (change: --length-unit), velocity m/s, pressure Pa\n",
      results.lengthUnit.name, results.space.empty() ? "" : ", " + results.space);
}

// Moments of a series; empty for one file of fields.
std::string momentsOf(const Results& results) {
  if (results.series.size() < 2) return "";
  return fmt::format(
      "{} moments from {} to {}; what follows is of the last, series.csv has all\n\n",
      results.series.size(), formatQuantity(results.series.front().time, Dimension::Time),
      formatQuantity(results.series.back().time, Dimension::Time));
}

std::string filesAndNext(const Results& results, const std::filesystem::path& target) {
  const std::string folder = target.string() + "/";
  std::string text = "\nreport    " + folder + "report.html\n";
  text += "pictures  " + folder + "wall_wss.png  " + folder + "velocity_slice.png";
  if (!results.monitor.rows.empty()) text += "  " + folder + "convergence.png";
  if (!results.series.empty()) text += "  " + folder + "series.png";
  for (std::size_t k = 0; k < results.animations.size(); ++k)
    text += (k == 0 ? "\nanimated  " : "  ") + folder + results.animations[k];
  text += "\ntables    " + folder + "summary.json  " + folder + "openings.csv\n";
  text += "ParaView ";
  for (const std::string& name : results.exports) text += " " + folder + name;
  const std::string ending = results.series.empty() ? ".vtp" : ".pvd";
  if (!results.wall.triangle.empty()) text += "  " + folder + "wall" + ending;
  if (!results.openings.empty()) text += "  " + folder + "openings" + ending;
  text += "\n" + unitsOfFiles(results);
  text += "\nNext: open report.html in a browser";
  return text + nextRun(results);
}

}  // namespace

std::string tableForPeople(const Results& results, const std::filesystem::path& target) {
  return momentsOf(results) +
         tableRows("openings", "    (flow rates are positive out of the fluid)\n", results) +
         tableRows("planes", "", results) + centrelineRows(results) + scalarRows(results) +
         errorSources(results) + filesAndNext(results, target);
}

}  // namespace tessera::postprocess::write
