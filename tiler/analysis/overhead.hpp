// SPDX-License-Identifier: GPL-3.0-or-later
// Overhead models of storage schemes for sparse geometries:
//   [A] Tomczak & Szafran, IEEE Trans. Parallel Distrib. Syst. 29 (2018), arXiv:1703.08015
//   [B] Tomczak & Szafran, Comput. Phys. Commun. 235 (2019), arXiv:1611.02445
// An overhead is storage or traffic beyond the populations of the non-solid nodes, once (Eq. 9 and
// 10 of [B]), as a multiple of these. Equations of [A] are named by the labels in its source, such
// as (dm_t2c). Porosity is the share of non-solid nodes as in [B] ([A]: of solid nodes).
#pragma once

#include <span>

#include "tiler/neighbour_tiles.hpp"

namespace tessera::tiler::analysis {

struct StorageSizes {
  int dimensions = 3;
  int populations = 19;  // q: 9, 19 or 27
  int valueBytes = 8;    // n_d
  int typeBytes = 1;     // n_t, node type
  int indexBytes = 4;    // index of a tile, ghost buffer or node
  int tileEdge = 4;      // a
};

struct GeometryShares {
  double porosity = 1.0;     // non-solid nodes / nodes of the box
  double utilisation = 1.0;  // eta_t: non-solid nodes / nodes of the tiles, Eq. 14 of [B]
  double alpha = 1.0;        // ghost buffers allocated / possible
  double beta = 1.0;         // ghost buffers written and read / possible
  double mapPerTile = 1.0;   // entries of tileMap per tile
};

// Eq. 9 and 10 of [B]: minimum bytes stored and moved per non-solid node and step.
double leastNodeBytes(const StorageSizes& sizes);
double leastNodeTraffic(const StorageSizes& sizes);

// Ghost buffers of a tile from the populations that cross its faces, edges and corners. Those
// written by a tile (q_1 + 2 q_2 + 3 q_3) are stored twice; it reads one from each tile that a
// population comes from.
struct GhostBuffers {
  int written = 0;  // D2Q9 12, D3Q19 30, D3Q27 54
  int read = 0;     // 16, 42, 98
  int corners = 0;  // those read with a single value
};
GhostBuffers ghostBuffersOf(const StorageSizes& sizes);

// Storage and traffic beyond the minimum; "ideal": without parts that a better implementation could
// avoid (a second copy; all indices of tiles); "bursts": with every value of a tile and its ghost
// buffers moved.
struct Overhead {
  const char* structure;
  const char* title;
  double memory;
  double memoryIdeal;
  double bandwidth;
  double bandwidthIdeal;
  double bandwidthBursts;
};

// Overhead of solid nodes in tiles: Eq. 15 of [B].
double solidOverhead(double utilisation);

Overhead tilesWithTwoCopies(const StorageSizes& sizes, const GeometryShares& shares);
constexpr const char* ghostBuffersName = "tiles_ghost_buffers";
Overhead tilesWithGhostBuffers(const StorageSizes& sizes, const GeometryShares& shares);
Overhead connectivityMatrix(const StorageSizes& sizes, const GeometryShares& shares);
Overhead fluidIndexArray(const StorageSizes& sizes, const GeometryShares& shares);
Overhead denseStorage(const StorageSizes& sizes, const GeometryShares& shares);
// All five, in this order.
std::vector<Overhead> overheadsOf(const StorageSizes& sizes, const GeometryShares& shares);

// Predicted 10^6 updates of non-solid nodes per second, limited by memory: bandwidth in B/s over
// the traffic of a node.
double predictedMflups(const StorageSizes& sizes, double bandwidthOverhead, double bandwidth);

// Ghost buffers that a geometry needs. A buffer on a face has the values of one population that
// leave through it; it is allocated if the tile across that face exists, or the one that the
// population's corner values go to.
struct GhostShares {
  double alpha = 0.0;
  double beta = 0.0;
};
GhostShares ghostShares(const TileNeighbourhood& around, std::span<const int> directions);

}  // namespace tessera::tiler::analysis
