// SPDX-License-Identifier: GPL-3.0-or-later
// --placement rows: the shifted tiling with the fewest tiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "tiler/tile_mesh.hpp"

namespace tessera::tiler {

struct RowSearch {
  TileMesh mesh;
  std::uint64_t tiles = 0;
};

// Fewest tiles for one order of axes (see RowOffsets). Exact, because rows do not affect each
// other's counts: each row, then each layer, then all layers together take their best offset. Ties:
// the lowest offset. 3D only.
RowSearch searchRows(const preprocess::geometry::BitLattice& fluid, const std::array<int, 3>& axes);

// Fewest tiles over all six orders of axes. Ties: the highest axis of the layers, then the highest
// across them.
RowSearch searchRows(const preprocess::geometry::BitLattice& fluid);

}  // namespace tessera::tiler
