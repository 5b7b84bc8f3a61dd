// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write/write.hpp"

#include <algorithm>

#include "pipelines/stage/io/json.hpp"
#include "postprocess/results/descriptors.hpp"

namespace tessera::postprocess::write {

using results::ResultGroup;
using results::ResultRecord;
using results::Results;
using stage::Json;

namespace {

constexpr int schemaVersion = 1;

// Create objects and arrays explicitly: where [] and push_back convert a null value and memory is
// short, nlohmann's JSON 3.11 leaves an object without content whose destructor ends the program.

Json geometryReportJson(const results::GeometryReport& of) {
  Json json{{"file", of.name}, {"verdict", of.verdict.empty() ? Json(nullptr) : Json(of.verdict)}};
  json["repairs"] = Json::object();
  for (const auto& [name, count] : of.repairs) json["repairs"][name] = count;
  json["warnings"] = of.warnings;
  return json;
}

Json courseJson(const results::OverPeriod& of) {
  return {{"mean", of.mean}, {"least", of.least}, {"largest", of.largest}};
}

Json valueJson(const results::ResultValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, std::monostate>)
          return nullptr;
        else if constexpr (std::is_same_v<V, results::OverPeriod>)
          return courseJson(v);
        else
          return v;
      },
      value);
}

// Object or array of that name, created if absent.
Json& child(Json& parent, const std::string& key, const Json& empty) {
  if (!parent.contains(key)) parent[key] = empty;
  return parent[key];
}

// Object at a path such as "over_last_period.inflow_m3_s".
Json& objectAt(Json& root, std::string_view path) {
  Json* object = &root;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    object = &child(*object, std::string(path.substr(0, end)), Json::object());
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return *object;
}

// Absent results are absent keys.
Json recordJson(const ResultGroup& group, const ResultRecord& record, const Results& results) {
  Json json = Json::object();
  for (const results::ResultDescriptor& result : group.results) {
    if (!result.inSummary) continue;
    const results::ResultValue value = result.value(record.data.get(), results);
    if (!std::holds_alternative<std::monostate>(value))
      json[result.summaryKey()] = valueJson(value);
  }
  return json;
}

void putList(Json& root, const ResultGroup& group, const std::vector<ResultRecord>& records,
             const Results& results) {
  if (records.empty() && group.without == results::WithoutRecords::Nothing) return;
  const std::size_t dot = group.path.rfind('.');
  const bool nested = dot != std::string_view::npos;
  Json& parent = nested ? objectAt(root, group.path.substr(0, dot)) : root;
  Json& list =
      child(parent, std::string(nested ? group.path.substr(dot + 1) : group.path), Json::array());
  for (const ResultRecord& record : records) list.push_back(recordJson(group, record, results));
}

void putObjects(Json& root, const ResultGroup& group, const std::vector<ResultRecord>& records,
                const Results& results) {
  if (group.without != results::WithoutRecords::Nothing) objectAt(root, group.path);
  for (const ResultRecord& record : records) {
    const Json values = recordJson(group, record, results);
    if (values.empty()) continue;
    Json* object = &objectAt(root, group.path);
    for (const std::string& key : record.key) object = &child(*object, key, Json::object());
    for (const auto& [key, value] : values.items()) (*object)[key] = value;
  }
}

// Relative errors by the paths of the numbers in this file; total, or the part that a finer spacing
// does not reduce.
Json errorsJson(const Results& results, double results::ExpectedError::*part) {
  Json json = Json::object();
  for (const ResultGroup& group : results::resultGroups())
    for (const ResultRecord& record : group.shape == results::GroupShape::TableOnly
                                          ? std::vector<ResultRecord>()
                                          : group.records(results))
      for (const results::ResultDescriptor& result : group.results) {
        const auto error = result.errorIn(record.data.get(), results);
        if (!result.inSummary || !error) continue;
        if (std::holds_alternative<std::monostate>(result.value(record.data.get(), results)))
          continue;
        json[results::pathOf(group, record, result, results)] = (*error).*part;
      }
  return json;
}

}  // namespace

std::string summaryJson(const Results& results) {
  Json json{{"schema_version", schemaVersion}};
  for (const ResultGroup& group : results::resultGroups()) {
    if (group.shape == results::GroupShape::TableOnly) continue;
    const std::vector<ResultRecord> records = group.records(results);
    if (group.shape == results::GroupShape::List)
      putList(json, group, records, results);
    else
      putObjects(json, group, records, results);
  }
  if (results.geometryReport) json["geometry_report"] = geometryReportJson(*results.geometryReport);
  if (!results.recovered.empty()) json["run"]["recovered"] = results.recovered;
  json["expected_error"] = errorsJson(results, &results::ExpectedError::total);
  json["expected_error_kept"] = errorsJson(results, &results::ExpectedError::kept);
  json["warnings"] = results.warnings;
  json["provenance"] = stage::parseJson(results.provenance.toJson());
  return stage::jsonText(json, 1) + "\n";
}

}  // namespace tessera::postprocess::write
