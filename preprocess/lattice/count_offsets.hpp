// SPDX-License-Identifier: GPL-3.0-or-later
// How many tiles of 64 nodes cover the fluid, by the offset of their mesh. It lies with the lattice
// since preprocess foretells it too.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::lattice {

constexpr Int3 tileSizeFor(int dimensions) {
  return dimensions == 2 ? Int3{8, 8, 1} : Int3{4, 4, 4};
}

// Tile counts of all offsets, index ox + 4 * (oy + 4 * oz) in 3D (8 * 8 offsets in 2D:
// ox + 8 * oy).
struct OffsetCounts {
  Int3 tileSize{4, 4, 4};
  std::vector<std::uint64_t> tiles;
  [[nodiscard]] Int3 offsetOf(std::size_t index) const {
    const int i = static_cast<int>(index);
    return {i % tileSize[0], i / tileSize[0] % tileSize[1], i / (tileSize[0] * tileSize[1])};
  }
  [[nodiscard]] std::uint64_t at(const Int3& offset) const {
    return tiles[static_cast<std::size_t>(offset[0] +
                                          tileSize[0] * (offset[1] + tileSize[1] * offset[2]))];
  }
  // The fewest tiles; ties: lowest z, then y, then x.
  [[nodiscard]] Int3 best() const;
};

// All 64 in one pass over the bits, parallel.
OffsetCounts countTilesAtAllOffsets(const geometry::BitLattice& fluid, int dimensions);

// What --offset auto takes: the best, except that a periodic axis filled by whole tiles keeps
// offset 0, where the wrap joins tile to tile and a solver needs no copies.
Int3 chooseOffset(const OffsetCounts& counts, const Int3& nodes,
                  const std::array<bool, 3>& periodic);
inline Int3 chooseOffset(const OffsetCounts& counts, const geometry::LatticeGeometry& geometry) {
  return chooseOffset(counts, geometry.fluid.size, geometry.periodic);
}

}  // namespace tessera::preprocess::lattice
