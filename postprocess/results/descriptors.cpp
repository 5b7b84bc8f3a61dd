// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/results/descriptors.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "pipelines/stage/text.hpp"
#include "postprocess/results/result_records.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::results {

namespace {

// Record type of each group.
namespace group_records {
#define RESULT_GROUP(group, Record, ...) using group = Record;
#define RESULT(...)
#define RESULT_FUNCTION(...)
#define WALL_STATISTICS(...)
#define WALL_QUANTITY(...)
#include "postprocess/results/descriptors.def"
}  // namespace group_records

#define RESULT_GROUP(group, Record, shape, path, table, without, ...)                      \
  groups.push_back({#group,                                                                \
                    GroupShape::shape,                                                     \
                    path,                                                                  \
                    table,                                                                 \
                    WithoutRecords::without,                                               \
                    []([[maybe_unused]] const Results& run) -> std::vector<ResultRecord> { \
                      return __VA_ARGS__;                                                  \
                    },                                                                     \
                    {}});
#define RESULT(group, resultName, resultUnit, resultShape, resultMoment, result, ...)        \
  groups.back().results.push_back(                                                           \
      {.name = resultName,                                                                   \
       .unit = resultUnit,                                                                   \
       .shape = ResultShape::resultShape,                                                    \
       .moment = Moment::resultMoment,                                                       \
       .value = [](const void* record, [[maybe_unused]] const Results& run) -> ResultValue { \
         const auto& of = *static_cast<const group_records::group*>(record);                 \
         return asValue(result);                                                             \
       } __VA_OPT__(, ) __VA_ARGS__});
#define RESULT_FUNCTION(group, name, unit, moment, function, ...) \
  RESULT(group, name, unit, Number, moment, computedResult(of, name) __VA_OPT__(, ) __VA_ARGS__)
#define STATISTIC(group, name, member, ...) \
  RESULT(group, name, "", Number, AtEnd, of.statistics.member __VA_OPT__(, ) __VA_ARGS__)
#define WALL_STATISTICS(group)                                                                  \
  STATISTIC(group, "mean", mean, .tableRank = 4, .page = {"Mean", 2, PageText::WallValues},     \
            .error = errorOnWall<group_records::group, &ExpectedErrors::shear>)                 \
  STATISTIC(group, "max", max, .tableRank = 99, .page = {"Largest", 6, PageText::WallValues})   \
  STATISTIC(group, "p01", p01,                                                                  \
            .page = {"1st percentile<br><small>of the area</small>", 3, PageText::WallValues})  \
  STATISTIC(group, "p05", p05)                                                                  \
  STATISTIC(group, "p25", p25)                                                                  \
  STATISTIC(group, "p50", p50, .page = {"Median", 4, PageText::WallValues},                     \
            .error = errorOnWall<group_records::group, &ExpectedErrors::shear>)                 \
  STATISTIC(group, "p75", p75)                                                                  \
  STATISTIC(group, "p95", p95,                                                                  \
            .error = errorOnWall<group_records::group, &ExpectedErrors::highShear>)             \
  STATISTIC(group, "p99", p99,                                                                  \
            .page = {"99th percentile<br><small>of the area</small>", 5, PageText::WallValues}, \
            .error = errorOnWall<group_records::group, &ExpectedErrors::highShear>)             \
  RESULT(group, "area", "m2", Number, Always, of.statistics.area, .tableRank = 3,               \
         .page = {"Area<br><small>mm\u00b2</small>", 1, PageText::SquareMm})
#define WALL_QUANTITY(...)

std::vector<ResultGroup> listOfGroups() {
  std::vector<ResultGroup> groups;
#include "postprocess/results/descriptors.def"
  return groups;
}

#define RESULT_GROUP(...)
#define RESULT(...)
#define RESULT_FUNCTION(...)
#define WALL_STATISTICS(...)
#define WALL_QUANTITY(name, unit, moment, inSummary, file, title, caption, remark, look,           \
                      headlines, values, away)                                                     \
  quantities.push_back(                                                                            \
      {name, unit, Moment::moment, inSummary, file, title, caption, remark, WallLook::look,        \
       headlines,                                                                                  \
       []([[maybe_unused]] const WallShear& wall,                                                  \
          [[maybe_unused]] const std::optional<CycleShear>& cycle) -> const std::vector<double>* { \
         return values;                                                                            \
       },                                                                                          \
       []([[maybe_unused]] const Results& run) -> const std::optional<ShearStatistics>* {          \
         return away;                                                                              \
       }});

std::vector<WallQuantity> listOfWallQuantities() {
  std::vector<WallQuantity> quantities;
#include "postprocess/results/descriptors.def"
  return quantities;
}

