// SPDX-License-Identifier: GPL-3.0-or-later
// Partition: each rank owns a range of tiles along a space-filling curve, of equal cost and
// compact.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/frame.hpp"
#include "tiler/file/part_of_tiles.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::tiles {

// Space-filling curve through a box of any sides: Hilbert's on cubes of 2^n, generalised as by
// Cerveny (gilbert, github.com/jakubcerveny/gilbert, 2018). A box is cut into two, three or five
// boxes, as cubic as possible, each beginning next to the end of the one before.

// Index of a cell (0 .. size - 1 on each axis) along a curve that visits each cell once. Odd sides
// above 1 count as one longer, so indices may be skipped; consecutive cells of the longer box share
// a face. In 2D one side is 1.
std::uint64_t curveIndex(const Int3& size, const Int3& cell);

// Cost model of a step, in equivalent bytes of memory traffic (sources: tileCosts). Integers, so
// that sums do not depend on their order.
struct TileCosts {
  std::uint64_t tile = 0;         // per tile, whatever its utilisation
  std::uint64_t maskedTile = 0;   // added for a tile with a solid node or a leaving link
  std::uint64_t wallLink = 0;     // added per link of interpolated walls
  std::uint64_t openingLink = 0;  // added per link that ends on an opening
  std::uint32_t links = 0;        // bit mask of the lattice's directions among the 26
};

// values: stored values per node, of storageBytes each; 27 implies all directions.
// interpolatedWalls: a pass over wall links exists.
TileCosts tileCosts(unsigned values, unsigned storageBytes, bool interpolatedWalls);

// Cost of each tile, in the order of the file.
std::vector<std::uint64_t> costsOfTiles(const tiler::TiledGeometry& geometry,
                                        const TileCosts& costs);
// The same from the index of a file, which does not know the direction of links: opening links
// include those that the lattice lacks, wall links are scaled by the lattice's share at a plane.
std::vector<std::uint64_t> costsOfTiles(const tiler::file::TilesIndex& index,
                                        const TileCosts& costs);

// Tiles of a cell along each axis. Columns of the step on moments have 8x4 or 4x4 tiles
// (domain/column_forms), so that cuts between cells do not split one into two that take as long
// each.
constexpr Int3 columnCell{8, 4, 4};

struct Partition {
  std::vector<std::uint32_t> rankOfTile;  // in the order of the file
};

// Each rank owns a contiguous range of the curve, at least one tile, or of a curve through cells of
// 8x4x4 tiles where it has hundreds of them. Imbalance is bounded by the most expensive tile or
// cell. Default costs (D3Q19, f32) keep the partition independent of the variant. Throws
// StageError(Usage) for less than one rank and for more ranks than tiles.
Partition partitionTiles(const tiler::TiledGeometry& geometry, int ranks,
                         const TileCosts& costs = tileCosts(19, 4, false));
// The same from given costs; reads nonEmptyTiles and the grid of the geometry.
Partition partitionByCost(const tiler::TiledGeometry& geometry, int ranks,
                          const std::vector<std::uint64_t>& costOfTile);

// Largest over mean cost of the ranks.
double balanceOf(const Partition& partition, const std::vector<std::uint64_t>& costOfTile,
                 int ranks);

}  // namespace tessera::solver::tiles
