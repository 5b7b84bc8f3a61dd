// SPDX-License-Identifier: GPL-3.0-or-later
// Tidy CSV: one row an observation, units in the header, "." as the decimal in every locale,
// enough digits to read back the same double.
#pragma once

#include <filesystem>
#include <string>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::write {

// openings.csv, wss_percentiles.csv, wall_statistics.csv, forces.csv; planes.csv, stations.csv and
// lines.csv (when they were asked for) and monitor.csv (when the run recorded one). Throws
// StageError(OutputFailed).
void writeTables(const results::Results& results, const std::filesystem::path& folder);

// The table for people: openings, pressure drop, wall shear, warnings, where the files are and
// what to try next. target: the folder as the user named it.
std::string tableForPeople(const results::Results& results, const std::filesystem::path& target);

}  // namespace tessera::postprocess::write
