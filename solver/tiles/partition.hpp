// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank steps which tile: ranges of tiles along a space-filling curve, of equal cost, so that
// what a rank owns is compact and all ranks are done at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "tiler/tiled_geometry.hpp"

#include "tiler/file/part_of_tiles.hpp"

namespace tessera::solver::tiles {

// What parts of a step cost, in bytes of memory traffic that take as long (tileCosts says where the
// numbers come from). Whole numbers, so that sums do not depend on their order.
struct TileCosts {
  std::uint64_t tile = 0;         // each, however few of its nodes are fluid
  std::uint64_t maskedTile = 0;   // more, of a tile with a solid node or a link that leaves
  std::uint64_t wallLink = 0;     // more, a link that the interpolated walls' own pass walks over
  std::uint64_t openingLink = 0;  // more, a link that ends on an opening
  std::uint32_t links = 0;        // which of the 26 are the lattice's, as bits
};

// values: stored of a node, of storageBytes each; 27: of a lattice of all directions;
// interpolatedWalls: there is a pass over the links.
TileCosts tileCosts(unsigned values, unsigned storageBytes, bool interpolatedWalls);

// In the order of the file.
std::vector<std::uint64_t> costsOfTiles(const tiler::TiledGeometry& geometry,
                                        const TileCosts& costs);
// The same of what every process knows of a file, which is not the direction of links: of openings
// with those that the lattice leaves out, of walls with so many of all as it has of a plane.
std::vector<std::uint64_t> costsOfTiles(const tiler::file::TilesIndex& index,
                                        const TileCosts& costs);
// Tiles along the curve.
std::vector<std::uint32_t> tilesAlongCurve(const tiler::TiledGeometry& geometry);

struct Partition {
  std::vector<std::uint32_t> rankOfTile;  // in the order of the file
};

// Each rank's tiles follow each other along the curve, and each rank has at least one; no rank's
// cost is further from the mean than the dearest tile's. costs: where ranks shall not hang together
// with what is stored, those of D3Q19 in single precision do. Throws StageError(Usage) for less
// than one rank and for more ranks than tiles.
Partition partitionTiles(const tiler::TiledGeometry& geometry, int ranks,
                         const TileCosts& costs = tileCosts(19, 4, false));
// Of tiles of these costs; of the geometry only nonEmptyTiles and the grid are looked at.
Partition partitionByCost(const tiler::TiledGeometry& geometry, int ranks,
                          const std::vector<std::uint64_t>& costOfTile);

// Largest over mean of the ranks' sums.
double balanceOf(const Partition& partition, const std::vector<std::uint64_t>& costOfTile,
                 int ranks);

}  // namespace tessera::solver::tiles
