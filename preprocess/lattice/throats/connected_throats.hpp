// SPDX-License-Identifier: GPL-3.0-or-later
// Throats of a geometry whose openings are all connected.
#pragma once

#include "preprocess/lattice/throats/throats.hpp"

namespace tessera::preprocess::lattice {

// As searchThroats(), of which it is the search. Other fluid would be taken for connected where it
// lies closer than a cell.
ThroatSearch searchConnected(const geometry::LatticeGeometry& geometry,
                             std::span<const CutNode> cuts);

}  // namespace tessera::preprocess::lattice
