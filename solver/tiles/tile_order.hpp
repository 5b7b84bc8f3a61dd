// SPDX-License-Identifier: GPL-3.0-or-later
// From the tiles of a file to what a kernel walks over: the slot of each tile (Morton order, so
// that neighbours are near in memory), neighbour rows, wall masks, and the ghost tiles that hold
// what comes in from outside: through openings, across periodic faces that no tile row meets. Tiles
// of other ranks have slots between own ones and ghosts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/tiles/part_of_geometry.hpp"

namespace tessera::solver::tiles {

// A directed link as the solver needs it: lattice direction i leaves the fluid at a node.
struct OpeningLink {
  std::uint32_t slot = 0;  // of the node's tile
  std::uint8_t local = 0;
  std::uint8_t direction = 0;    // index in the lattice, pointing out of the fluid
  std::uint16_t opening = 0;     // index in TiledGeometry::openings
  std::uint32_t targetSlot = 0;  // where the node will gather the opposite population from
  std::uint8_t targetLocal = 0;
  std::uint32_t tile = 0;  // the node's
  Double3 position{};      // where the link crosses the opening, lattice coordinates
};

// Of tiles of another rank that have no slot: they are there for their openings alone.
constexpr std::uint32_t firstFarSlot = std::uint32_t{1} << 31U;

// Population i is to be copied from one place to another before each step.
struct PeriodicCopy {
  std::uint32_t fromSlot = 0;
  std::uint32_t toSlot = 0;
  std::uint8_t fromLocal = 0;
  std::uint8_t toLocal = 0;
  std::uint8_t direction = 0;
};

struct TileOrder {
  std::uint32_t tiles = 0;   // slots 0 .. tiles - 1 are stepped
  std::uint32_t border = 0;  // the first of them, with all that are next to tiles of other ranks
  std::uint32_t remote = 0;  // slots from tiles on: of other ranks, next to those
  std::uint32_t ghosts = 0;  // slots behind these
  [[nodiscard]] std::uint32_t held() const { return tiles + remote; }
  std::vector<std::uint32_t> slotOfTile;  // file order to slot
  std::vector<std::int32_t> rows;         // rowLength a slot, without ghosts
  std::array<int, 3> rowAxes{0, 1, 2};    // of tiles in rows, as RowOffsets::axes
  std::vector<std::uint32_t> masks;       // 64 a tile that has any
  std::vector<OpeningLink> openingLinks;  // by tile of the file, node, opening, direction
  std::vector<PeriodicCopy> copies;
};

// Morton: neighbours are near in memory. InLayers: row by row, layer by layer, so that the farthest
// neighbour is near, which one copy of a state needs. InLayersOf2: the same of cubes of 2x2x2
// tiles, which a step on moments takes together; InLayersOf4, InLayersOf8: of larger cubes, in
// Morton order each: less of what a layer reads of its neighbours has left the cache by then.
// OpeningsLast: in layers, but tiles at openings and their neighbours after all others.
enum class TileSequence { Morton, InLayers, InLayersOf2, InLayersOf4, InLayersOf8, OpeningsLast };

// The axis whose layers follow each other: z, or a longer one, whose layers are that much smaller.
// Of what crosses a face on x only a quarter of each sector of memory is used, and the rest is
// better wanted soon after; so populations, all of which cross a face once, take another axis when
// it is more than 4 times as long, moments, which are read again around each block, from 1.5 times
// on (measured).
std::size_t layerAxis(const Int3& grid, TileSequence sequence);

// Of a rank's own tiles those at the border come first: alone, or, for one copy of a state, which
// cannot have them apart from their neighbours, with all of the first layer from the border, behind
// which the other layers come (ranks/border_layers.hpp); in a layer by the sequence.
enum class BorderTiles { First, FirstOfLayers };

// Tiles of the largest layer of a sequence in layers, of a part's own tiles from its border on:
// about as far as neighbours are apart.
std::uint32_t largestLayer(const tiler::TiledGeometry& geometry, TileSequence sequence,
                           const RankPart& part = {});

// velocities: the directions of the lattice (tables of solver/lattice), in its own order. part: of
// which the geometry is.
TileOrder orderTiles(const tiler::TiledGeometry& geometry,
                     std::span<const std::array<int, 3>> velocities,
                     TileSequence sequence = TileSequence::Morton, const RankPart& part = {},
                     BorderTiles border = BorderTiles::First);

}  // namespace tessera::solver::tiles
