// SPDX-License-Identifier: GPL-3.0-or-later
// Prediction of the step time of several ranks from bandwidths and latencies: border tiles first,
// then the exchange overlapped with the interior.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/tiles/partition.hpp"

namespace tessera::solver::bench {

// Communication of a partition, counted exactly.

struct RankStatistics {
  std::uint64_t tiles = 0;
  std::uint64_t maskedTiles = 0;
  std::uint64_t fluidNodes = 0;   // non-solid ones
  std::uint64_t cost = 0;         // bytes, TileCosts
  std::uint64_t borderTiles = 0;  // own tiles read by other ranks
  std::uint64_t borderCost = 0;   // bytes, cost of these
  std::uint64_t ghostTiles = 0;   // tiles of other ranks that it reads
  std::uint64_t neighbours = 0;   // ranks that it reads from or that read from it
  // Values read from others and by others in each step. Populations: those pulled across ranks,
  // also through periodic faces, not over links that end on walls or openings. Nodes: their
  // sources, whose moments cross in a moment state.
  std::uint64_t populationsIn = 0, populationsOut = 0;
  std::uint64_t nodesIn = 0, nodesOut = 0;
};

// Statistics of each rank. velocities: directions of the lattice, 0 first. Halfway walls and
// openings need no other values; interpolated walls may, which is not counted.
std::vector<RankStatistics> haloStatistics(const tiler::TiledGeometry& geometry,
                                           std::span<const std::array<int, 3>> velocities,
                                           const tiles::Partition& partition, int ranks,
                                           const tiles::TileCosts& costs);

// Bytes exchanged in one direction.
struct HaloBytes {
  double in = 0.0;
  double out = 0.0;
};
// values: stored values per node, populations or moments.
HaloBytes haloBytes(const RankStatistics& rank, bool moments, unsigned values,
                    unsigned storageBytes);

// Machine model, SI units. Defaults: one H200 per rank, eight per node with NVLink, 400 Gb/s of
// network per GPU.
struct Machine {
  double copyBandwidth = 4.26e12;  // reads and writes counted; measured (tests/bench/RESULTS.md)
  double nodeBandwidth = 450e9;    // between ranks of a node, one way; of the data sheet
  double networkBandwidth = 50e9;  // of a rank to other nodes, one way; of the data sheet
  int ranksPerNode = 8;
  double latency = 10e-6;     // per exchange; assumed
  double messageTime = 1e-6;  // per message; assumed
  // Launch overhead: extra time of the demo's 7,441 tiles over as many of a large box (fp64 3.8 us,
  // fp32 4.9 us, tests/bench/RESULTS.md).
  double launchTime = 4.5e-6;
};

struct StoredState {
  bool moments = false;
  unsigned values = 19;       // per node, as stored
  unsigned storageBytes = 4;  // 8, 4 or 2
};
// Fraction of the copy bandwidth that a step reaches by TileCosts: on one H200 0.955 (fp64), 0.943
// (fp32) and 0.908 (f16) with populations, 0.776, 0.679 and 0.586 (m32/16) with moments
// (tests/bench/RESULTS.md, boxes of 256^3).
double stepShare(const StoredState& state);

struct StepTime {
  double compute = 0.0;   // s; all tiles, launches, packing and unpacking
  double exchange = 0.0;  // s; transfer of messages
  double step = 0.0;      // s; with the exchange overlapped with the interior
  double unhidden = 0.0;  // s; without overlap
};

// Time of one of several ranks. Packed and unpacked values use 16 bytes of bandwidth each (mean
// over the faces of a tile: whole sectors on y and z, a quarter of one on x) and their size in the
// message.
StepTime stepTime(const RankStatistics& rank, int ranks, const StoredState& state,
                  const Machine& machine);
// Time on one rank of the same machine, s. cost: bytes, TileCosts.
double timeAlone(double cost, const StoredState& state, const Machine& machine);

struct Prediction {
  StepTime slowest;         // component-wise largest of all ranks
  double alone = 0.0;       // s; one rank with the whole geometry
  double efficiency = 0.0;  // alone / (ranks x step)
  double unhidden = 0.0;    // efficiency without overlap
  double balance = 1.0;     // largest over mean cost
};
Prediction predict(const std::vector<RankStatistics>& ranks, const StoredState& state,
                   const Machine& machine);

// Report of --plan --ranks N.

struct PlannedState {
  StoredState stored;
  std::span<const std::array<int, 3>> velocities;  // directions of the lattice
  bool interpolatedWalls = false;
  int copies = 2;
};

// Bytes of a rank's device: its tiles and ghost tiles.
double bytesOfRank(const RankStatistics& rank, const PlannedState& state);

// Balance, halo, memory per rank, step time and efficiency as lines "name  value". Throws
// StageError(Usage) as partitionTiles().
std::string rankPlanText(const tiler::TiledGeometry& geometry, const PlannedState& state, int ranks,
                         const Machine& machine = {});

}  // namespace tessera::solver::bench
