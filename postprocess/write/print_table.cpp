// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/results/across_text.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/write/console_table.hpp"
#include "postprocess/write/write.hpp"

namespace tessera::postprocess::write {

using results::ResultDescriptor;
using results::Results;
using stage::Dimension;
using stage::formatQuantity;

namespace {

// Unit of numbers on the console: the one that suits the largest of a column.
class SuitableUnit {
 public:
  SuitableUnit(const std::string& si, double largest) : name_(si) {
    for (const Dimension dimension : {Dimension::Pressure, Dimension::Velocity, Dimension::FlowRate,
                                      Dimension::Resistance, Dimension::Length, Dimension::Time}) {
      if (stage::siUnit(dimension) != si) continue;
      const std::string text = formatQuantity(largest, dimension);
      name_ = text.substr(text.find(' ') + 1);
      one_ = stage::parseQuantity("1 " + name_, dimension);
    }
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string shown(double value) const {
    const std::string text = stage::number(value / one_, 4);
    return name_.empty() ? text : text + " " + name_;
  }

 private:
  std::string name_;
  double one_ = 1.0;  // in SI
};

// Largest magnitude of a number, for the unit of its column.
double sizeOf(const results::ResultValue& value) {
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? std::abs(*real) : 0.0;
}

// Text of a value; empty if the run does not have the result.
std::string shown(const ResultDescriptor& result, const results::ResultValue& value,
                  const SuitableUnit& unit) {
  const auto number = [&](double v) {
    return result.console.format == nullptr
               ? unit.shown(v)
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

// Unit in the heading of a column: behind the number of its format, or the one that suits.
std::string unitOf(const ResultDescriptor& result, const SuitableUnit& unit) {
  if (result.console.format == nullptr) return unit.name();
  const std::string_view format = result.console.format;
  const std::size_t space = format.find(' ');
  return space == std::string_view::npos ? "" : std::string(format.substr(space + 1));
}

std::string withoutUnit(const std::string& text, const std::string& unit) {
  const bool has = !unit.empty() && text.ends_with(" " + unit);
  return has ? text.substr(0, text.size() - unit.size() - 1) : text;
}

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

// Column of a result, and behind it that of its error; none if no record has the result.
std::vector<ConsoleColumn> columnsOf(const ResultDescriptor& result, bool withError,
                                     const std::vector<results::ResultRecord>& records,
                                     const Results& results) {
  double largest = 0.0;
  for (const results::ResultRecord& record : records)
    largest = std::max(largest, sizeOf(result.value(record.data.get(), results)));
  const SuitableUnit unit(result.unit, largest);
  ConsoleColumn values{result.console.title, unitOf(result, unit), result.console.width < 0, {}};
  ConsoleColumn errors{"+-", "", false, {}};
  bool isKnown = false;
  for (const results::ResultRecord& record : records) {
    const results::ResultValue value = result.value(record.data.get(), results);
    isKnown = isKnown || !std::holds_alternative<std::monostate>(value);
    values.cells.push_back(withoutUnit(shown(result, value, unit), values.unit));
    const auto error = result.errorIn(record.data.get(), results);
    errors.cells.push_back(error ? results::errorText(*error) : "");
  }
  if (!isKnown) return {};
  return withError ? std::vector{values, errors} : std::vector{values};
}

// One line per record.
std::string tableRows(std::string_view id, const char* remark, const Results& results) {
  const results::ResultGroup& group = results::resultGroup(id);
  const std::vector<results::ResultRecord> records = group.records(results);
  if (records.empty()) return {};
  std::vector<const ResultDescriptor*> listed = shownOf(group);
  sortByRank(listed);
  std::vector<ConsoleColumn> columns;
  for (std::size_t c = 0; c < listed.size(); ++c)
    for (ConsoleColumn& column : columnsOf(*listed[c], showsError(listed, c), records, results))
      columns.push_back(std::move(column));
  return consoleTable(columns, stage::usualColumns) + remark + "\n";
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

// The unit in which all lines of a group stand: that of its first value in the SI unit of a result.
SuitableUnit unitOfLines(const std::vector<const ResultDescriptor*>& lines,
                         const ResultDescriptor& result, const void* record,
                         const Results& results) {
  for (const ResultDescriptor* line : lines) {
    if (std::string_view(line->unit) != result.unit) continue;
    const double size = sizeOf(line->value(record, results));
    if (size > 0.0) return {result.unit, size};
  }
  return {result.unit, 0.0};
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
    const std::vector<const ResultDescriptor*> lines = shownOf(group);
    for (const ResultDescriptor* result : lines) {
      if ((result->moment == results::Moment::Period) != ofPeriod) continue;
      const results::ResultValue value = result->value(records[0].data.get(), results);
      const std::string text =
          shown(*result, value, unitOfLines(lines, *result, records[0].data.get(), results));
      if (text.empty()) continue;
      const results::ConsoleCell& console = result->console;
      const std::string title = (ofPeriod ? "  " : "") + std::string(console.title);
      // The error is of the value, not of what the note adds to it.
      rows.push_back(
          {console.rank, fmt::format("{:<28} {:>{}}{}{}\n", title, text, console.width,
                                     errorOf(*result, records[0].data.get(), results),
                                     console.note != nullptr ? console.note(results) : "")});
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
  if (results.converged)
    return fmt::format(", or halve the node spacing and compare the {}.\n",
                       results.permeability ? "permeability" : "wall shear stress");
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
      text += (text.empty() ? "" : ", ") + part.source + " " + stage::percent(part.share, 2);
  return fmt::format("errors +- are expected ones: {}; {:.1f} nodes {}\n", text,
                     results.expected.nodesAcross, results::acrossText(results));
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
  if (results.hasPictures) {
    text += "pictures  ";
    if (!results.wall.triangle.empty()) text += folder + "wall_wss.png  ";
    text += folder + "velocity_slice.png";
    if (results.monitor.rows.size() > 1) text += "  " + folder + "convergence.png";
    if (!results.series.empty()) text += "  " + folder + "series.png";
    text += "\n";
  }
  for (std::size_t k = 0; k < results.animations.size(); ++k)
    text += (k == 0 ? "animated  " : "  ") + folder + results.animations[k];
  if (!results.animations.empty()) text += "\n";
  text += "tables    " + folder + "summary.json  " + folder + "openings.csv\n";
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