// "flow_rate_m3_s", "centre_m.x", "flow_rate_m3_s.mean", "principal_direction[0].x".
bool isKey(std::string_view text, std::string_view key) {
  return text.starts_with(key) &&
         (text.size() == key.size() || text[key.size()] == '.' || text[key.size()] == '[');
}

// The same after user-defined names: the key is one of the last two parts of the path.
bool endsInKey(std::string_view text, std::string_view key) {
  const std::size_t last = text.rfind('.');
  if (last == std::string_view::npos) return false;
  if (text.substr(last + 1) == key) return true;
  const std::size_t before = text.substr(0, last).rfind('.');
  return before != std::string_view::npos && isKey(text.substr(before + 1), key);
}

const ResultDescriptor* findIn(const ResultGroup& group, std::string_view rest, bool named) {
  for (const ResultDescriptor& result : group.results)
    if (result.inSummary &&
        (named ? endsInKey(rest, result.summaryKey()) : isKey(rest, result.summaryKey())))
      return &result;
  return nullptr;
}

// In the headlines a course is represented by its mean.
bool isLeading(const ResultDescriptor& result, std::string_view path) {
  return result.shape != ResultShape::Course || path.ends_with(".mean");
}

bool isWord(std::string_view list, std::string_view word) {
  return (" " + std::string(list) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

FoundResult findOnWall(std::string_view path) {
  const ResultGroup& wall = resultGroup("wall");
  const ResultGroup& labels = resultGroup("labels");
  int rank = 9;  // headlines of the wall are adjacent, by quantity
  for (const WallQuantity& quantity : wallQuantities()) {
    ++rank;
    if (!quantity.inSummary) continue;
    const std::string key = keyOf(quantity.name, quantity.unit);
    for (const std::string& start :
         {key, keyOf(std::string(quantity.name) + "_away", quantity.unit)})
      if (path.starts_with(start + "."))
        if (const auto* result = findIn(wall, path.substr(start.size() + 1), false))
          return {result, &wall,
                  result->moment == Moment::Always ? Moment::Always : quantity.moment,
                  start == key && isWord(quantity.headlines, result->name) ? rank : 0};
    const std::string start =
        std::string(labels.path) + "." + headingOf(quantity.name, quantity.unit) + ".";
    if (path.starts_with(start))
      if (const auto* result = findIn(labels, path.substr(start.size() - 1), true))
        return {result, &labels,
                result->moment == Moment::Always ? Moment::Always : quantity.moment, 0};
  }
  return {};
}

}  // namespace

std::string keyOf(std::string_view name, std::string_view unit) {
  std::string key(name);
  if (unit.empty()) return key;
  key += '_';
  for (const char c : unit)
    key += std::isalnum(static_cast<unsigned char>(c)) != 0
               ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
               : '_';
  return key;
}

std::string headingOf(std::string_view name, std::string_view unit) {
  return std::string(name) + (unit.empty() ? "" : "[" + std::string(unit) + "]");
}

std::string ResultDescriptor::summaryKey() const {
  return key != nullptr ? key : keyOf(name, unit);
}

const std::vector<ResultGroup>& resultGroups() {
  static const std::vector<ResultGroup> groups = listOfGroups();
  return groups;
}

const ResultGroup& resultGroup(std::string_view id) {
  const auto& groups = resultGroups();
  return *std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.id == id; });
}

const std::vector<WallQuantity>& wallQuantities() {
  static const std::vector<WallQuantity> quantities = listOfWallQuantities();
  return quantities;
}

std::string pathOf(const ResultGroup& group, const ResultRecord& record,
                   const ResultDescriptor& result, const Results& run) {
  std::string path(group.path);
  if (group.shape == GroupShape::List)
    for (const ResultDescriptor& of : group.results)
      if (std::string_view(of.name) == "id")
        if (const auto value = of.value(record.data.get(), run);
            const auto* id = std::get_if<std::int64_t>(&value))
          path += fmt::format("[{}]", *id);
  for (const std::string& key : record.key) path += (path.empty() ? "" : ".") + key;
  return path + (path.empty() ? "" : ".") + result.summaryKey();
}

std::string errorText(const ExpectedError& error) {
  return stage::percent(std::max(error.total, 1e-4), 2);
}

FoundResult findResult(std::string_view path) {
  if (const FoundResult found = findOnWall(path); found.result != nullptr) return found;
  for (const ResultGroup& group : resultGroups()) {
    if (group.shape == GroupShape::TableOnly) continue;
    const bool named = group.shape != GroupShape::One;
    std::string start(group.path);
    if (!start.empty() || named) start += group.shape == GroupShape::List ? "[" : ".";
    if (!path.starts_with(start)) continue;
    if (const auto* result = findIn(group, path.substr(start.size()), named))
      return {result, &group, result->moment, isLeading(*result, path) ? result->headline : 0};
  }
  return {};
}

}  // namespace tessera::postprocess::results
