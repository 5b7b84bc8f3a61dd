// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/report/result_tables.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "pipelines/stage/text.hpp"
#include "postprocess/report/markup_pieces.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/results/result_records.hpp"

namespace tessera::postprocess::report {

using picture::WallValues;
using results::OpeningSummary;
using results::OverPeriod;
using results::PageText;
using results::ResultDescriptor;
using results::ResultRecord;
using results::Results;
using results::ResultValue;
using tessera::picture::formatNumber;

namespace {

// Common unit of a column, suited to its largest value; for pressures of a case that states them in
// mmHg these too.
class ColumnUnit {
 public:
  ColumnUnit(const char* unit, double largest, const Results& results)
      : display_(tessera::picture::displayUnit(unit, largest > 0.0 ? largest : 1.0)),
        none_(1e-5 * largest),
        withMmHg_(results.usesMmHg && std::string_view(unit) == "Pa") {}
  // error: markup behind the value.
  [[nodiscard]] std::string shown(double si, int digits = 4, const std::string& error = "") const {
    const double value = std::abs(si) < none_ ? 0.0 : si;
    return text(formatNumber(value * display_.factor, digits) + ' ' + display_.name) + error +
           mmHg(formatNumber(results::inMmHg(value), 3));
  }
  // Components with commas.
  [[nodiscard]] std::string vector(const Double3& si) const {
    Double3 shown = si;
    for (double& component : shown)
      if (std::abs(component) < 10.0 * none_) component = 0.0;  // three digits
    return vectorIn(shown, display_.factor) +
           (display_.name.empty() ? "" : text(' ' + display_.name));
  }
  [[nodiscard]] std::string range(const OverPeriod& of) const {
    return text(formatNumber(of.least * display_.factor, 3) + " \u2026 " +
                formatNumber(of.largest * display_.factor, 3) + ' ' + display_.name) +
           mmHg(formatNumber(results::inMmHg(of.least), 3) + " \u2026 " +
                formatNumber(results::inMmHg(of.largest), 3));
  }

