// SPDX-License-Identifier: GPL-3.0-or-later
// What ways to store a sparse geometry cost beyond the least: the overhead models of
//   [A] Tomczak & Szafran, IEEE Trans. Parallel Distrib. Syst. 29 (2018), arXiv:1703.08015
//   [B] Tomczak & Szafran, Comput. Phys. Commun. 235 (2019), arXiv:1611.02445
// An overhead is what is stored or moved beyond the populations of the non-solid nodes, once (Eq. 9
// and 10 of [B]), as a multiple of them. Equations of [A] are named by their labels in its source,
// such as (dm_t2c). [A] calls porosity the share of solid nodes; here, as in [B], it is that of the
// non-solid.
#pragma once

#include <span>

#include "tiler/neighbour_tiles.hpp"

namespace tessera::tiler::analysis {

struct StorageSizes {
  int dimensions = 3;
  int populations = 19;  // q: 9, 19 or 27
  int valueBytes = 8;    // n_d
  int typeBytes = 1;     // n_t, node type
  int indexBytes = 4;    // of a tile, ghost buffer or node
  int tileEdge = 4;      // a
};

struct GeometryShares {
  double porosity = 1.0;     // non-solid nodes of all nodes of the box
  double utilisation = 1.0;  // eta_t: non-solid nodes of all nodes of the tiles, Eq. 14 of [B]
  double alpha = 1.0;        // ghost buffers allocated of all possible
  double beta = 1.0;         // ghost buffers written and read of all possible
  double mapPerTile = 1.0;   // places of tileMap for each tile
};

// Eq. 9 and 10 of [B]: the least a non-solid node stores and moves in a step, bytes.
double leastNodeBytes(const StorageSizes& sizes);
double leastNodeTraffic(const StorageSizes& sizes);

// Ghost buffers of one tile by the populations that cross its faces, edges and corners. Those a
// tile writes (q_1 + 2 q_2 + 3 q_3) are stored twice; it reads one from each tile that a population
// comes from.
struct GhostBuffers {
  int written = 0;  // D2Q9 12, D3Q19 30, D3Q27 54
  int read = 0;     // 16, 42, 98
  int corners = 0;  // of those read, the ones that bring a single value
};
GhostBuffers ghostBuffersOf(const StorageSizes& sizes);

// What the structure stores and moves beyond the least; "ideal" without what a better
// implementation could avoid (a second copy; in tiles every index), "bursts" with every value of a
// tile and its ghost buffers moved whether needed or not.
struct Overhead {
  const char* structure;
  const char* title;
  double memory;
  double memoryIdeal;
  double bandwidth;
  double bandwidthIdeal;
  double bandwidthBursts;
};

// Tiles with nodes of the given share non-solid: Eq. 15 of [B].
double solidOverhead(double utilisation);

Overhead tilesWithTwoCopies(const StorageSizes& sizes, const GeometryShares& shares);
constexpr const char* ghostBuffersName = "tiles_ghost_buffers";
Overhead tilesWithGhostBuffers(const StorageSizes& sizes, const GeometryShares& shares);
Overhead connectivityMatrix(const StorageSizes& sizes, const GeometryShares& shares);
Overhead fluidIndexArray(const StorageSizes& sizes, const GeometryShares& shares);
Overhead denseStorage(const StorageSizes& sizes, const GeometryShares& shares);
// The five, in this order.
std::vector<Overhead> overheadsOf(const StorageSizes& sizes, const GeometryShares& shares);

// 10^6 non-solid nodes a second when memory is all that limits: bandwidth in B/s over the traffic
// of a node.
double predictedMflups(const StorageSizes& sizes, double bandwidthOverhead, double bandwidth);

// Which ghost buffers a geometry needs. A buffer on a face holds the values of one population that
// leave through it; it is allocated when the tile across that face, or the one the population's
// corner values go to, is there.
struct GhostShares {
  double alpha = 0.0;
  double beta = 0.0;
};
GhostShares ghostShares(const TileNeighbourhood& around, std::span<const int> directions);

}  // namespace tessera::tiler::analysis
