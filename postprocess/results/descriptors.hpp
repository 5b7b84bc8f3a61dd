// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptors of the results of a run, from the list descriptors.def; summary, tables, console,
// report and comparison are written from them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::results {

// Moment of a result. A comparison names results of a pulsatile run's last moment "at_end.NAME", so
// that they are not compared with those of a steady run or with means.
enum class Moment {
  Always,      // geometry, settings
  AtEnd,       // last moment of the run
  Period,      // last period or cycle of a pulsatile run
  AtEndByName  // last moment of a pulsatile run; the name says so
};

// Columns of a table: one; _x _y _z; _mean _least _largest.
enum class ResultShape { Number, Vector, Course };

// monostate: the run does not have the result.
using ResultValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Int3, Double3, OverPeriod,
                 std::vector<double>, std::vector<std::string>, std::array<Double3, 3>>;

// Line or column of the console.
struct ConsoleCell {
  const char* title = nullptr;               // null: not on the console
  int rank = 50;                             // order
  int width = 14;                            // of a line; negative: from the left
  const char* format = nullptr;              // libfmt; null: with a convenient unit
  std::string (*note)(const Results&) = {};  // text after the value
};

// Number of the report; "{moment}" in a title is replaced by the moment of a pulsatile run
// (of the last period where there is one; not for results AtEnd of such runs).
enum class PageText {
  Unit,       // with a convenient unit, in a table that of the column
  Number,     // without a unit
  Percent,    // a part of one
  SiUnit,     // with its SI unit
  SquareMm,   // m2 as mm2, the unit is in the title
  VectorMm,   // components in mm, the unit is in the title
  VectorSi,   // components in the unit of the column
  WallValues  // with the unit of the wall's values
};
struct PageCell {
  const char* title = nullptr;  // markup; null: not in the report
  int rank = 50;                // order
  PageText text = PageText::Unit;
  int digits = 4;
  const char* range = nullptr;  // of a course: title of a second column, least to largest
  double largestFactor = 1.0;   // the column's unit suits this multiple of its largest value
};

struct ResultDescriptor {
  const char* name = "";  // "flow_rate"
  const char* unit = "";  // SI, "m3/s"; empty: a plain number
  ResultShape shape = ResultShape::Number;
  Moment moment = Moment::Always;
  ResultValue (*value)(const void* record, const Results& run) = nullptr;
  const char* key = nullptr;     // in the summary; null: name and unit, "flow_rate_m3_s"
  const char* column = nullptr;  // in the table; null: name, as in "flow_rate[m3/s]"
  bool inSummary = true;
  bool inTable = true;
  int tableRank = 50;  // order of the columns
  ConsoleCell console{};
  PageCell page{};
  int headline = 0;  // order among the first lines of a comparison; 0: none
  std::optional<ExpectedError> (*error)(const void* record, const Results& run) = nullptr;

  [[nodiscard]] std::string summaryKey() const;
  [[nodiscard]] std::optional<ExpectedError> errorIn(const void* record, const Results& run) const {
    return error != nullptr ? error(record, run) : std::nullopt;
  }
};

// Entry of a group: its path in the summary below the group's.
struct ResultRecord {
  std::vector<std::string> key;
  std::shared_ptr<const void> data;
};

enum class GroupShape {
  One,       // object in the summary; lines of the console, figures of the report
  List,      // array of objects
  Map,       // objects by name
  TableOnly  // not in the summary
};

// Output of a group without records: nothing; an empty array or object; that and an empty table.
enum class WithoutRecords { Nothing, Summary, Everything };

struct ResultGroup {
  std::string_view id;
  GroupShape shape = GroupShape::One;
  std::string_view path;   // in the summary, with '.' between keys; empty: at the top
  std::string_view table;  // file name; empty: none
  WithoutRecords without = WithoutRecords::Nothing;
  std::vector<ResultRecord> (*records)(const Results&) = nullptr;
  std::vector<ResultDescriptor> results;
};

// In the order of the summary.
const std::vector<ResultGroup>& resultGroups();
const ResultGroup& resultGroup(std::string_view id);

// Record of the group "wall".
struct WallStatistics {
  ShearStatistics statistics;
  std::string quantity = {};  // as WallQuantity's name
};

// A value of every triangle of the wall. Pressure is in pictures and report only.
enum class WallLook { Percentiles, PercentilesNarrow, FromZero };  // scale of its picture
struct WallQuantity {
  const char* name = "";
  const char* unit = "";
  Moment moment = Moment::AtEnd;
  bool inSummary = true;  // with statistics by area, of the whole wall and by label
  const char* file = "";  // key of its picture: wall_FILE.png
  const char* title = "";
  const char* caption = "";
  const char* remark = "";
  WallLook look = WallLook::Percentiles;
  const char* headlines = "";  // statistics among the first lines of a comparison
  const std::vector<double>* (*values)(const WallShear&,
                                       const std::optional<CycleShear>&) = nullptr;
  const std::optional<ShearStatistics>* (*away)(const Results&) = nullptr;
};
const std::vector<WallQuantity>& wallQuantities();

// Path of a result in the summary, as tessera-compare names it: "openings[1].flow_rate_m3_s".
std::string pathOf(const ResultGroup& group, const ResultRecord& record,
                   const ResultDescriptor& result, const Results& run);

// Expected error of a number for people: "0.52 %".
std::string errorText(const ExpectedError& error);

// "flow_rate", "m3/s": "flow_rate_m3_s", "flow_rate[m3/s]".
std::string keyOf(std::string_view name, std::string_view unit);
std::string headingOf(std::string_view name, std::string_view unit);

// Descriptor of a number of the summary by its path: "openings[1].flow_rate_m3_s",
// "forces_n.wall.total.x", "wss_pa.p99". Null members if unknown.
struct FoundResult {
  const ResultDescriptor* result = nullptr;
  const ResultGroup* group = nullptr;
  Moment moment = Moment::Always;
  int headline = 0;
};
FoundResult findResult(std::string_view path);

// Largest Reynolds number of the openings; for a pulsatile run at the peaks of the last period.
double largestReynolds(const Results& results);
// Largest velocity in m/s; for a pulsatile run in the last period if known.
double largestVelocity(const Results& results);
// Diameter of the circle of the opening's area, in 2D its width, in nodes.
double nodesAcross(const OpeningSummary& opening, const Results& results);

}  // namespace tessera::postprocess::results
