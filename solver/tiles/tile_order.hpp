// SPDX-License-Identifier: GPL-3.0-or-later
// Tile order: slots of tiles (Morton order, so that neighbours are near in memory), neighbour
// table, wall masks, and ghost tiles for populations that enter through openings or across periodic
// faces that tiles do not meet. Slots of other ranks' tiles follow the own ones, then ghosts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/tiles/rank_part.hpp"

namespace tessera::solver::tiles {

// Link through an opening: lattice direction i leaves the fluid at a node.
struct OpeningLink {
  std::uint32_t slot = 0;  // slot of the node's tile
  std::uint8_t local = 0;
  std::uint8_t direction = 0;    // index in the lattice, pointing out of the fluid
  std::uint16_t opening = 0;     // index in TiledGeometry::openings
  std::uint32_t targetSlot = 0;  // location the node gathers the opposite population from
  std::uint8_t targetLocal = 0;
  std::uint32_t tile = 0;  // tile of the node
  Double3 position{};      // crossing with the opening, lattice coordinates
};

// Values of slotOfTile from here on: tiles of other ranks without a slot, included for their
// openings.
constexpr std::uint32_t firstFarSlot = std::uint32_t{1} << 31U;

// Population i copied between two locations before each step.
struct PeriodicCopy {
  std::uint32_t fromSlot = 0;
  std::uint32_t toSlot = 0;
  std::uint8_t fromLocal = 0;
  std::uint8_t toLocal = 0;
  std::uint8_t direction = 0;
};

struct TileOrder {
  std::uint32_t tiles = 0;   // own tiles: slots 0 .. tiles - 1
  std::uint32_t border = 0;  // leading own tiles, including all next to other ranks
  std::uint32_t remote = 0;  // tiles of other ranks: slots from `tiles` on
  std::uint32_t ghosts = 0;  // ghost tiles: slots after these
  [[nodiscard]] std::uint32_t slotsOfTiles() const { return tiles + remote; }
  std::vector<std::uint32_t> slotOfTile;     // file order to slot
  std::vector<std::int32_t> neighbourTable;  // neighbourStride per slot, without ghosts
  std::array<int, 3> shiftAxes{0, 1, 2};     // of the shifted tiling, as RowOffsets::axes
  std::vector<std::uint32_t> masks;          // 64 per tile that has any
  std::vector<OpeningLink> openingLinks;     // by tile of the file, node, opening, direction
  std::vector<PeriodicCopy> copies;
};

// Sequence of tiles. Morton: neighbours are near in memory. InLayers: row by row, layer by layer,
// which bounds the distance to the farthest neighbour for the in-place update. InColumns: layer by
// layer along z, columns of 4x4 tiles in Morton order, along which a step on moments marches.
// InCubes: cubes of 4x4x4 tiles in layers along the slowest axis, Morton order inside: the same for
// domains that are longer along another axis, in one copy. OpeningsLast: in layers, tiles at
// openings and their neighbours last. BoundariesLast: in layers, tiles at openings and walls last.
enum class TileSequence { Morton, InLayers, InColumns, InCubes, OpeningsLast, BoundariesLast };

// Slowest axis: z, or a longer axis, whose layers are smaller. A face across x uses a quarter of
// each memory sector, so reuse should follow soon; populations change the axis when it is more than
// 4 times as long, moments, which are read repeatedly around each block, from 1.5 times on
// (measured).
std::size_t layerAxis(const Int3& grid, TileSequence sequence);

// Border tiles come first among a rank's own: alone, or with the rest of their cells (columnCell),
// whose columns are whole, but which take longer than the border alone, or, for the in-place
// update, as the whole first layer from the border (layersFromBorder), followed by the other
// layers.
enum class BorderTiles { First, FirstInCells, FirstOfLayers };

// velocities: directions of the lattice, in its order. part: of which the geometry is.
TileOrder orderTiles(const tiler::TiledGeometry& geometry,
                     std::span<const std::array<int, 3>> velocities,
                     TileSequence sequence = TileSequence::Morton, const RankPart& part = {},
                     BorderTiles border = BorderTiles::First);

}  // namespace tessera::solver::tiles
