// SPDX-License-Identifier: GPL-3.0-or-later
// What --plan --ranks N tells.
#pragma once

#include <string>

#include "solver/bench/prediction.hpp"

namespace tessera::solver::bench {

struct PlannedState {
  StoredState stored;
  std::span<const std::array<int, 3>> velocities;  // of the lattice
  bool interpolatedWalls = false;
  int copies = 2;
};

// Bytes on a rank's device: its tiles and its ghost tiles.
double bytesOfRank(const RankStatistics& rank, const PlannedState& state);

// Balance, halo, memory a rank, time a step and efficiency: lines "name  value". Throws
// StageError(Usage) as partitionTiles does.
std::string rankPlanText(const tiler::TiledGeometry& geometry, const PlannedState& state, int ranks,
                         const Machine& machine = {});

}  // namespace tessera::solver::bench
