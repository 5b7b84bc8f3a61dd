// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles that need no masks: all of their nodes are fluid and none has a link to a wall.
#pragma once

#include <cstdint>

#include "preprocess/geometry/bit_lattice.hpp"

namespace tessera::preprocess::plan {

// Bit n: direction n is a velocity of D3Q19, in 2D of D2Q9.
std::uint32_t velocityMask(int dimensions);

void removeNode(geometry::BitLattice& lattice, const Int3& node);

// Tiles at this offset of the tiling all of whose nodes are set. Parallel.
std::uint64_t countFullTiles(const geometry::BitLattice& lattice, const Int3& tileSize,
                             const Int3& offset);

}  // namespace tessera::preprocess::plan
