// SPDX-License-Identifier: GPL-3.0-or-later
// Links of openings that prescribe a velocity or flow rate: the profile, in the opening's own
// plane, scaled so that exactly the flow rate asked for crosses the links.
#pragma once

#include "solver/boundary/profiles.hpp"
#include "solver/domain/domain.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/units.hpp"

namespace tessera {

// Sets value, speedSquared and basis of the links of velocity openings, and Domain::basis.
// domain.links belong to order.openingLinks one by one. Throws StageError(Usage) for an opening
// that no link crosses, or that is no circle where Womersley's profile needs one.
void setVelocityLinks(const TileOrder& order, const TiledGeometry& geometry, const SolverCase& run,
                      const LatticeRun& lattice, const LatticeInfo& info, Domain& domain);

}  // namespace tessera
