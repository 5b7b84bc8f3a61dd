// SPDX-License-Identifier: GPL-3.0-or-later
// How large the tiles' file is and how much memory the stages after preprocess take, by the number
// of everything: the stages go by it, and what foretells them before there is a lattice does too.
// Bytes, as double, since the numbers may be estimates.
#pragma once

namespace tessera::stage {

struct ChainCounts {
  int dimensions = 3;
  double fluidNodes = 0.0;
  double boundaryNodes = 0.0;
  double links = 0.0;      // of the 26 directions
  double tiles = 0.0;      // that hold a fluid node
  double positions = 0.0;  // tiles of the bounding box
  double triangles = 0.0;  // of the surface
  double vertices = 0.0;
};

// Sections of geom.tiles, without what does not grow: meta data, provenance, checksums.
constexpr double tilesFileBytes(const ChainCounts& n) {
  constexpr double perTile = 12 + 64 + 1 + 2 * 8;
  return 4 * n.positions + perTile * n.tiles + 9 * n.boundaryNodes + 4 * n.links + 12 * n.vertices +
         14 * n.triangles;
}

// Of a program before it has read anything: libraries, threads.
constexpr double programBytes = 40e6;

// Most that the tiler holds at a time: the geometry, the masks of the tiles, the arrays of the
// file, and the order of the boundary nodes.
constexpr double tilerBytes(const ChainCounts& n) {
  return programBytes + tilesFileBytes(n) + 56 * n.tiles + 40 * n.boundaryNodes + 4 * n.links;
}

// Measured on two cores: some 150 MB/s from reading to writing.
constexpr double tilerSeconds(const ChainCounts& n) {
  return tilesFileBytes(n) / 1.5e8;
}

// Two copies of the populations of all nodes of a number of tiles.
constexpr double populationBytes(double tiles, double velocities, double bytesPerNumber) {
  return 2 * 64 * tiles * velocities * bytesPerNumber;
}

struct StateCounts {
  double slots = 0.0;       // tiles and ghost tiles
  double velocities = 0.0;  // of the lattice: 19 of D3Q19
  double tiles = 0.0;
  double maskedTiles = 0.0;     // with a solid node or a wall link
  double openingLinks = 0.0;    // of the lattice's directions
  double copies = 0.0;          // of populations across periodic faces
  double wallLinks = 0.0;       // of interpolated or moving walls
  double wallNumbers = 0.0;     // kept a link beside its record, of the size of a population
  double wallExtraBytes = 0.0;  // of walls that move or reflect from deeper
};
constexpr double rowBytes = 4 * 32, maskBytes = 4 * 64;  // of a tile
constexpr double openingLinkBytes = 64, copyBytes = 16;  // of the solver's records
constexpr double wallLinkBytes = 16;

// What the solver holds on its device, or in memory where that is the CPU.
constexpr double stateBytes(const StateCounts& n, double bytesPerNumber) {
  return populationBytes(n.slots, n.velocities, bytesPerNumber) + rowBytes * n.tiles +
         maskBytes * n.maskedTiles + openingLinkBytes * n.openingLinks + copyBytes * n.copies +
         (wallLinkBytes + bytesPerNumber * n.wallNumbers) * n.wallLinks + n.wallExtraBytes;
}

// The copy of the state, in memory, that a checkpoint is written of while steps go on.
constexpr double checkpointBytes(double tiles, double bytesPerNode) {
  return 64 * tiles * bytesPerNode;
}

// What it holds beside these two: the file, rows and masks once more.
constexpr double solverHostBytes(const ChainCounts& n, const StateCounts& state) {
  return programBytes + tilesFileBytes(n) + rowBytes * state.tiles + maskBytes * state.maskedTiles;
}

}  // namespace tessera::stage
