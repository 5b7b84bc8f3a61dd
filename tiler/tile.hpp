// SPDX-License-Identifier: GPL-3.0-or-later
// Algorithm 1 of Tomczak & Szafran 2017 at the offset with the fewest tiles: covers the non-solid
// nodes with tiles, converts links, surface and openings to tile order.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/lattice/count_offsets.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

// Throws StageError: (Usage) if the offset is outside a tile, (BadInput) if no node is fluid.
void requireTileable(const preprocess::geometry::LatticeGeometry& geometry, const Int3& offset);

// Throws StageError(BadInput) for more tiles than the signed 32-bit indices of a .tiles file allow;
// for a count, before the tiles are made.
void requireIndexable(std::uint64_t tiles);

// Covers the geometry after requireTileable(). offset: solid layers before node 0. Unchanged arrays
// of the geometry (surface) are moved.
TiledGeometry coverWithTiles(preprocess::geometry::LatticeGeometry geometry, const Int3& offset);
// The same for any mesh, such as that of searchRows().
TiledGeometry coverByMesh(preprocess::geometry::LatticeGeometry geometry, const TileMesh& mesh);

}  // namespace tessera::tiler
