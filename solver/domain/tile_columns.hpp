// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of tiles for the step on moments: pieces that a block of threads marches through along z,
// and the tiles in and around each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/domain/domain.hpp"

namespace tessera::solver::domain {

// Tiles of a column along x and y.
using ColumnTiles = std::array<int, 2>;

// Entry of a table: the slot of a tile, or negative where there is none, and its masks.
struct ColumnTile {
  // Bit of `slot`: read, never written: of another part, a periodic image, of another rank, a
  // ghost.
  static constexpr std::int32_t foreign = 1 << 30;
  std::int32_t slot = -1;
  std::int32_t masks = -1;  // index of its 64 masks; negative: none
  bool operator==(const ColumnTile&) const = default;
};

// Layers of a column, one after the other along z, without a gap.
struct ColumnPiece {
  std::uint32_t firstRow = 0;  // of the layer below
  std::uint32_t layers = 0;    // without the ones below and above
};

// Pieces part after part, chunk of layers after chunk, columns of a chunk in Morton order. A row
// has the tiles in and around a column in one layer, (x + 2)(y + 2) entries, x fastest.
struct ColumnTable {
  std::vector<ColumnPiece> pieces;
  std::vector<std::uint32_t> firstPiece;  // of each part; then the number of pieces
  std::vector<ColumnTile> rows;
};

// mostLayers: of a piece, up to 255. partEnds: the slots behind each part, ascending to
// Domain::tiles; a piece writes tiles of one part. maskOf: by slot, ColumnTile::masks; for two
// steps in a pass also of other ranks' tiles. Built from the neighbour table, so ghosts and
// periodic axes agree with it. Throws StageError where a slot does not fit an entry.
ColumnTable columnTable(const Domain& domain, const ColumnTiles& tiles, int mostLayers,
                        std::span<const std::uint32_t> partEnds,
                        std::span<const std::int32_t> maskOf);

// Layers of all columns that hold a tile of these positions.
std::uint64_t columnLayers(std::span<const std::array<std::int32_t, 3>> positions,
                           const ColumnTiles& tiles);

// Bytes of the pieces and rows of a table of tiles at these positions in one part.
double columnBytes(std::span<const std::array<std::int32_t, 3>> positions, const ColumnTiles& tiles,
                   int mostLayers);

}  // namespace tessera::solver::domain
