// SPDX-License-Identifier: GPL-3.0-or-later
// What goes in and out: the solver's figures by opening, joined with the geometry's, and what
// follows from them.
#pragma once

#include <optional>
#include <vector>

#include "postprocess/node_lookup.hpp"
#include "postprocess/results.hpp"
#include "solver/fields_file.hpp"

namespace tessera {

// By id; with what passes a plane two to four nodes inside each opening, its flow rate as a check.
std::vector<OpeningSummary> openingSummaries(const NodeLookup& lookup, const Fields& fields);

// |sum of flow rates| / largest; 0 without flow.
double massResidual(const std::vector<OpeningSummary>& openings);

// Area-weighted mean pressure of the inlets (flow rate into the fluid) minus the flow-weighted
// mean of the outlets, Pa. nullopt unless there are both.
std::optional<double> pressureDrop(const std::vector<OpeningSummary>& openings);

// Pressure drop over the flow rate of all inlets, Pa.s/m3. nullopt where there is no pressure drop.
std::optional<double> resistance(const std::vector<OpeningSummary>& openings);

}  // namespace tessera
