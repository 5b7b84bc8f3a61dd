// SPDX-License-Identifier: GPL-3.0-or-later
// Width in nodes of the widest path between openings at its narrowest cross-section.
#pragma once

#include <optional>
#include <span>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::lattice {

struct ThinnestChannel {
  int nodes = 0;         // across
  bool atLeast = false;  // lower bound: the search ended there
  int opening = 0;       // id of the first opening cut off
};

// Erodes the fluid (6, 18, 6, 26 neighbours in turn, which approximates a ball; openings are not
// walls) until an opening has no path to another, for at most 16 layers (a width of 33). Exact for
// square channels along the axes; round and slanted ones are at most 2 nodes or 15 % off, mostly
// underestimated. Absent if no opening has a path to another. cuts: links between fluid nodes that
// are walls.
std::optional<ThinnestChannel> findThinnestChannel(const geometry::BitLattice& fluid,
                                                   const std::array<bool, 3>& periodic,
                                                   const geometry::BoundaryNodes& boundary,
                                                   std::span<const CutNode> cuts = {});

}  // namespace tessera::preprocess::lattice
