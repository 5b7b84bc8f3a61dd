// SPDX-License-Identifier: GPL-3.0-or-later
// Sides of an image's box as walls with names of their own: lids, plates, planes of symmetry.
#pragma once

#include <vector>

#include "preprocess/lattice/links/links.hpp"
#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

// Gives the geometry the names, in the order they are given, after "wall"; sides of one name are
// one wall. Throws StageError(Usage) for a side without fluid.
std::vector<lattice::WallFace> nameSides(geometry::LatticeGeometry& geometry,
                                         const std::vector<SideWall>& sides);

}  // namespace tessera::preprocess
