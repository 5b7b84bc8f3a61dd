// SPDX-License-Identifier: GPL-3.0-or-later
// Files, memory and time of the chain from the counts of a lattice (--plan).
#pragma once

#include <string>

#include "pipelines/stage/chain_sizes.hpp"
#include "preprocess/plan/lattice_counts.hpp"

namespace tessera::preprocess::plan {

// The counts by which tiler and solver predict their files and memory.
stage::ChainCounts chainCounts(const LatticeCounts& counts);
// D3Q19, in 2D D2Q9.
stage::StateCounts stateCounts(const LatticeCounts& counts);

double latticeFileBytes(const LatticeCounts& counts);  // geom.vdb

// Peak memory of preprocess. It grows with the fluid and with the boundary; of the box only the
// directory of the blocks of bits counts.
double surfaceMemory(const LatticeCounts& counts);
// voxels: of the image as read.
double imageMemory(const LatticeCounts& counts, double voxels);

// Seconds on two cores.
double surfaceSeconds(const LatticeCounts& counts);
double imageSeconds(const LatticeCounts& counts, double voxels);

struct PlanCost {
  double memory = 0.0;   // bytes, of preprocess
  double seconds = 0.0;  // of preprocess
};

// spacing: m.
std::string planText(const LatticeCounts& counts, double spacing, const PlanCost& cost);

}  // namespace tessera::preprocess::plan
