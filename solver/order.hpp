// SPDX-License-Identifier: GPL-3.0-or-later
// From the tiles of a file to what a kernel walks over: the slot of each tile (Morton order, so
// that neighbours are near in memory), neighbour rows, wall masks, and the ghost tiles that hold
// what comes in from outside: through openings, across periodic faces that no tile row meets.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tiler/tiled_geometry.hpp"

namespace tessera {

// A directed link as the solver needs it: lattice direction i leaves the fluid at a node.
struct OpeningLink {
  std::uint32_t slot = 0;  // of the node's tile
  std::uint8_t local = 0;
  std::uint8_t direction = 0;    // index in the lattice, pointing out of the fluid
  std::uint16_t opening = 0;     // index in TiledGeometry::openings
  std::uint32_t targetSlot = 0;  // where the node will gather the opposite population from
  std::uint8_t targetLocal = 0;
  Double3 position{};  // where the link crosses the opening, lattice coordinates
};

// Population i is to be copied from one place to another before each step.
struct PeriodicCopy {
  std::uint32_t fromSlot = 0;
  std::uint32_t toSlot = 0;
  std::uint8_t fromLocal = 0;
  std::uint8_t toLocal = 0;
  std::uint8_t direction = 0;
};

struct TileOrder {
  std::uint32_t tiles = 0;                // slots 0 .. tiles - 1 hold the tiles of the file
  std::uint32_t ghosts = 0;               // slots tiles .. tiles + ghosts - 1
  std::vector<std::uint32_t> slotOfTile;  // file order to slot
  std::vector<std::int32_t> rows;         // rowLength a slot, tiles only
  std::array<int, 3> rowAxes{0, 1, 2};    // of tiles in rows, as RowOffsets::axes
  std::vector<std::uint32_t> masks;       // 64 a tile that has any
  std::vector<OpeningLink> openingLinks;  // by tile of the file, node, opening, direction
  std::vector<PeriodicCopy> copies;
};

// Morton: neighbours are near in memory. InLayers: row by row, layer by layer, so that the farthest
// neighbour is near, which one copy of a state needs. InLayersOfBlocks: the same of blocks
// of 2x2x2 tiles, which a step on moments takes together. OpeningsLast: in layers, but tiles at
// openings and their neighbours after all others.
enum class TileSequence { Morton, InLayers, InLayersOfBlocks, OpeningsLast };

// The axis whose layers follow each other: z, or one more than four times as long, whose layers are
// that much smaller. Not x for less: of what crosses a face on x only a quarter of each sector of
// memory is used, and the rest is better wanted soon after.
std::size_t layerAxis(const Int3& grid);

// velocities: the directions of the lattice (tables of solver/lattice), in its own order.
TileOrder orderTiles(const TiledGeometry& geometry, std::span<const std::array<int, 3>> velocities,
                     TileSequence sequence = TileSequence::Morton);

}  // namespace tessera
