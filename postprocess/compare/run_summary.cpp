// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/compare/run_summary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/report_file.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/results/descriptors.hpp"

namespace tessera::postprocess::compare {

using stage::ExitCode;
using stage::fail;
using stage::Json;

namespace {

namespace fs = std::filesystem;

constexpr int deepest = 16;
constexpr std::size_t mostInList = 9;

std::string textOfResults(const fs::path& path, const std::string& advice) {
  constexpr std::uintmax_t mebibytes = 256;
  return stage::boundedText(path, mebibytes, "result of tessera-postprocess", advice);
}

// Name of a pulsatile run's result in a comparison.
std::string nameInPulsatileRun(const std::string& name) {
  return results::findResult(name).moment == results::Moment::AtEnd ? "at_end." + name : name;
}

bool isListOfNumbers(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& e) { return e.is_number(); });
}

// Relative errors of a summary, by the paths of its numbers.
class StatedErrors {
 public:
  explicit StatedErrors(const Json& summary) {
    for (const auto& [of, key] :
         {std::pair{&total_, "expected_error"}, {&kept_, "expected_error_kept"}})
      if (const auto list = summary.find(key); list != summary.end() && list->is_object())
        for (const auto& [path, value] : list->items())
          if (value.is_number()) (*of)[path] = value.get<double>();
  }
  // Those of a number; a component has its vector's, a mean its course's.
  void addTo(const std::string& path, Scalar& scalar) const {
    auto total = total_.find(path);
    if (total == total_.end()) total = total_.find(path.substr(0, path.rfind('.')));
    if (total == total_.end()) return;
    const auto kept = kept_.find(total->first);
    const double stays = kept != kept_.end() ? kept->second : 0.0;
    scalar.expectedByResolution = std::max(total->second - stays, 0.0) * scalar.scale;
    scalar.expectedToStay = stays * scalar.scale;
  }

 private:
  std::map<std::string, double> total_, kept_;
};

class Flattener {
 public:
  Flattener(fs::path file, bool pulsatile, StatedErrors errors, std::vector<Scalar>& out)
      : file_(std::move(file)), pulsatile_(pulsatile), errors_(std::move(errors)), out_(out) {}

  void add(const Json& value, const std::string& name, int depth) {
    if (depth > deepest) reject("is nested more than 16 deep at " + name);
    if (value.is_number()) {
      put(name, value.get<double>(), std::abs(value.get<double>()));
    } else if (isListOfNumbers(value)) {
      addVector(value, name);
    } else if (value.is_object()) {
      for (const auto& [key, entry] : value.items())
        if (key != "id" && key != "label")
          add(entry, name.empty() ? key : name + "." + key, depth + 1);
    } else if (value.is_array()) {
      addList(value, name, depth);
    }
  }

 private:
  [[noreturn]] void reject(const std::string& what) const {
    fail(ExitCode::BadInput,
         fmt::format("{} {}; expected a summary.json of tessera-postprocess: make it again",
                     file_.string(), what));
  }

  void put(const std::string& name, double value, double scale) {
    if (!std::isfinite(value)) return;
    if (!names_.insert(name).second) reject("has two entries called " + name);
    out_.push_back({pulsatile_ ? nameInPulsatileRun(name) : name, value, scale});
    errors_.addTo(name, out_.back());
  }

  void addVector(const Json& list, const std::string& name) {
    if (list.size() > mostInList) return;
    double square = 0.0;
    for (const Json& e : list) square += e.get<double>() * e.get<double>();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string part = list.size() <= 3 ? std::string(1, "xyz"[i]) : fmt::format("{}", i);
      put(name + "." + part, list[i].get<double>(), std::sqrt(square));
    }
  }

  // Entries are identified by id or name, so that they match those of another run.
  void addList(const Json& list, const std::string& name, int depth) {
    std::size_t index = 0;
    for (const Json& entry : list) {
      std::string key = fmt::format("{}", index++);
      if (entry.is_object() && entry.contains("id") && entry["id"].is_number_integer())
        key = entry["id"].dump();
      else if (entry.is_object() && entry.contains("name") && entry["name"].is_string())
        key = entry["name"].get<std::string>();
      add(entry, name + "[" + key + "]", depth + 1);
    }
  }

  fs::path file_;
  bool pulsatile_;
  StatedErrors errors_;
  std::vector<Scalar>& out_;
  std::set<std::string> names_;
};

