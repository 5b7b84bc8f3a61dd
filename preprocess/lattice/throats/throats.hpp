// SPDX-License-Identifier: GPL-3.0-or-later
// Throats: narrowest cross-sections between the openings of a geometry.
#pragma once

#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::lattice {

// By ascending area, at most one less than there are openings, each a plane section that separates
// some openings from all others; none where parallel paths go round it, on periodic axes, or for
// more than 64 openings. Requires fluid, links, openings and, for exact areas, the surface.
//
// Method: the openings are joined over cells in the order of falling distance to the wall
// (Kruskal's algorithm gives the widest path between any two); the cell that joins two groups of
// openings lies in the throat between them. The plane through it is tilted and moved to the
// smallest section of the fluid.
std::vector<geometry::Throat> findThroats(const geometry::LatticeGeometry& geometry);

}  // namespace tessera::preprocess::lattice
