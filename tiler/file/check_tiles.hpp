// SPDX-License-Identifier: GPL-3.0-or-later
// Consistency of a tiled geometry read from a file, so that later stages may index it unchecked.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::file {

// Section and defect; the reader adds file and remedy.
class DefectiveTiles : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Positions of the grid; requires checked sizes.
std::uint64_t gridPositions(const Int3& grid);

// Checks the numbers of "meta" before any array is allocated. inRows: a shifted tiling. Throws
// DefectiveTiles.
void checkSizes(const TiledGeometry& tiled, std::uint64_t tiles, bool inRows);

// Checks data of all tiles that is read even for a part of them: row offsets, positions, starts up
// to these numbers of boundary nodes and links. Throws DefectiveTiles.
void checkIndex(const TiledGeometry& tiled, std::uint64_t boundaryNodes, std::uint64_t links);
// Compares positions first, first + 1, ... of tileMap with nonEmptyTiles; the two are inverse if
// all of tileMap names as many tiles as exist. Returns the number of named tiles. Throws
// DefectiveTiles.
std::uint64_t namedTiles(const TiledGeometry& tiled, std::span<const std::int32_t> tileMap,
                         std::uint64_t first);
void checkAllNamed(const TiledGeometry& tiled, std::uint64_t named);
// Checks nodes, flags, boundary nodes and links of one tile; returns its non-solid nodes. Throws
// DefectiveTiles.
std::uint64_t checkTile(const TiledGeometry& tiled, std::size_t tile);
// nodesOfTiles: non-solid nodes of all tiles. Throws DefectiveTiles.
void checkFluidNodes(const TiledGeometry& tiled, std::span<const std::uint8_t> nodesOfTiles);

// Checks every index, start, type, mask and label; the arrays have the lengths of "meta". Throws
// DefectiveTiles.
void checkIndices(const TiledGeometry& tiled);

// Checks between tiles beyond readTilesFile(), which no run needs: every fluid node lies in one
// tile and in the box; it has a link exactly where the node beyond (also across periodic faces) is
// not fluid, so that links between fluid nodes go both ways; tile flags match the links. Throws
// DefectiveTiles.
void checkSymmetry(const TiledGeometry& tiled);

}  // namespace tessera::tiler::file
