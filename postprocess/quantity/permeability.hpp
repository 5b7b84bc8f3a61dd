// SPDX-License-Identifier: GPL-3.0-or-later
// Darcy's law over the whole box: k = mu U / G, with the superficial velocity U (the mean over
// solid and fluid) and the driving force per volume G.
#pragma once

#include <optional>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/fields/node_sums.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

// Applies to fluids of constant viscosity in two cases, otherwise nullopt: a body force along
// periodic axes in a geometry without openings; an image whose only two openings are opposite faces
// of the box, driven by their pressure difference (and the body force along it). Tortuosity is
// mean |u| over mean u along the force (Duda, Koza & Matyka 2011); a run is called
// inertial where the Reynolds number on sqrt(k) is above 0.1, as Forchheimer's term then counts.
std::optional<results::Permeability> permeability(
    const fields::NodeLookup& lookup, const solver::file::Fields& fields,
    const fields::NodeSums& sums, const std::vector<results::OpeningSummary>& openings);

// Says in results.warnings that nothing passes along the driven direction, so that what stands as
// the permeability is what rounding and a flow not quite at rest leave; and sets `blocked`. Known
// from the geometry's report, where there is one, and from the flow: fluid that moves more than ten
// times as much as it gets on, or against the force. To be called once the report is there.
void warnAboutBlocked(results::Results& results, const preprocess::geometry::Frame& frame);

}  // namespace tessera::postprocess::quantity
