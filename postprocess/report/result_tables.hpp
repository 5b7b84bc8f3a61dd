// SPDX-License-Identifier: GPL-3.0-or-later
// Results of a run as HTML, from their descriptors.
#pragma once

#include <string>
#include <vector>

#include "postprocess/picture/wall_values.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::report {

// Results of groups of one record with a title for the report.
std::string keyFigures(const results::Results& results,
                       const std::vector<picture::WallValues>& wall);
std::string openingsTable(const results::Results& results);
// Flow rate and pressure of each opening over the last period with its Womersley number; nothing
// for a run without a period.
std::string periodTable(const results::Results& results);
std::string planesTable(const results::Results& results);
// Percentiles by area of everything known on the wall.
std::string wallTable(const std::vector<picture::WallValues>& wall);
// How far the straight line to the wall is off in pulsating flow; nothing for a run without a
// cycle.
std::string straightLineNote(const results::Results& results);
std::string forcesTable(const results::Results& results);

// Time that the largest velocity and Reynolds number of a pulsatile run belong to: ", of the last
// period" or ", at the end of the run"; empty for a steady run.
std::string momentOf(const results::Results& results);
// Name and id, as markup.
std::string nameOf(const results::OpeningSummary& opening);

}  // namespace tessera::postprocess::report
