// SPDX-License-Identifier: GPL-3.0-or-later
// Throats: narrowest cross-sections between the openings of a geometry.
#pragma once

#include <span>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::lattice {

// By ascending area, at most one less than there are openings, each a plane section that separates
// some openings from all others; none where parallel paths go round it, on periodic axes, or for
// more than 64 openings. Requires fluid, links, openings and, for exact areas, the surface. cuts:
// cutNodesOf() the geometry.
//
// The narrowest place of the widest path between two groups of openings (widest_paths.hpp) lies in
// the throat between them; a plane there is tilted and moved to the section of least area
// (least_section.hpp).
std::vector<geometry::Throat> findThroats(const geometry::LatticeGeometry& geometry,
                                          std::span<const CutNode> cuts = {});

}  // namespace tessera::preprocess::lattice
