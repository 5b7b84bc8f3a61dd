// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes of a lattice as one 64-bit word per tile.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "tiler/tile_mesh.hpp"

namespace tessera::tiler {

struct MaskedTile {
  Int3 at{0, 0, 0};        // grid position
  std::uint64_t mask = 0;  // non-solid nodes, bit = local node; not 0
};

// The non-empty tiles in row-major order (x fastest, then y, z).
std::vector<MaskedTile> tileMasks(const preprocess::geometry::BitLattice& fluid,
                                  const TileMesh& mesh);

}  // namespace tessera::tiler
