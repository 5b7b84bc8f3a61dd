// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold in a tiled geometry that was read from a file, so that later stages may index
// with it unchecked.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::file {

// Half a sentence: the section and what is wrong in it. The reader adds the file and the advice.
class DefectiveTiles : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Positions of the grid; the sizes must have been checked.
std::uint64_t gridPositions(const Int3& grid);

// The numbers of "meta", before any array is allocated. inRows: it has axes of rows. Throws
// DefectiveTiles.
void checkSizes(const TiledGeometry& tiled, std::uint64_t tiles, bool inRows);

// Of what is read of all tiles by whoever needs but some of them: offsets of rows, positions,
// starts up to so many boundary nodes and links. Throws DefectiveTiles.
void checkIndex(const TiledGeometry& tiled, std::uint64_t boundaryNodes, std::uint64_t links);
// Compares positions first, first + 1, ... of tileMap with nonEmptyTiles, which must be each
// other's inverse: they are, when the tiles named in all of it are as many as there are. Returns
// how many are named. Throws DefectiveTiles.
std::uint64_t namedTiles(const TiledGeometry& tiled, std::span<const std::int32_t> tileMap,
                         std::uint64_t first);
void checkAllNamed(const TiledGeometry& tiled, std::uint64_t named);
// Nodes, flags, boundary nodes and links of one tile. Returns the number of its non-solid nodes.
// Throws DefectiveTiles.
std::uint64_t checkTile(const TiledGeometry& tiled, std::size_t tile);
// nodesOfTiles: non-solid ones, of all tiles. Throws DefectiveTiles.
void checkFluidNodes(const TiledGeometry& tiled, std::span<const std::uint8_t> nodesOfTiles);

// Every index, start, type, mask and label, once the arrays are there in the lengths of "meta".
// Throws DefectiveTiles.
void checkIndices(const TiledGeometry& tiled);

}  // namespace tessera::tiler::file
