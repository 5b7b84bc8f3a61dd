// SPDX-License-Identifier: GPL-3.0-or-later
// What a partition makes ranks send each other: counted, not estimated.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/tiles/partition.hpp"

namespace tessera::solver::bench {

struct RankStatistics {
  std::uint64_t tiles = 0;
  std::uint64_t maskedTiles = 0;
  std::uint64_t fluidNodes = 0;   // non-solid ones
  std::uint64_t cost = 0;         // bytes, TileCosts
  std::uint64_t borderTiles = 0;  // own tiles of which others read
  std::uint64_t borderCost = 0;   // bytes, of these
  std::uint64_t ghostTiles = 0;   // of others, of which it reads
  std::uint64_t neighbours = 0;   // ranks that it reads from or that read from it
  // Read by it from others, and from it by others, in each step. Populations: those of a direction
  // that its nodes pull from nodes of others, across periodic faces too, not over links that end on
  // walls or openings; nodes: those they are pulled from, whose moments cross where these are
  // stored.
  std::uint64_t populationsIn = 0, populationsOut = 0;
  std::uint64_t nodesIn = 0, nodesOut = 0;
};

// Of each rank. velocities: the lattice's directions, 0 first. Walls between nodes and openings
// need nothing from other ranks beyond that; interpolated walls do, where a link's wall is far, and
// that is not in it.
std::vector<RankStatistics> haloStatistics(const tiler::TiledGeometry& geometry,
                                           std::span<const std::array<int, 3>> velocities,
                                           const tiles::Partition& partition, int ranks,
                                           const tiles::TileCosts& costs);

// What crosses in one direction, bytes.
struct HaloBytes {
  double in = 0.0;
  double out = 0.0;
};
// values: stored of a node, the lattice's populations or moments.
HaloBytes haloBytes(const RankStatistics& rank, bool moments, unsigned values,
                    unsigned storageBytes);

}  // namespace tessera::solver::bench
