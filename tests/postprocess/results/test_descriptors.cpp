// SPDX-License-Identifier: GPL-3.0-or-later
// The list of results: every descriptor is in summary, tables, console and report, and nothing
// else.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "postprocess/picture/wall_picture.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/report/result_tables.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/write/write.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::postprocess::picture;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::report;
using namespace tessera::postprocess::results;
using namespace tessera::postprocess::write;
using namespace tessera::test;

namespace {

bool isKnown(const ResultValue& value) {
  return !std::holds_alternative<std::monostate>(value);
}

// A steady run with all optional results.
Results steadyRun() {
  const AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  Request request;
  request.planes.push_back({"middle", pipe.middle, pipe.spec.direction});
  request.reference = ForceReference{{}, 0.1, 1e-6, {1.0, 0.0, 0.0}, Double3{0.0, 1.0, 0.0}};
  Results results = computeResults(pipe.fields, pipe.geometry, request);
  results.centrelines.push_back({"1-2", 1e-3, {Station{1e-4, {1, 2, 3}, {0, 0, 1}, 2e-3}}});
  results.lines.push_back({"axis", {LinePoint{0.0, {}, {}, 0.0, true}, LinePoint{}}});
  results.permeability = Permeability{};
  results.permeability->value = 1e-12;
  results.permeability->medium = true;
  results.velocityHistogram = {{-0.05, 0.1, 1.0}, {1.15, 0.9, 9.0}};
  results.layers = {{1e-3, 0.4, 3.0, 2.0, 1e-6}, {2e-3, 0.4, 2.0, 0.0, 1e-6}};
  results.permeabilityTensor = PermeabilityTensor{};
  results.forchheimer = Forchheimer{};
  results.forchheimer->runs.push_back({"fast", 1.0, 1e-12});
  results.shearAway = results.shear;
  results.forces.at(0).exchanged = results.forces.at(0).exchangedTorque = Double3{1.0, 2.0, 3.0};
  results.coefficientSeries = {{0.1, 3.0, 0.5}};
  results.series = {{"run.0001.fields", 5, 0.1, {1.0}, {2.0}, 3.0, 0.1, results.shear}};
  results.coefficientCourse = CoefficientCourse{0.1, 0.9, 2, 0.4, 0.2, {}, CourseOfCoefficient{}};
  return results;
}

Results pulsatileRun() {
  Results results = steadyRun();
  results.period = 1.0;
  results.cycle = CycleShear{results.wall.triangleShear, results.wall.triangleShear,
                             results.wall.triangleShear};
  results.tawssAway = results.shear;
  CycleFlow cycle;
  cycle.period = 1.0;
  for (const OpeningSummary& opening : results.openings)
    cycle.openings.push_back({opening.id, opening.name, {}, {}, 1.0, 2.0});
  cycle.pressureDrop = OverPeriod{1.0, 0.5, 1.5};
  cycle.resistance = 2.0;
  cycle.massResidual = 1e-6;
  results.cycleFlow = cycle;
  return results;
}

bool isCourse(const nlohmann::json& value) {
  return value.is_object() && value.size() == 3 && value.contains("least");
}

// Paths of all values of a summary, as tessera-compare names them.
void collect(const nlohmann::json& value, const std::string& path, std::set<std::string>& found) {
  const bool isList = value.is_array() && !value.empty() && value[0].is_object();
  if (isList)
    for (const auto& entry : value)
      collect(entry,
              path + "[" +
                  (entry.contains("id") ? entry["id"].dump() : entry["name"].get<std::string>()) +
                  "]",
              found);
  else if (value.is_object() && !isCourse(value))
    for (const auto& [key, entry] : value.items())
      collect(entry, path.empty() ? key : path + "." + key, found);
  else
    found.insert(path);
}

// The same from the descriptors.
std::set<std::string> expectedPaths(const Results& results) {
  std::set<std::string> expected{"schema_version", "warnings"};
  for (const ResultGroup& group : resultGroups()) {
    if (group.shape == GroupShape::TableOnly) continue;
    for (const ResultRecord& record : group.records(results)) {
      std::string start(group.path);
      for (const std::string& key : record.key) start += (start.empty() ? "" : ".") + key;
      if (group.shape == GroupShape::List) {
        const auto value = group.results.front().value(record.data.get(), results);
        const auto* id = std::get_if<std::int64_t>(&value);
        start += "[" + (id ? std::to_string(*id) : std::get<std::string>(value)) + "]";
      }
      for (const ResultDescriptor& result : group.results)
        if (result.inSummary && isKnown(result.value(record.data.get(), results)))
          expected.insert((start.empty() ? "" : start + ".") + result.summaryKey());
    }
  }
  return expected;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

// Descriptors of groups of one record that the run has and that are shown somewhere.
template <class Shown>
std::vector<const ResultDescriptor*> shownOf(const Results& results, Shown shown) {
  std::vector<const ResultDescriptor*> all;
  for (const ResultGroup& group : resultGroups()) {
    if (group.shape != GroupShape::One) continue;
    for (const ResultRecord& record : group.records(results))
      for (const ResultDescriptor& result : group.results)
        if (shown(result) && isKnown(result.value(record.data.get(), results)))
          all.push_back(&result);
  }
  return all;
}

// Lines of the console between the tables and the names of the files.
std::vector<std::string> consoleLines(const Results& results) {
  const std::string text = tableForPeople(results, "out");
  const std::size_t end = text.find("\n\nreport    ");
  const std::size_t start = text.rfind("\n\n", end - 1) + 2;
  std::istringstream stream(text.substr(start, end - start));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    if (!line.starts_with("over the last period of") && line != "at the end of the run")
      lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("Descriptors: summary.json holds every result that a run has, and no other", "[unit]") {
  const Results results = GENERATE(0, 1) == 0 ? steadyRun() : pulsatileRun();
  nlohmann::json summary = nlohmann::json::parse(summaryJson(results));
  summary.erase("provenance");
  const nlohmann::json errors = summary.at("expected_error");
  const nlohmann::json kept = summary.at("expected_error_kept");
  summary.erase("expected_error");
  summary.erase("expected_error_kept");
  std::set<std::string> found;
  collect(summary, "", found);
  for (const auto& [path, error] : errors.items()) {
    INFO(path);
    CHECK(found.contains(path));
    CHECK(error.get<double>() > 0.0);
    CHECK(kept.at(path).get<double>() <= error.get<double>());
  }
  for (const char* path : {"openings[1].flow_rate_m3_s", "pressure_drop_pa", "wss_pa.mean",
                           "wss_pa.p95", "forces_n.wall.total"})
    CHECK(errors.contains(path));
  CHECK(found == expectedPaths(results));
  for (const std::string& path : found)
    if (path != "schema_version" && path != "warnings") {
      INFO(path);
      CHECK(findResult(path).result != nullptr);
    }
}

TEST_CASE("Descriptors: tables have a column per result, and no other", "[unit]") {
  const Results results = pulsatileRun();
  const TemporaryFolder folder;
  writeTables(results, folder.path());
  std::set<std::string> files{"wss_percentiles.csv"}, found;
  for (const ResultGroup& group : resultGroups()) {
    if (group.table.empty()) continue;
    files.emplace(group.table);
    std::ifstream file(folder / std::string(group.table));
    std::string head, row;
    std::getline(file, head);
    std::getline(file, row);
    std::size_t columns = 0;
    for (const ResultDescriptor& result : group.results) {
      if (!result.inTable) continue;
      columns += result.shape == ResultShape::Number ? 1 : 3;
      columns += result.error != nullptr ? 1 : 0;
      INFO(group.table << ": " << result.name);
      CHECK(
          ("," + head)
              .find(std::string(",") + (result.column != nullptr ? result.column : result.name)) !=
          std::string::npos);
    }
    CHECK(count(head, ",") + 1 == columns);
    CHECK(count(row, ",") + 1 == columns);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    found.insert(entry.path().filename().string());
  CHECK(found == files);
}

TEST_CASE("Descriptors: the console has a line per result with a title, and no other", "[unit]") {
  const bool isPulsatile = GENERATE(0, 1) == 1;
  const Results results = isPulsatile ? pulsatileRun() : steadyRun();
  const std::vector<std::string> lines = consoleLines(results);
  const auto shown = shownOf(results, [&](const ResultDescriptor& result) {
    return result.console.title != nullptr && (isPulsatile || result.moment != Moment::Period);
  });
  for (const ResultDescriptor* result : shown) {
    const std::string start =
        (result->moment == Moment::Period ? "  " : "") + std::string(result->console.title) + " ";
    INFO(start);
    CHECK(std::any_of(lines.begin(), lines.end(),
                      [&](const std::string& line) { return line.starts_with(start); }));
  }
  // The last line names the sources of the expected errors.
  REQUIRE(lines.size() == shown.size() + 1);
  CHECK(lines.back().starts_with("errors +- are expected ones: "));
  const std::string text = tableForPeople(results, "out");
  for (const char* id : {"openings", "planes"})
    for (const ResultDescriptor& result : resultGroup(id).results)
      if (result.console.title != nullptr)
        CHECK(text.find(result.console.title) != std::string::npos);
  CHECK(text.find("mmHg") == std::string::npos);  // the case does not use it
}

TEST_CASE("Descriptors: the report has a figure or a column per result with a title, and no other",
          "[unit]") {
  const Results results = GENERATE(0, 1) == 0 ? steadyRun() : pulsatileRun();
  const std::vector<WallValues> wall = wallValues(results);
  const std::string figures = keyFigures(results, wall);
  const auto shown =
      shownOf(results, [](const ResultDescriptor& r) { return r.page.title != nullptr; });
  CHECK(count(figures, "<dt>") == shown.size());
  for (const ResultDescriptor* result : shown) {
    const std::string title = result->page.title;
    INFO(title);
    CHECK(figures.find("<dt>" + title.substr(0, title.find('{'))) != std::string::npos);
  }
  const std::string periodColumns =
      periodTable(results).substr(0, periodTable(results).find("</table>"));
  const std::vector<std::pair<const char*, std::string>> tables{
      {"openings", openingsTable(results)},
      {"planes", planesTable(results)},
      {"wall", wallTable(wall)},
      {"forces", forcesTable(results)},
      {"periodOpenings", periodColumns}};
  for (const auto& [id, markup] : tables) {
    if (markup.empty()) continue;
    std::size_t columns = 1;
    const auto records = resultGroup(id).records(results);
    for (const ResultDescriptor& result : resultGroup(id).results) {
      if (result.page.title == nullptr) continue;
      // Without a column for what no record has.
      if (std::none_of(records.begin(), records.end(), [&](const ResultRecord& record) {
            return isKnown(result.value(record.data.get(), results));
          }))
        continue;
      columns += result.page.range != nullptr ? 2 : 1;
      INFO(id << ": " << result.page.title);
      CHECK(markup.find("<th scope=\"col\">" + std::string(result.page.title) + "</th>") !=
            std::string::npos);
    }
    CHECK(count(markup, "<th scope=\"col\">") == columns);
  }
}

TEST_CASE(
    "Descriptors: a result of the last moment is recognised by its path, whatever the user's names",
    "[unit]") {
  const auto momentOfPath = [](const char* path) {
    INFO(path);
    const FoundResult found = findResult(path);
    CHECK(found.result != nullptr);
    return found.moment;
  };
  for (const char* path :
       {"openings[1].flow_rate_m3_s", "planes[a].b].peak_velocity_m_s", "run.velocity_max_m_s",
        "wss_pa.mean", "wss_away_pa.p99", "by_wall_label.wss[Pa].my.wall.p50",
        "forces_n.my.wall.total.x", "darcy.mean_velocity_m_s.z", "mass_residual",
        "permeability_tensor.principal_direction[0].x", "forchheimer.runs[fast.1].pore_reynolds"})
    CHECK(momentOfPath(path) == Moment::AtEnd);
  for (const char* path : {"openings[1].area_m2", "openings[1].centre_m.x", "wss_pa.area_m2",
                           "by_wall_label.wss[Pa].wall.area_m2", "darcy.porosity",
                           "centrelines[1-2].radius_m.0", "run.nodes.x", "moments_about_m.x"})
    CHECK(momentOfPath(path) == Moment::Always);
  for (const char* path :
       {"pressure_drop_pa", "tawss_pa.mean", "osi.p99",
        "over_last_period.openings[1].flow_rate_m3_s.mean", "by_wall_label.tawss[Pa].wall.mean"})
    CHECK(momentOfPath(path) == Moment::Period);
  CHECK(findResult("provenance.program").result == nullptr);
}

TEST_CASE("Descriptors: a comparison begins with the headlines", "[unit]") {
  int last = 0;
  for (const char* path :
       {"run.spacing_m", "permeability_m2", "pressure_drop_pa", "mass_residual",
        "run.velocity_max_m_s", "wss_pa.p50", "tawss_pa.mean", "osi.mean",
        "openings[1].flow_rate_m3_s", "over_last_period.openings[1].pressure_pa.mean",
        "forces_n.wall.total.y"}) {
    INFO(path);
    const int rank = findResult(path).headline;
    CHECK(rank > last);
    last = rank;
  }
  for (const char* path :
       {"over_last_period.openings[1].pressure_pa.least", "tawss_pa.p99", "wss_pa.p25",
        "wss_away_pa.mean", "by_wall_label.wss[Pa].wall.mean", "openings[1].area_m2"})
    CHECK(findResult(path).headline == 0);
}

TEST_CASE("Descriptors: keys and headings are made of name and unit", "[unit]") {
  CHECK(keyOf("resistance", "Pa.s/m3") == "resistance_pa_s_m3");
  CHECK(keyOf("relative_residence_time", "1/Pa") == "relative_residence_time_1_pa");
  CHECK(keyOf("reynolds", "") == "reynolds");
  CHECK(headingOf("flow_rate", "m3/s") == "flow_rate[m3/s]");
}
