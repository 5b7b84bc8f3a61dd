// SPDX-License-Identifier: GPL-3.0-or-later
// What of a geometry a rank works with: its own tiles, the tiles around them, and every tile with
// an opening, so that all ranks find the same profiles and flow rates from the same links in the
// same order. The part is a geometry of its own, with its tiles in the order of the file; what lies
// in none of them is empty to it.
#pragma once

#include "solver/tiles/partition.hpp"

namespace tessera::solver::tiles {

enum class TileRole : std::uint8_t {
  Border,    // own, next to another rank's
  Interior,  // own, the rest
  Near,      // another rank's, next to an own one
  Far        // another rank's, there for its opening
};

// Of each tile of a part; all empty where one process has the whole geometry.
struct RankPart {
  std::vector<TileRole> role;
  std::vector<std::int32_t> fileTile;    // its place in the file, ascending
  std::vector<std::uint32_t> rank;       // that steps it
  std::vector<std::uint64_t> firstNode;  // of its nodes in run.fields
  std::uint64_t tilesOfAll = 0;          // of the file

  [[nodiscard]] bool isWhole() const { return fileTile.empty(); }
  [[nodiscard]] bool owns(std::size_t t) const {
    return isWhole() || role[t] <= TileRole::Interior;
  }
};

// geometry.fluidNodes is that of the whole, and there is no surface.
struct PartOfGeometry {
  tiler::TiledGeometry geometry;
  RankPart part;
};

// Which tiles they are; all of RankPart but firstNode. Of the geometry nonEmptyTiles, tileMap and
// tileFlags are looked at, and its grid.
RankPart chooseTiles(const tiler::TiledGeometry& geometry, const Partition& partition, int rank);

PartOfGeometry partOf(const tiler::TiledGeometry& whole, const Partition& partition, int rank);

// Non-solid ones of a tile.
std::uint32_t nodesIn(const tiler::TiledGeometry& geometry, std::size_t t);

// Where the non-solid nodes of each tile begin in run.fields.
std::vector<std::uint64_t> firstNodesOf(const tiler::TiledGeometry& geometry, const RankPart& part);

}  // namespace tessera::solver::tiles
