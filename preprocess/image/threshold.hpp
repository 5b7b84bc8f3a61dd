// SPDX-License-Identifier: GPL-3.0-or-later
// Which voxels of an image are fluid.
#pragma once

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::image {

// One voxel is one node: those whose value lies in [low, high] are fluid; what is not a number is
// solid. Parallel, at memory speed.
geometry::BitLattice fluidOf(const read::Image& image, double low, double high);

}  // namespace tessera::preprocess::image
