// SPDX-License-Identifier: GPL-3.0-or-later
// Darcy's law over the whole box: k = mu U / G, with the superficial velocity U (the mean over
// solid and fluid) and the driving force per volume G.
#pragma once

#include <optional>

#include "postprocess/node_lookup.hpp"
#include "postprocess/results.hpp"
#include "solver/fields_file.hpp"

namespace tessera {

// Applies to fluids of constant viscosity in two cases, otherwise nullopt: a body force along
// periodic axes in a geometry without openings; an image whose only two openings are opposite faces
// of the box, driven by their pressure difference (and the body force along it).
std::optional<Permeability> permeability(const NodeLookup& lookup, const Fields& fields,
                                         const std::vector<OpeningSummary>& openings);

}  // namespace tessera
