// SPDX-License-Identifier: GPL-3.0-or-later
// Openings that ask for the scheme of Zou & He: whether they can have it, and where the populations
// of their nodes arrive from.
#pragma once

#include "solver/domain/domain.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/solver_case.hpp"

namespace tessera {

// Lattice positions of the nodes of order.openingLinks, one by one.
std::vector<Int3> nodesOfLinks(const TileOrder& order, const TiledGeometry& geometry);

// Sets condition and axis of the links concerned, and Domain::sources. domain.links, copies, rows
// and masks are there. Throws StageError(Usage) for an opening that does not lie across an axis, on
// one plane of nodes, or that meets another opening, and for tiles in rows.
void setZouHeLinks(const TileOrder& order, const TiledGeometry& geometry, const SolverCase& run,
                   const LatticeInfo& info, Domain& domain);

}  // namespace tessera
