// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's part of the geometry: own tiles, the tiles around them, and every tile with an opening,
// so that all ranks compute the same profiles and flow rates from the same links in the same order.
// The part is a geometry of its own with its tiles in the order of the file; other positions are
// empty.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/tiles/partition.hpp"

namespace tessera::solver::tiles {

enum class TileRole : std::uint8_t {
  Border,    // own, next to a tile of another rank
  Interior,  // own, other
  Near,      // of another rank, next to an own tile
  Far        // of another rank, included for its opening
};

// Per tile of a part; all empty where one process has the whole geometry.
struct RankPart {
  std::vector<TileRole> role;
  std::vector<std::int32_t> fileTile;    // index in the file, ascending
  std::vector<std::uint32_t> rank;       // owner
  std::vector<std::uint64_t> firstNode;  // index of its first node in run.fields
  std::uint64_t tilesOfAll = 0;          // tiles of the file

  [[nodiscard]] bool isWhole() const { return fileTile.empty(); }
  [[nodiscard]] bool owns(std::size_t t) const {
    return isWhole() || role[t] <= TileRole::Interior;
  }
  // Index of a tile in the file.
  [[nodiscard]] std::uint32_t inFile(std::size_t t) const {
    return static_cast<std::uint32_t>(isWhole() ? t : static_cast<std::size_t>(fileTile[t]));
  }
};

// geometry.fluidNodes counts the whole geometry; the part has no surface.
struct PartOfGeometry {
  tiler::TiledGeometry geometry;
  RankPart part;
};

// Chooses the tiles of a part: all of RankPart but firstNode. Reads nonEmptyTiles, tileMap,
// tileFlags and the grid of the geometry.
RankPart chooseTiles(const tiler::TiledGeometry& geometry, const Partition& partition, int rank);

PartOfGeometry partOf(const tiler::TiledGeometry& whole, const Partition& partition, int rank);

// Number of non-solid nodes of a tile.
std::uint32_t nodesIn(const tiler::TiledGeometry& geometry, std::size_t t);

// Index in run.fields of the first non-solid node of each tile.
std::vector<std::uint64_t> firstNodesOf(const tiler::TiledGeometry& geometry, const RankPart& part);

// Layers of tiles by their distance from a rank's border, for the in-place update on several ranks:
// the border comes first and can be sent while the rest is computed, and neighbours are at most one
// layer apart.

// Layer of each tile of a part, in cubes of 2^log tiles along each axis counted from those with
// border tiles (0). Own tiles not connected to the border form one last layer; tiles of other ranks
// have 0.
std::vector<std::uint32_t> layersFromBorder(const tiler::TiledGeometry& geometry,
                                            const RankPart& part, unsigned log);

}  // namespace tessera::solver::tiles
