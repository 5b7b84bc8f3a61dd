// SPDX-License-Identifier: GPL-3.0-or-later
// Cross-sections perpendicular to a centreline at even distances.
#pragma once

#include <string>
#include <vector>

#include "postprocess/quantity/centreline.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

// In the middle of equal parts, so that none is at an end. A plane cuts all fluid connected in it,
// in a bifurcation both branches. Stations with their point in the solid are left out. Throws
// StageError(Usage) if all are.
results::Centreline stationsAlong(const Polyline& line, const std::string& name, int stations,
                                  const fields::NodeLookup& lookup,
                                  const solver::file::Fields& fields);

// From the opening with the largest inflow (without flow the largest opening) to each other one
// that the fluid connects with it. Throws StageError(Usage) without two connected openings.
std::vector<results::Centreline> stationsBetween(
    const std::vector<results::OpeningSummary>& openings, int stations,
    const fields::NodeLookup& lookup, const solver::file::Fields& fields);

}  // namespace tessera::postprocess::quantity
