// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a run as HTML.
#pragma once

#include <string>
#include <vector>

#include "postprocess/picture/wall_values.hpp"
#include "postprocess/results.hpp"

namespace tessera {

// The few that a reader looks for first.
std::string keyFigures(const Results& results, const std::vector<WallValues>& wall);
std::string openingsTable(const Results& results);
// Flow rate and pressure of each opening over the last period with its Womersley number; nothing
// for a run without a period.
std::string periodTable(const Results& results);
std::string planesTable(const Results& results);
// Percentiles by area of everything known on the wall.
std::string wallTable(const std::vector<WallValues>& wall);
// How far the straight line to the wall is off in pulsating flow; nothing for a run without a
// cycle.
std::string straightLineNote(const Results& results);
std::string forcesTable(const Results& results);

// Of the openings; of pulsatile runs at the peaks of the last period where those are known.
double largestReynolds(const Results& results);
// m/s, anywhere; of pulsatile runs in the last period where that is known.
double largestVelocity(const Results& results);
// ", of the last period" or ", at the end of the run": of which moment these two are in a pulsatile
// run.
std::string momentOf(const Results& results);
// Diameter of the circle of the opening's area, in nodes.
double nodesAcross(const OpeningSummary& opening, const Results& results);
// Name and id, as markup.
std::string nameOf(const OpeningSummary& opening);

}  // namespace tessera
