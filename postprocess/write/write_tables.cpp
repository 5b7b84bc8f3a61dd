// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write/write.hpp"

#include <algorithm>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess::write {

using results::csvNumber;
using results::ResultDescriptor;

namespace {

constexpr const char* partsOfVector[] = {"x", "y", "z"};
constexpr const char* partsOfCourse[] = {"mean", "least", "largest"};

// Unit of a column, and factor from SI: lengths and areas are in the unit of the tables.
struct ColumnUnit {
  std::string name;
  double factor = 1.0;
};
ColumnUnit unitOf(const ResultDescriptor& result, const stage::LengthUnit& unit) {
  const std::string_view si = result.unit;
  if (si == "m") return {unit.name, unit.perMetre()};
  if (si == "m2") return {std::string(unit.name) + "2", unit.perMetre() * unit.perMetre()};
  return {std::string(si)};
}

// A vector and a course take three columns.
std::vector<std::string> headings(const ResultDescriptor& result, const std::string& unit) {
  const std::string name = result.column != nullptr ? result.column : result.name;
  if (result.shape == results::ResultShape::Number) return {results::headingOf(name, unit)};
  std::vector<std::string> all;
  for (const char* part :
       result.shape == results::ResultShape::Vector ? partsOfVector : partsOfCourse)
    all.push_back(results::headingOf(name.empty() ? part : name + "_" + part, unit));
  return all;
}

std::string cells(const ResultDescriptor& result, const results::ResultValue& value,
                  double factor) {
  if (const auto* text = std::get_if<std::string>(&value)) return results::csvField(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return csvNumber(factor * *real);
  if (const auto* v = std::get_if<Double3>(&value))
    return csvNumber(factor * (*v)[0]) + "," + csvNumber(factor * (*v)[1]) + "," +
           csvNumber(factor * (*v)[2]);
  if (const auto* of = std::get_if<results::OverPeriod>(&value))
    return csvNumber(of->mean) + "," + csvNumber(of->least) + "," + csvNumber(of->largest);
  return result.shape == results::ResultShape::Number ? "" : ",,";
}

std::vector<const ResultDescriptor*> columnsOf(const results::ResultGroup& group) {
  std::vector<const ResultDescriptor*> columns;
  for (const ResultDescriptor& result : group.results)
    if (result.inTable) columns.push_back(&result);
  std::stable_sort(columns.begin(), columns.end(),
                   [](auto* a, auto* b) { return a->tableRank < b->tableRank; });
  return columns;
}

std::string csvHeader(const results::ResultGroup& group, const results::Results& results) {
  const auto columns = columnsOf(group);
  std::string csv;
  for (const ResultDescriptor* column : columns)
    for (const std::string& heading : headings(*column, unitOf(*column, results.tableUnit).name))
      csv += (csv.empty() ? "" : ",") + heading;
  for (const ResultDescriptor* column : columns)
    if (column->error != nullptr) csv += "," + std::string(column->name) + "_expected_error";
  return csv + "\n";
}

// before: cells in front of each row's own.
std::string csvRows(const results::ResultGroup& group,
                    const std::vector<results::ResultRecord>& records,
                    const results::Results& results, const std::string& before = "") {
  const auto columns = columnsOf(group);
  std::string csv;
  for (const results::ResultRecord& record : records) {
    csv += before;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) csv += ',';
      csv += cells(*columns[c], columns[c]->value(record.data.get(), results),
                   unitOf(*columns[c], results.tableUnit).factor);
    }
    for (const ResultDescriptor* column : columns) {
      if (column->error == nullptr) continue;
      const auto error = column->error(record.data.get(), results);
      csv += "," + (error ? csvNumber(error->total) : std::string());
    }
    csv += "\n";
  }
  return csv;
}

// Tables that are in time, or over a period, in the results of the last moment already.
bool isOverTime(const results::ResultGroup& group) {
  return std::any_of(group.results.begin(), group.results.end(), [](const auto& result) {
    return std::string_view(result.name) == "time" || result.moment == results::Moment::Period;
  });
}

// Table of a run, or of the last moment of a series.
void writeTable(const results::ResultGroup& group, const results::Results& results,
                const std::filesystem::path& folder) {
  const std::vector<results::ResultRecord> records = group.records(results);
  if (!records.empty() || group.without == results::WithoutRecords::Everything)
    stage::writeTextAtomically(folder / group.table,
                               csvHeader(group, results) + csvRows(group, records, results));
}

// Selected statistics, one per row.
std::string shearRows(const results::ShearStatistics& s, const std::string& before = "") {
  std::string csv;
  const std::pair<const char*, double> rows[] = {
      {"mean", s.mean}, {"p01", s.p01}, {"p50", s.p50}, {"p99", s.p99}, {"max", s.max}};
  for (const auto& [name, value] : rows) csv += before + name + ("," + csvNumber(value)) + "\n";
  return csv;
}

std::string monitorCsv(const results::Monitor& monitor) {
  std::string csv;
  for (const std::string& column : monitor.columns) csv += (csv.empty() ? "" : ",") + column;
  csv += "\n";
  for (const std::vector<double>& row : monitor.rows) {
    std::string line;
    for (const double value : row) line += "," + csvNumber(value);
    csv += line.substr(1) + "\n";
  }
  return csv;
}

void writeMonitor(const results::Results& results, const std::filesystem::path& folder) {
  if (!results.monitor.rows.empty())
    stage::writeTextAtomically(folder / "monitor.csv", monitorCsv(results.monitor));
}

constexpr const char* shearTable = "wss_percentiles.csv";
constexpr const char* shearHeader = "statistic,wss[Pa]\n";

}  // namespace

void writeTables(const results::Results& results, const std::filesystem::path& folder) {
  for (const results::ResultGroup& group : results::resultGroups())
    if (!group.table.empty()) writeTable(group, results, folder);
  stage::writeTextAtomically(folder / shearTable, shearHeader + shearRows(results.shear));
  writeMonitor(results, folder);
}

void SeriesTables::add(const results::Results& results) {
  const std::string time = csvNumber(results.time) + ",";
  const auto append = [&](std::string_view table, const std::string& header,
                          const std::string& rows) {
    std::string& csv = csv_[std::string(table)];
    if (csv.empty()) csv = "time[s]," + header;
    csv += rows;
  };
  for (const results::ResultGroup& group : results::resultGroups()) {
    if (group.table.empty() || isOverTime(group)) continue;
    const std::vector<results::ResultRecord> records = group.records(results);
    if (!records.empty() || group.without == results::WithoutRecords::Everything)
      append(group.table, csvHeader(group, results), csvRows(group, records, results, time));
  }
  append(shearTable, shearHeader, shearRows(results.shear, time));
}

void SeriesTables::write(const results::Results& last, const std::filesystem::path& folder) const {
  for (const auto& [table, csv] : csv_) stage::writeTextAtomically(folder / table, csv);
  for (const results::ResultGroup& group : results::resultGroups())
    if (!group.table.empty() && isOverTime(group)) writeTable(group, last, folder);
  writeMonitor(last, folder);
}

}  // namespace tessera::postprocess::write
