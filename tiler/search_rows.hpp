// SPDX-License-Identifier: GPL-3.0-or-later
// --placement rows: the offsets of layers and rows of tiles that need the fewest tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "tiler/tile_mesh.hpp"

namespace tessera::tiler {

struct RowSearch {
  TileMesh mesh;
  std::uint64_t tiles = 0;
};

// The fewest tiles of one order of axes (see RowOffsets). Exact: rows do not touch each other's
// counts, so each row, then each layer, then the layers together take their best. Ties: the lowest
// offset. 3D only.
RowSearch searchRows(const preprocess::geometry::BitLattice& fluid, const std::array<int, 3>& axes);

// Of all six orders. Ties: the highest axis of the layers, then the highest across them.
RowSearch searchRows(const preprocess::geometry::BitLattice& fluid);

}  // namespace tessera::tiler
