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

// A vector and a course take three columns.
std::vector<std::string> headings(const ResultDescriptor& result) {
  const std::string name = result.column != nullptr ? result.column : result.name;
  if (result.shape == results::ResultShape::Number) return {results::headingOf(name, result.unit)};
  std::vector<std::string> all;
  for (const char* part :
       result.shape == results::ResultShape::Vector ? partsOfVector : partsOfCourse)
    all.push_back(results::headingOf(name.empty() ? part : name + "_" + part, result.unit));
  return all;
}

std::string cells(const ResultDescriptor& result, const results::ResultValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return results::csvField(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return csvNumber(*real);
  if (const auto* v = std::get_if<Double3>(&value))
    return csvNumber((*v)[0]) + "," + csvNumber((*v)[1]) + "," + csvNumber((*v)[2]);
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

std::string tableOf(const results::ResultGroup& group,
                    const std::vector<results::ResultRecord>& records,
                    const results::Results& results) {
  const auto columns = columnsOf(group);
  std::string csv;
  for (const ResultDescriptor* column : columns)
    for (const std::string& heading : headings(*column)) csv += (csv.empty() ? "" : ",") + heading;
  for (const ResultDescriptor* column : columns)
    if (column->error != nullptr) csv += "," + std::string(column->name) + "_expected_error";
  csv += "\n";
  for (const results::ResultRecord& record : records) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) csv += ',';
      csv += cells(*columns[c], columns[c]->value(record.data.get(), results));
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

// Selected statistics, one per row.
std::string shearCsv(const results::ShearStatistics& s) {
  std::string csv = "statistic,wss[Pa]\n";
  const std::pair<const char*, double> rows[] = {
      {"mean", s.mean}, {"p01", s.p01}, {"p50", s.p50}, {"p99", s.p99}, {"max", s.max}};
  for (const auto& [name, value] : rows) csv += name + ("," + csvNumber(value)) + "\n";
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

}  // namespace

void writeTables(const results::Results& results, const std::filesystem::path& folder) {
  for (const results::ResultGroup& group : results::resultGroups()) {
    if (group.table.empty()) continue;
    const std::vector<results::ResultRecord> records = group.records(results);
    if (!records.empty() || group.without == results::WithoutRecords::Everything)
      stage::writeTextAtomically(folder / group.table, tableOf(group, records, results));
  }
  stage::writeTextAtomically(folder / "wss_percentiles.csv", shearCsv(results.shear));
  if (!results.monitor.rows.empty())
    stage::writeTextAtomically(folder / "monitor.csv", monitorCsv(results.monitor));
}

}  // namespace tessera::postprocess::write
