// SPDX-License-Identifier: GPL-3.0-or-later
// Outlets whose pressure follows from their flow rate: from the case to lattice units.
#pragma once

#include "solver/domain/domain.hpp"
#include "solver/units.hpp"

namespace tessera {

// Fills in outlets, their links in chunks and where they begin. domain.links and domain.driven are
// there. longest: side of the geometry, nodes.
void setOutlets(const SolverCase& run, const Scales& scales, int longest, Domain& domain);

}  // namespace tessera
