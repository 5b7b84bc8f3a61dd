// SPDX-License-Identifier: GPL-3.0-or-later
// Cross-sections square to a centreline, at even distances: what passes each.
#pragma once

#include <string>
#include <vector>

#include "postprocess/quantity/centreline.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

// In the middles of as many equal parts, so that none lies on an end. A plane cuts whatever fluid
// is connected in it, in a bifurcation both branches. Stations with their point in the solid are
// left out. Throws StageError(Usage) when all are.
results::Centreline stationsAlong(const Polyline& line, const std::string& name, int stations,
                                  const fields::NodeLookup& lookup,
                                  const solver::file::Fields& fields);

// From the opening that takes in most (without flow the largest) to each of the others that the
// fluid connects with it. Throws StageError(Usage) for a geometry without two connected openings.
std::vector<results::Centreline> stationsBetween(
    const std::vector<results::OpeningSummary>& openings, int stations,
    const fields::NodeLookup& lookup, const solver::file::Fields& fields);

}  // namespace tessera::postprocess::quantity
