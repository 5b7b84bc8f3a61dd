// SPDX-License-Identifier: GPL-3.0-or-later
// Algorithm 1 of Tomczak & Szafran 2017 with the placement that wastes least: cover the non-solid
// nodes with tiles, carry links, surface and openings over to tile order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/lattice/lattice_geometry.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera {

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
  // The fewest tiles; ties: lowest z, then y, then x.
  [[nodiscard]] Int3 best() const;
};

// All 64 in one pass over the bits, parallel.
OffsetCounts countTilesAtAllOffsets(const BitLattice& fluid, int dimensions);

// What --offset auto takes: the best, except that a periodic axis filled by whole tiles keeps
// offset 0, where the wrap joins tile to tile and a solver needs no copies.
Int3 chooseOffset(const OffsetCounts& counts, const LatticeGeometry& geometry);

// Throws StageError: (Usage) when the offset is outside a tile, (BadInput) when no node is fluid.
void requireTileable(const LatticeGeometry& geometry, const Int3& offset);

// Covers the geometry after requireTileable(). offset: solid layers before node 0. The geometry's
// arrays that do not change (surface) are moved over.
TiledGeometry coverWithTiles(LatticeGeometry geometry, const Int3& offset);
// The same by any mesh over the geometry's nodes, such as that of searchRows().
TiledGeometry coverByMesh(LatticeGeometry geometry, const TileMesh& mesh);

}  // namespace tessera
