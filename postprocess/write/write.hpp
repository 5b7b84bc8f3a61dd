// SPDX-License-Identifier: GPL-3.0-or-later
// Output of the results: summary.json, tables, console.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::write {

// summary.json and --report: the contract's keys with a schema version. SI units; numbers parse to
// the same double.
std::string summaryJson(const results::Results& results);

// Tidy CSV tables: one observation per row, units in the header (lengths and areas by
// Results::tableUnit), "." as decimal point in every
// locale, numbers that parse to the same double. openings.csv, wss_percentiles.csv,
// wall_statistics.csv, forces.csv; planes.csv, stations.csv and lines.csv on request; monitor.csv
// if the run recorded one. Throws StageError(OutputFailed).
void writeTables(const results::Results& results, const std::filesystem::path& folder);

// The same tables of several fields of a run: rows of each moment with its "time[s]" in front.
// Those over a period, and the monitor, are of the last.
class SeriesTables {
 public:
  void add(const results::Results& results);
  void write(const results::Results& last, const std::filesystem::path& folder) const;

 private:
  std::map<std::string, std::string> csv_;  // by file name
};

// Console table: openings, pressure drop, wall shear, paths of the files and a suggested next step.
// target: the folder as named by the user.
std::string tableForPeople(const results::Results& results, const std::filesystem::path& target);

}  // namespace tessera::postprocess::write
