// SPDX-License-Identifier: GPL-3.0-or-later
// Result tables of the report as HTML, from the descriptors.
#pragma once

#include <string>
#include <vector>

#include "postprocess/picture/wall_picture.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::report {

// Key figures: results of single-record groups with a title for the report.
std::string keyFigures(const results::Results& results,
                       const std::vector<picture::WallValues>& wall);
std::string openingsTable(const results::Results& results);
// Flow rate and pressure of each opening over the last period with its Womersley number; empty
// without a period.
std::string periodTable(const results::Results& results);
std::string planesTable(const results::Results& results);
// Percentiles by area of all quantities on the wall.
std::string wallTable(const std::vector<picture::WallValues>& wall);
// Error of the extrapolation to the wall in pulsating flow; empty without a cycle.
std::string stokesLayerNote(const results::Results& results);
std::string forcesTable(const results::Results& results);

// Moment of the largest velocity and Reynolds number of a pulsatile run: ", of the last period" or
// ", at the end of the run"; empty for a steady run.
std::string momentOf(const results::Results& results);
// Name and id of an opening as markup.
std::string nameOf(const results::OpeningSummary& opening);

}  // namespace tessera::postprocess::report
