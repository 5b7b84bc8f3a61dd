// SPDX-License-Identifier: GPL-3.0-or-later
// Size of the .tiles file and memory of tiler and solver as functions of counts: used by the stages
// and by --plan before a lattice exists. Bytes as double, because the counts may be estimates.
#pragma once

namespace tessera::stage {

struct ChainCounts {
  int dimensions = 3;
  double fluidNodes = 0.0;
  double boundaryNodes = 0.0;
  double links = 0.0;      // in 26 directions
  double tiles = 0.0;      // with at least one fluid node
  double positions = 0.0;  // tiles in the bounding box
  double triangles = 0.0;  // of the surface
  double vertices = 0.0;
};

// Sections of geom.tiles without those of constant size (meta data, provenance, checksums).
constexpr double tilesFileBytes(const ChainCounts& n) {
  constexpr double perTile = 12 + 64 + 1 + 2 * 8;
  return 4 * n.positions + perTile * n.tiles + 9 * n.boundaryNodes + 4 * n.links + 12 * n.vertices +
         14 * n.triangles;
}

// Program start: libraries and threads.
constexpr double programBytes = 40e6;

// Peak of the tiler: geometry, tile masks, arrays of the file, order of the boundary nodes.
constexpr double tilerBytes(const ChainCounts& n) {
  return programBytes + tilesFileBytes(n) + 56 * n.tiles + 40 * n.boundaryNodes + 4 * n.links;
}

// Measured on two cores: about 150 MB/s from reading to writing.
constexpr double tilerSeconds(const ChainCounts& n) {
  return tilesFileBytes(n) / 1.5e8;
}

// Two copies of the populations of a number of tiles.
constexpr double populationBytes(double tiles, double velocities, double bytesPerNumber) {
  return 2 * 64 * tiles * velocities * bytesPerNumber;
}

struct StateCounts {
  double slots = 0.0;       // tiles and ghost tiles
  double velocities = 0.0;  // of the lattice: 19 of D3Q19
  double tiles = 0.0;
  double maskedTiles = 0.0;     // with solid nodes or wall links
  double openingLinks = 0.0;    // in the lattice's directions
  double copies = 0.0;          // populations copied across periodic faces
  double wallLinks = 0.0;       // interpolated or moving walls
  double wallNumbers = 0.0;     // per link, stored in population precision
  double wallFars = 0.0;        // links of multireflection walls
  double wallNodes = 0.0;       // that share their excess of mass
  double wallNears = 0.0;       // nodes that they share it with
  double wallExtraBytes = 0.0;  // moving walls
  double forceNodes = 0.0;      // with links to walls whose forces are sampled
  double columnBytes = 0.0;     // tables of columns of tiles, of moments on a GPU
  double separateBytes = 0.0;   // nodes of moments that are stepped separately
};
constexpr double neighbourBytes = 4 * 32, maskBytes = 4 * 64;  // per tile
constexpr double openingLinkBytes = 64, copyBytes = 16;        // records of the solver
constexpr double wallLinkBytes = 16, wallFarBytes = 4;
constexpr double wallNodeBytes = 16 + 2 * 8, wallNearBytes = 4;
constexpr double openingStencilBytes = 820;                 // of an opening's link, about
constexpr double openingForceBytes = 112 + 2 * 32;          // record of a force, and samples
constexpr double forceNodeBytes = 20, forceTileBytes = 12;  // records of forces on walls

// State on the solver's device (main memory for the CPU backend).
constexpr double stateBytes(const StateCounts& n, double bytesPerNumber) {
  return populationBytes(n.slots, n.velocities, bytesPerNumber) + neighbourBytes * n.tiles +
         maskBytes * n.maskedTiles + openingLinkBytes * n.openingLinks + copyBytes * n.copies +
         (openingStencilBytes + openingForceBytes) * n.openingLinks +
         (wallLinkBytes + bytesPerNumber * n.wallNumbers) * n.wallLinks +
         wallFarBytes * n.wallFars + (wallNodeBytes + bytesPerNumber) * n.wallNodes +
         wallNearBytes * n.wallNears + n.wallExtraBytes + forceNodeBytes * n.forceNodes +
         forceTileBytes * n.tiles + n.columnBytes + n.separateBytes;
}

// Copy of the state in memory from which a checkpoint is written while steps continue.
constexpr double checkpointBytes(double tiles, double bytesPerNode) {
  return 64 * tiles * bytesPerNode;
}

// Host memory of the solver besides these two: the file, neighbour tables and masks once more.
constexpr double solverHostBytes(const ChainCounts& n, const StateCounts& state) {
  return programBytes + tilesFileBytes(n) + neighbourBytes * state.tiles +
         maskBytes * state.maskedTiles;
}

}  // namespace tessera::stage