Json parseSummary(const fs::path& path, const std::string& text) {
  Json json;
  try {
    json = stage::parseJson(text);
  } catch (const Json::exception& error) {
    fail(ExitCode::BadInput,
         fmt::format("{} is not JSON ({}); make it again with tessera-postprocess", path.string(),
                     error.what()));
  }
  const bool isRun = json.is_object() && json.contains("run") && json["run"].is_object() &&
                     json.contains("schema_version") &&
                     json["schema_version"].is_number_integer() &&
                     json["run"].contains("spacing_m") && json["run"]["spacing_m"].is_number();
  if (!isRun)
    fail(ExitCode::BadInput,
         fmt::format("{} is not the summary of one run (no run.spacing_m); expected that of "
                     "tessera-postprocess: name a run's folder",
                     path.string()));
  return json;
}

// Without a whole period in the monitor these are of the last moment and also in the summary as
// pressure_drop_at_end_pa and resistance_at_end_pa_s_m3.
bool isAtEndTwice(const Json& summary, const std::string& key) {
  const auto of = summary.find("pressure_drop_of");
  return of != summary.end() && *of == "end of the run" &&
         (key == "pressure_drop_pa" || key == "resistance_pa_s_m3");
}

void readCourse(const Json& summary, RunSummary& run) {
  const Json& of = summary["run"];
  run.pulsatile = of.contains("period_s") || summary.contains("pressure_drop_of");
  const auto number = [&](const char* key) {
    return of.contains(key) && of[key].is_number() ? of[key].get<double>() : 0.0;
  };
  const double period = number("period_s"), time = number("time_s");
  if (period > 0.0 && time >= 0.0) run.phase = std::fmod(time, period) / period;
}

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

}  // namespace

results::Monitor readMonitorCsv(const fs::path& path) {
  const std::string text = textOfResults(path, "name a folder of tessera-postprocess");
  results::Monitor monitor;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::vector<std::string> cells = cellsOf(text.substr(begin, end - begin));
    begin = end + 1;
    if (++number == 1) {
      monitor.columns = cells;
      continue;
    }
    std::vector<double> row;
    for (const std::string& cell : cells) {
      double value = 0.0;
      const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      if (error == std::errc{} && stop == cell.data() + cell.size()) row.push_back(value);
    }
    if (row.size() != monitor.columns.size() || cells.size() != row.size())
      fail(ExitCode::BadInput,
           fmt::format("{}:{} has {} numbers; expected {} as in the header: make it again with "
                       "tessera-postprocess",
                       path.string(), number, row.size(), monitor.columns.size()));
    monitor.rows.push_back(std::move(row));
  }
  return monitor;
}

RunSummary readRunSummary(const fs::path& folder) {
  const fs::path file = fs::is_directory(folder) ? folder / "summary.json" : folder;
  const std::string text = textOfResults(file, "name the folder that tessera-postprocess made");
  const Json json = parseSummary(file, text);
  RunSummary run;
  const fs::path home = fs::weakly_canonical(fs::absolute(file)).parent_path().filename();
  run.name = home.extension() == ".out" ? home.stem().string() : home.string();
  run.schemaVersion = json["schema_version"].dump();
  run.hash = stage::hashBytes(text.data(), text.size());
  run.spacing = json["run"]["spacing_m"].get<double>();
  if (!(run.spacing > 0.0) || !std::isfinite(run.spacing))
    fail(ExitCode::BadInput,
         fmt::format("{} has run.spacing_m {}; expected a length above 0: make it again",
                     file.string(), json["run"]["spacing_m"].dump()));
  readCourse(json, run);
  Flattener flattener(file, run.pulsatile, StatedErrors(json), run.scalars);
  for (const auto& [key, value] : json.items())
    if (key != "schema_version" && key != "provenance" && key != "warnings" &&
        !key.starts_with("expected_error") && !isAtEndTwice(json, key))
      flattener.add(value, key, 0);
  for (const auto& [key, value] : json["run"].items())
    if (value.is_string() && key != "fields" && key != "tiles_file")
      run.settings.emplace_back(key, value.get<std::string>());
  const fs::path monitor = file.parent_path() / "monitor.csv";
  if (fs::exists(monitor)) run.monitor = readMonitorCsv(monitor);
  return run;
}

}  // namespace tessera::postprocess::compare
