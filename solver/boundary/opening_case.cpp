// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/opening_case.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "pipelines/stage/error.hpp"
#include "solver/boundary/outflow_split.hpp"

namespace tessera {

const char* nameOf(OpeningKind kind) {
  switch (kind) {
    case OpeningKind::Velocity:
      return "velocity";
    case OpeningKind::FlowRate:
      return "flow-rate";
    case OpeningKind::Pressure:
      return "pressure";
    case OpeningKind::Resistance:
      return "resistance";
    case OpeningKind::Windkessel:
      return "windkessel";
    case OpeningKind::OutflowSplit:
      return "outflow-split";
  }
  return "";
}

namespace {

constexpr double largestValue = 1e30;  // of resistances and compliances, SI

std::string knownOpenings(const TiledGeometry& geometry) {
  std::string list;
  for (const Opening& opening : geometry.openings)
    list += (list.empty() ? "" : ", ") + std::to_string(opening.id) + " (" + opening.name + ")";
  return list.empty() ? "the geometry has no openings" : "the geometry has openings " + list;
}

std::size_t openingIndex(CaseTable& table, const TiledGeometry& geometry) {
  const auto id = table.integer("id", 1, 32767);
  const auto name = table.text("name");
  if (id.has_value() == name.has_value())
    fail(ExitCode::Usage,
         table.where() + ": [[opening]] needs either id or name; " + knownOpenings(geometry));
  const auto found = std::find_if(
      geometry.openings.begin(), geometry.openings.end(),
      [&](const Opening& opening) { return id ? opening.id == *id : opening.name == *name; });
  if (found == geometry.openings.end())
    fail(ExitCode::Usage, table.where() + ": there is no opening " +
                              (id ? std::to_string(*id) : "\"" + *name + "\"") + "; " +
                              knownOpenings(geometry));
  return static_cast<std::size_t>(found - geometry.openings.begin());
}

// One table and where the files it names lie.
struct OpeningTable {
  CaseTable table;
  std::filesystem::path folder;
  const Opening& opening;

