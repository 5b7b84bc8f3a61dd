// SPDX-License-Identifier: GPL-3.0-or-later
// Which voxels of an image are fluid.
#pragma once

#include "preprocess/lattice/bit_lattice.hpp"
#include "preprocess/read/image.hpp"

namespace tessera {

// One voxel is one node: those whose value lies in [low, high] are fluid; what is not a number is
// solid. Parallel, at memory speed.
BitLattice fluidOf(const Image& image, double low, double high);

}  // namespace tessera
