// SPDX-License-Identifier: GPL-3.0-or-later
// How long a step of several ranks takes, foretold from bandwidths and latencies: border tiles
// first, then the exchange while the interior is stepped.
#pragma once

#include "solver/bench/halo_statistics.hpp"

namespace tessera::solver::bench {

// SI units. The defaults are one H200 a rank, eight of them in a node that NVLink joins, nodes
// joined by a network port of 400 Gb/s a GPU.
struct Machine {
  double copyBandwidth = 4.26e12;  // reads and writes counted; measured (solver/backend/README.md)
  double nodeBandwidth = 450e9;    // between ranks of a node, one way; of the data sheet
  double networkBandwidth = 50e9;  // of a rank to other nodes, one way; of the data sheet
  int ranksPerNode = 8;
  double latency = 10e-6;     // of an exchange; assumed
  double messageTime = 1e-6;  // more for each message of it; assumed
  // Of a kernel: what the demo's 7,441 tiles take longer than as many of a large box (fp64 3.8 us,
  // fp32 4.9 us, solver/backend/README.md).
  double launchTime = 4.5e-6;
};

// What of the copy bandwidth a step reaches by the bytes of TileCosts: on one H200 0.955 (fp64) and
// 0.943 (fp32, and 0.908 f16) with populations, 0.776 and 0.679 with moments
// (solver/backend/README.md, boxes of 256^3). storageBytes: 8, 4 or 2.
double stepShare(bool moments, unsigned storageBytes);

struct StoredState {
  bool moments = false;
  unsigned values = 19;  // of a node
  unsigned storageBytes = 4;
};

struct StepTime {
  double compute = 0.0;   // s; of all tiles, launches, packing and unpacking
  double exchange = 0.0;  // s; messages on their way
  double step = 0.0;      // s; the exchange hidden as far as the interior is long enough
  double unhidden = 0.0;  // s; one after the other
};

// Of one of several ranks. Packed and unpacked values take their sectors' part of the memory's
// bandwidth (16 bytes each, the mean over the faces of a tile: whole sectors on y and z, a fourth
// of one on x) and their place in the message.
StepTime stepTime(const RankStatistics& rank, int ranks, const StoredState& state,
                  const Machine& machine);
// On one rank of the same machine, s: cost in bytes, TileCosts.
double timeAlone(double cost, const StoredState& state, const Machine& machine);

struct Prediction {
  StepTime slowest;         // each the largest of all ranks
  double alone = 0.0;       // s; of a rank that has everything
  double efficiency = 0.0;  // alone / (ranks x step)
  double unhidden = 0.0;    // efficiency without hiding
  double balance = 1.0;     // largest over mean cost
};
Prediction predict(const std::vector<RankStatistics>& ranks, const StoredState& state,
                   const Machine& machine);

}  // namespace tessera::solver::bench