 private:
  // On a line of its own, which keeps columns narrow.
  [[nodiscard]] std::string mmHg(const std::string& number) const {
    return withMmHg_ ? "<br><small>" + text(number) + " mmHg</small>" : "";
  }
  tessera::picture::DisplayUnit display_;
  double none_ = 0.0;  // below the digits of the column's largest value, shown as 0
  bool withMmHg_ = false;
};

double swing(const OverPeriod& of) {
  return std::max(std::abs(of.least), std::abs(of.largest));
}

// Largest magnitude, for the unit of a column.
double magnitudeOf(const ResultValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return std::abs(*real);
  if (const auto* v = std::get_if<Double3>(&value))
    return std::max({std::abs((*v)[0]), std::abs((*v)[1]), std::abs((*v)[2])});
  const auto* course = std::get_if<OverPeriod>(&value);
  return course != nullptr ? swing(*course) : 0.0;
}

// "m2" as "m\u00b2".
std::string raised(std::string unit) {
  for (const auto& [digit, sign] : {std::pair{'2', "\u00b2"}, std::pair{'3', "\u00b3"}})
    if (!unit.empty() && unit.back() == digit) unit = unit.substr(0, unit.size() - 1) + sign;
  return unit;
}

// Cell of a value; unit: of the column, error: markup behind the value.
std::string cellOf(const ResultDescriptor& result, const ResultValue& value, const ColumnUnit& unit,
                   const WallValues* wall, const std::string& error = "") {
  const results::PageCell& page = result.page;
  if (const auto* words = std::get_if<std::string>(&value))
    return words->empty() ? "\u2013" : text(*words);
  if (const auto* v = std::get_if<Double3>(&value))
    return (page.text == PageText::VectorMm ? vectorIn(*v, 1e3) : unit.vector(*v)) + error;
  if (const auto* course = std::get_if<OverPeriod>(&value))
    return unit.shown(course->mean, page.digits, error);
  const auto* whole = std::get_if<std::int64_t>(&value);
  const double number = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
  switch (page.text) {
    case PageText::Number:
      return numberOf(number, page.digits) + error;
    case PageText::Percent:
      return numberOf(100.0 * number, page.digits) + " %" + error;
    case PageText::SiUnit:
      return text(formatNumber(number, page.digits) + ' ' + raised(result.unit)) + error;
    case PageText::SquareMm:
      return numberOf(number * 1e6, page.digits) + error;
    case PageText::WallValues:
      return text(wall->shown(number)) + error;
    default:
      return unit.shown(number, page.digits, error);
  }
}

// Expected error behind a value, after `gap`; empty without one.
std::string errorOf(const ResultDescriptor& result, const void* record, const Results& results,
                    const char* gap) {
  const auto error = result.errorIn(record, results);
  return error ? std::string(gap) + "<small>\u00b1 " + text(results::errorText(*error)) + "</small>"
               : "";
}

bool isKnown(const ResultValue& value) {
  return !std::holds_alternative<std::monostate>(value);
}

std::vector<const ResultDescriptor*> pageResults(const results::ResultGroup& group) {
  std::vector<const ResultDescriptor*> all;
  for (const ResultDescriptor& result : group.results)
    if (result.page.title != nullptr) all.push_back(&result);
  std::stable_sort(all.begin(), all.end(),
                   [](auto* a, auto* b) { return a->page.rank < b->page.rank; });
  return all;
}

ColumnUnit unitOf(const ResultDescriptor& result, const std::vector<ResultRecord>& records,
                  const Results& results) {
  double largest = 0.0;
  for (const ResultRecord& record : records)
    largest = std::max(largest, magnitudeOf(result.value(record.data.get(), results)));
  return {result.unit, result.page.largestFactor * largest, results};
}

// One row per record of a group, one column per result with a title, after the rows' headings.
std::string groupTable(std::string_view id, const std::string& caption, const char* firstTitle,
                       const std::function<std::string(std::size_t)>& heading,
                       const Results& results) {
  const results::ResultGroup& group = results::resultGroup(id);
  const std::vector<ResultRecord> records = group.records(results);
  if (records.empty()) return "";
  Row head{firstTitle};
  std::vector<Row> rows;
  for (std::size_t r = 0; r < records.size(); ++r) rows.push_back({heading(r)});
  for (const ResultDescriptor* result : pageResults(group)) {
    if (std::none_of(records.begin(), records.end(), [&](const ResultRecord& record) {
          return isKnown(result->value(record.data.get(), results));
        }))
      continue;
    const ColumnUnit unit = unitOf(*result, records, results);
    head.emplace_back(result->page.title);
    if (result->page.range != nullptr) head.emplace_back(result->page.range);
    for (std::size_t r = 0; r < records.size(); ++r) {
      const ResultValue value = result->value(records[r].data.get(), results);
      rows[r].push_back(isKnown(value)
                            ? cellOf(*result, value, unit, nullptr,
                                     errorOf(*result, records[r].data.get(), results, "<br>"))
                            : "\u2013");
      if (result->page.range == nullptr) continue;
      const auto* course = std::get_if<OverPeriod>(&value);
      rows[r].push_back(course != nullptr ? unit.range(*course) : "\u2013");
    }
  }
  return table(caption, head, rows);
}

// R (omega / nu)^1/2, J. R. Womersley 1955.
double womersley(const OpeningSummary& opening, const Results& results) {
  return opening.radius *
         std::sqrt(2.0 * std::numbers::pi / (*results.period * results.kinematicViscosity));
}

struct Figure {
  int rank;
  std::string markup;
};

// error: markup behind the value.
Figure figureOf(const ResultDescriptor& result, const ResultValue& value, const std::string& error,
                const Results& results, const std::vector<WallValues>& wall) {
  const std::string placeholder = "{moment}";
  std::string title = result.page.title;
  if (const std::size_t at = title.find(placeholder); at != std::string::npos)
    title.replace(at, placeholder.size(), momentOf(results));
  const ColumnUnit unit(result.unit, magnitudeOf(value), results);
  return {result.page.rank,
          "<div><dt>" + title + "</dt><dd>" +
              cellOf(result, value, unit, wall.empty() ? nullptr : &wall.front(), error) +
              "</dd></div>\n"};
}

}  // namespace

std::string momentOf(const Results& results) {
  if (!results.period) return "";
  return results.cycleFlow ? ", of the last period" : ", at the end of the run";
}

std::string nameOf(const OpeningSummary& opening) {
  const std::string id = fmt::format("{}", opening.id);
  return opening.name.empty() ? "opening " + id
                              : text(opening.name) + " <small>id " + id + "</small>";
}

std::string keyFigures(const Results& results, const std::vector<WallValues>& wall) {
  std::vector<Figure> figures;
  for (const results::ResultGroup& group : results::resultGroups()) {
    if (group.shape != results::GroupShape::One) continue;
    const std::vector<ResultRecord> records = group.records(results);
    if (records.empty()) continue;
    for (const ResultDescriptor* result : pageResults(group)) {
      const ResultValue value = result->value(records[0].data.get(), results);
      const bool isOnWall = result->page.text == PageText::WallValues;
      if (isKnown(value) && !(isOnWall && wall.empty()))
        figures.push_back(figureOf(
            *result, value, errorOf(*result, records[0].data.get(), results, " "), results, wall));
    }
  }
  std::stable_sort(figures.begin(), figures.end(),
                   [](const Figure& a, const Figure& b) { return a.rank < b.rank; });
  std::string out = "<dl class=\"figures\">\n";
  for (const Figure& figure : figures) out += figure.markup;
  return out + "</dl>\n";
}

std::string openingsTable(const Results& results) {
  const std::string rows = groupTable(
      "openings", "Openings", "Opening", [&](std::size_t r) { return nameOf(results.openings[r]); },
      results);
  return rows.empty() ? "" : (results.period ? "<h3>At the end of the run</h3>\n" : "") + rows;
}

namespace {

// "mean a, from b to c, at the end d" of the whole run, below the openings' table.
std::string dropOverPeriod(const Results& results) {
  const results::CycleFlow& cycle = *results.cycleFlow;
  if (!cycle.pressureDrop) return "";
  const ColumnUnit pascals("Pa", swing(*cycle.pressureDrop), results);
  const ColumnUnit flow("m3/s", std::max(std::abs(cycle.inflowMean), cycle.inflowPeak), results);
  std::vector<Row> rows;
  rows.push_back({"Pressure drop, inlets to outlets", pascals.shown(cycle.pressureDrop->mean),
                  pascals.range(*cycle.pressureDrop),
                  results.pressureDrop ? pascals.shown(*results.pressureDrop) : "\u2013"});
  rows.push_back(
      {"Inflow", flow.shown(cycle.inflowMean), "up to " + flow.shown(cycle.inflowPeak), "\u2013"});
  rows.push_back(
      {"Resistance, mean drop over mean inflow",
       numberOf(*cycle.resistance, 4) + " Pa\u00b7s/m\u00b3", "\u2013",
       results.resistance ? numberOf(*results.resistance, 4) + " Pa\u00b7s/m\u00b3" : "\u2013"});
  return table("The whole over the last period",
               {"The whole", "Mean<br><small>over the last period</small>",
                "From \u2026 to<br><small>in the last period</small>", "At the end of the run"},
               rows);
}

}  // namespace

std::string periodTable(const Results& results) {
  if (!results.cycleFlow) return "";
  return "<h3>Over the last period of " + withUnit(results.cycleFlow->period, "s", 3) + "</h3>\n" +
         groupTable(
             "periodOpenings", "Over the last period", "Opening",
             [&](std::size_t r) { return nameOf(results.openings[r]); }, results) +
         dropOverPeriod(results);
}

std::string planesTable(const Results& results) {
  return groupTable(
      "planes", "Planes", "Plane", [&](std::size_t r) { return text(results.planes[r].name); },
      results);
}

namespace {

Row wallRow(const std::string& name, const WallValues& values,
            const results::ShearStatistics& statistics) {
  static const Results none;
  const results::WallStatistics record{statistics};
  Row row{name};
  for (const ResultDescriptor* result : pageResults(results::resultGroup("wall")))
    row.push_back(cellOf(*result, result->value(&record, none), ColumnUnit(result->unit, 0.0, none),
                         &values));
  return row;
}

}  // namespace

std::string wallTable(const std::vector<WallValues>& wall) {
  if (wall.empty()) return "";
  Row head{"On the wall"};
  for (const ResultDescriptor* result : pageResults(results::resultGroup("wall")))
    head.emplace_back(result->page.title);
  std::vector<Row> rows;
  for (const WallValues& w : wall) {
    const std::string moment = w.moment.empty() ? "" : " <small>" + text(w.moment) + "</small>";
    rows.push_back(wallRow(text(w.title) + moment, w, w.statistics));
    if (w.away)
      rows.push_back(
          wallRow("\u2003<small>farther than its radius from every opening</small>", w, *w.away));
  }
  return table("On the wall", head, rows);
}

std::string stokesLayerNote(const Results& results) {
  if (!results.cycle || results.openings.empty()) return "";
  const OpeningSummary* worst = nullptr;
  double error = 0.0;
  for (const OpeningSummary& o : results.openings) {
    const double layer =
        std::numbers::sqrt2 * 0.5 * results::nodesAcross(o, results) / womersley(o, results);
    const double here = std::pow(layer, -3.0);
    if (here > error) worst = &o, error = here;
  }
  if (worst == nullptr) return "";
  return fmt::format(
      "<p><small>The wall shear stress at one moment is extrapolated by a parabola from four "
      "points "
      "inside: its variation over the cycle has an error of about 1/\u03b4\u00b3, with the Stokes "
      "layer \u03b4 = (2\u03bd/\u03c9)<sup>1/2</sup> in nodes; at most {} % ({}). Quantities over "
      "the "
      "cycle come from tractions that the solver summed at the nodes.</small></p>\n",
      numberOf(100.0 * error, 2), nameOf(*worst));
}

std::string forcesTable(const Results& results) {
  return groupTable(
      "forces", "Forces on the walls", "Wall",
      [&](std::size_t r) {
        const results::WallForce& force = results.forces[r];
        return text(force.name) + fmt::format(" <small>label {}</small>", force.label);
      },
      results);
}

}  // namespace tessera::postprocess::report