  double needed(const char* key, Dimension dimension, const std::string& sentence, double lowest,
                double highest) {
    const auto value = table.quantity(key, dimension, lowest, highest);
    if (!value) fail(ExitCode::Usage, table.where() + ": " + sentence);
    return *value;
  }
};

std::shared_ptr<const Waveform> readSeries(OpeningTable& from, const char* column,
                                           Dimension dimension) {
  CaseTable& table = from.table;
  const auto file = table.text("waveform");
  if (!file) return nullptr;
  WaveformOptions options;
  options.column = table.text("column").value_or(column);
  options.dimension = dimension;
  options.periodic = table.flag("periodic").value_or(false);
  options.period = table.quantity("period", Dimension::Time, 1e-12, 1e9).value_or(0.0);
  if (options.period > 0.0 && !options.periodic)
    fail(ExitCode::Usage, table.where("period") +
                              ": period is that of a series that repeats; "
                              "expected is periodic = true beside it");
  options.uneven = table.flag("uneven").value_or(false);
  const auto word = table.word("interpolation", {"linear", "cubic"})
                        .value_or(options.periodic ? "cubic" : "linear");
  if (word == "cubic" && !options.periodic)
    fail(ExitCode::Usage, table.where("interpolation") +
                              ": interpolation = \"cubic\" is that of a periodic series; expected "
                              "is \"linear\", or periodic = true");
  options.interpolation = word == "cubic" ? Interpolation::Cubic : Interpolation::Linear;
  return std::make_shared<const Waveform>(readWaveform(from.folder / *file, options));
}

// The constant under `key` or the series in time; one of them, in units of the kind.
double readValue(OpeningTable& from, const char* key, const char* column, Dimension dimension,
                 const std::string& sentence, OpeningCondition& condition) {
  CaseTable& table = from.table;
  const auto constant = table.quantity(key, dimension);
  condition.waveform = readSeries(from, column, dimension);
  if (constant.has_value() == (condition.waveform != nullptr))
    fail(ExitCode::Usage,
         table.where(constant ? "waveform" : "") + ": " +
             (constant ? std::string(key) + " and waveform are both given; expected is one of them"
                       : sentence + ", or waveform = \"FILE.csv\""));
  return constant ? *constant : condition.waveform->largest();
}

Profile readProfile(CaseTable& table, const char* otherwise) {
  const auto word =
      table.word("profile", {"plug", "parabolic", "developed", "womersley"}).value_or(otherwise);
  if (word == "plug") return Profile::Plug;
  if (word == "developed") return Profile::Developed;
  return word == "womersley" ? Profile::Womersley : Profile::Parabolic;
}

void readVelocity(OpeningTable& from, bool flowRate, OpeningCondition& condition) {
  condition.kind = flowRate ? OpeningKind::FlowRate : OpeningKind::Velocity;
  condition.profile = readProfile(from.table, "parabolic");
  if (flowRate)
    condition.mean =
        readValue(from, "value", "flow_rate", Dimension::FlowRate,
                  "a flow-rate opening needs value, for instance value = \"3 ml/s\"", condition) /
        from.opening.area;
  else
    condition.mean =
        readValue(from, "mean", "velocity", Dimension::Velocity,
                  "a velocity opening needs mean, for instance mean = \"0.3 m/s\"", condition);
  if (condition.waveform && condition.mean == 0.0)
    fail(ExitCode::Usage, from.table.where("waveform") +
                              ": the series is 0 throughout; expected is one that moves the fluid");
  const bool periodic = condition.waveform && condition.waveform->period > 0.0;
  if (condition.profile == Profile::Womersley && !periodic)
    fail(ExitCode::Usage,
         from.table.where("profile") +
             ": profile = \"womersley\" is that of a flow that repeats; expected are waveform = "
             "\"FILE.csv\" and periodic = true beside it");
}

void readOutlet(OpeningTable& from, bool windkessel, OpeningCondition& condition) {
  CaseTable& table = from.table;
  const auto resistance = [&](const char* key, double lowest) {
    return from.needed(key, Dimension::Resistance,
                       std::string(windkessel ? "a Windkessel needs resistance_proximal, "
                                                "compliance and resistance_distal; missing is "
                                              : "a resistance opening needs ") +
                           key + ", for instance " + key + " = \"1e9 Pa.s/m3\"",
                       lowest, largestValue);
  };
  condition.distal = table.quantity("distal_pressure", Dimension::Pressure).value_or(0.0);
  condition.pressure =
      table.quantity("initial_pressure", Dimension::Pressure).value_or(condition.distal);
  if (!windkessel) {
    condition.kind = OpeningKind::Resistance;
    condition.resistance = resistance("resistance", 0.0);
    return;
  }
  condition.kind = OpeningKind::Windkessel;
  condition.proximal = resistance("resistance_proximal", 0.0);
  condition.compliance =
      from.needed("compliance", Dimension::Compliance,
                  "a Windkessel needs resistance_proximal, compliance and resistance_distal; "
                  "missing is compliance, for instance compliance = \"1e-9 m3/Pa\"",
                  1.0 / largestValue, largestValue);
  condition.resistance = resistance("resistance_distal", 1.0 / largestValue);
}

OpeningCondition readCondition(OpeningTable& from) {
  OpeningCondition condition;
  CaseTable& table = from.table;
  const auto kind = table.word(
      "kind", {"velocity", "flow-rate", "pressure", "resistance", "windkessel", "outflow-split"});
  if (!kind)
    fail(ExitCode::Usage, table.where() +
                              ": [[opening]] needs kind = \"velocity\", \"flow-rate\", "
                              "\"pressure\", \"resistance\", \"windkessel\" or \"outflow-split\"");
  if (*kind == "velocity" || *kind == "flow-rate" || *kind == "pressure")
    condition.zouHe = table.word("scheme", {"link", "zou-he"}).value_or("link") == "zou-he";
  if (*kind == "pressure") {
    condition.pressure =
        readValue(from, "value", "pressure", Dimension::Pressure,
                  "a pressure opening needs value, for instance value = \"0 Pa\"", condition);
  } else if (*kind == "outflow-split") {
    condition.kind = OpeningKind::OutflowSplit;
    condition.profile = readProfile(table, "developed");
    if (condition.profile == Profile::Womersley)
      fail(ExitCode::Usage, table.where("profile") +
                                ": an outflow split follows the inflow; expected is profile = "
                                "\"plug\", \"parabolic\" or \"developed\"");
    condition.fraction = table.quantity("fraction", Dimension::None, 0.0, 1.0).value_or(-1.0);
  } else if (*kind == "resistance" || *kind == "windkessel") {
    readOutlet(from, *kind == "windkessel", condition);
  } else {
    readVelocity(from, *kind == "flow-rate", condition);
  }
  table.rejectUnknown();
  return condition;
}

void checkComplete(const CaseFile& file, const TiledGeometry& geometry,
                   const std::vector<bool>& given, const SolverCase& run) {
  bool anyPressure = geometry.openings.empty();
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (!given[k])
      fail(ExitCode::Usage, file.name() + ": opening " + std::to_string(geometry.openings[k].id) +
                                " (" + geometry.openings[k].name +
                                ") has no condition; add an [[opening]] with its id, and kind = "
                                "\"pressure\" or \"velocity\"");
    anyPressure |= !prescribesVelocity(run.openings[k]);
  }
  if (!anyPressure)
    fail(ExitCode::Usage, file.name() +
                              ": no opening prescribes a pressure, so the pressure has no "
                              "level and the mass no way out; make one a pressure opening");
}

}  // namespace

void readOpenings(const CaseFile& file, const TiledGeometry& geometry, SolverCase& run) {
  std::vector<bool> given(geometry.openings.size(), false);
  run.openings.resize(geometry.openings.size());
  const std::filesystem::path folder = std::filesystem::path(file.name()).parent_path();
  for (CaseTable& table : file.tables("opening")) {
    const std::size_t k = openingIndex(table, geometry);
    if (given[k])
      fail(ExitCode::Usage, table.where() + ": opening " + std::to_string(geometry.openings[k].id) +
                                " has a condition already");
    given[k] = true;
    OpeningTable from{table, folder, geometry.openings[k]};
    run.openings[k] = readCondition(from);
  }
  splitOutflow(file.name(), geometry, run);
  checkComplete(file, geometry, given, run);
}

}  // namespace tessera
