// SPDX-License-Identifier: GPL-3.0-or-later
// Algorithm 1 of Tomczak & Szafran 2017 with the placement that wastes least: cover the non-solid
// nodes with tiles, carry links, surface and openings over to tile order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/lattice/count_offsets.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

// Throws StageError: (Usage) when the offset is outside a tile, (BadInput) when no node is fluid.
void requireTileable(const preprocess::geometry::LatticeGeometry& geometry, const Int3& offset);

// Throws StageError(BadInput) for more tiles than the signed 32-bit indices of a .tiles file hold.
// To be asked of a count, before the tiles are made.
void requireIndexable(std::uint64_t tiles);

// Covers the geometry after requireTileable(). offset: solid layers before node 0. The geometry's
// arrays that do not change (surface) are moved over.
TiledGeometry coverWithTiles(preprocess::geometry::LatticeGeometry geometry, const Int3& offset);
// The same by any mesh over the geometry's nodes, such as that of searchRows().
TiledGeometry coverByMesh(preprocess::geometry::LatticeGeometry geometry, const TileMesh& mesh);

}  // namespace tessera::tiler
