// SPDX-License-Identifier: GPL-3.0-or-later
// Input of a comparison: the named numbers of a run's summary.json, and its monitor.csv.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::compare {

// A number of summary.json. Its name is its path, with the unit as everywhere in that file:
// "wss_pa.mean", "openings[1].flow_rate_m3_s" (by id or name), "forces_n.wall.total.x". In
// pulsatile runs those of Moment::AtEnd are named "at_end.NAME".
struct Scalar {
  std::string name;
  double value = 0.0;
  double scale = 0.0;  // reference for differences: |value|, or the length of its vector
  // Expected error by resolution and the part that refinement does not reduce, in the value's unit;
  // absent: the run does not state one.
  std::optional<double> expectedByResolution = {};
  std::optional<double> expectedToStay = {};
};

struct RunSummary {
  std::string name;  // name of the folder without .out
  std::string hash;  // hash of summary.json
  std::string schemaVersion;
  double spacing = 0.0;  // m
  bool pulsatile = false;
  std::optional<double> phase;  // last moment within its period, 0 to 1; pulsatile runs
  std::vector<Scalar> scalars;  // in the file's order
  std::vector<std::pair<std::string, std::string>> settings;  // words of "run", e.g. variant
  results::Monitor monitor;                                   // empty without monitor.csv
};

// folder: a result folder, or the summary.json in it. Lists of more than nine numbers, null and
// descriptive entries (provenance, warnings) are skipped. Throws StageError(BadInput).
RunSummary readRunSummary(const std::filesystem::path& folder);

// Columns and rows of a CSV of numbers with a header. Throws StageError(BadInput) with the line.
results::Monitor readMonitorCsv(const std::filesystem::path& path);

}  // namespace tessera::postprocess::compare
