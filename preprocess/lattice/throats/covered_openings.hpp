// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets so close to an opening that no node lies between them.
#pragma once

#include <vector>

#include "preprocess/lattice/throats/found_throat.hpp"

namespace tessera::preprocess::lattice {

// Throats of openings that sheets at most a spacing before them cover by 2 % or more, but not
// whole: the area that they leave of the opening, seen along its normal, by rasterised triangles
// (200 cells across the opening). Other openings of the same part lie on the other side.
std::vector<FoundThroat> throatsOfCovered(const geometry::LatticeGeometry& geometry);

}  // namespace tessera::preprocess::lattice
