// SPDX-License-Identifier: GPL-3.0-or-later
// How many nodes wide the narrowest place is on the widest way from an opening to another.
#pragma once

#include <optional>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::lattice {

struct ThinnestChannel {
  int nodes = 0;         // across
  bool atLeast = false;  // the search ended there: it is no narrower
  int opening = 0;       // the one it cuts off, the lowest id
};

// Takes layers off the walls (6, 18, 6, 26 neighbours in turn, so that slanted walls lose about as
// much as others; openings are no walls) until an opening has no way left to another, and at most
// 16 layers, a width of 33: so a wide vessel costs 16 walks over its runs of nodes along x, a
// narrow one few. Exact for square channels along the axes; round and slanted ones come out
// at most 2 nodes or 15 % off, mostly too narrow. Absent where
// no opening leads to another.
std::optional<ThinnestChannel> findThinnestChannel(const geometry::BitLattice& fluid,
                                                   const std::array<bool, 3>& periodic,
                                                   const geometry::BoundaryNodes& boundary);

}  // namespace tessera::preprocess::lattice
