// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison reads of a run: the numbers of its summary.json, by name, and its monitor.csv.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::compare {

// A number of summary.json. Its name is its path: "wss_pa.mean", "openings[1].flow_rate_m3_s" (by
// id or name), "forces_n.wall.total.x"; the unit is in the name, as everywhere in that file. In
// pulsatile runs those of Moment::AtEnd are called "at_end.NAME".
struct Scalar {
  std::string name;
  double value = 0.0;
  double scale =
      0.0;  // what a difference is small or large beside: |value|, of a vector its length
};

struct RunSummary {
  std::string name;  // of the folder, without .out
  std::string hash;  // of summary.json
  std::int64_t schemaVersion = 0;
  double spacing = 0.0;  // m
  bool pulsatile = false;
  std::optional<double> phase;  // of pulsatile runs: where in its period the last moment is, 0 to 1
  std::vector<Scalar> scalars;  // in the file's order
  std::vector<std::pair<std::string, std::string>> settings;  // words of "run", e.g. variant
  results::Monitor monitor;                                   // empty when there is no monitor.csv
};

// folder: a folder of results, or the summary.json in it. Lists of more than nine numbers, null
// and what only describes (provenance, warnings) are passed over. Throws StageError(BadInput).
RunSummary readRunSummary(const std::filesystem::path& folder);

// The columns and rows of a CSV of numbers with a header. Throws StageError(BadInput) with the
// line.
results::Monitor readMonitorCsv(const std::filesystem::path& path);

}  // namespace tessera::postprocess::compare
