// SPDX-License-Identifier: GPL-3.0-or-later
// Flow through the openings: the solver's values, joined with the geometry's, and derived results.
#pragma once

#include <optional>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// Sorted by id, with values on a plane two to four nodes inside each opening, its flow rate as a
// check.
std::vector<results::OpeningSummary> openingSummaries(const fields::NodeLookup& lookup,
                                                      const solver::file::Fields& fields);

// |sum of flow rates| / largest; 0 without flow.
double massResidual(const std::vector<results::OpeningSummary>& openings);

// Area-weighted mean pressure of the inlets minus the flow-weighted mean of the outlets, Pa.
// nullopt unless both exist.
std::optional<double> pressureDrop(const std::vector<results::OpeningSummary>& openings);

// Pressure drop over the flow rate of all inlets, Pa.s/m3. nullopt without pressure drop.
std::optional<double> resistance(const std::vector<results::OpeningSummary>& openings);

}  // namespace tessera::postprocess::quantity
