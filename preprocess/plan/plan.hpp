// SPDX-License-Identifier: GPL-3.0-or-later
// What --plan tells of the chain that a lattice will go through: files, memory, time.
#pragma once

#include <string>

#include "pipelines/stage/chain_sizes.hpp"
#include "preprocess/plan/lattice_counts.hpp"

namespace tessera {

// What the stages after this one go by.
ChainCounts chainCounts(const LatticeCounts& counts);
// Of D3Q19, in 2D D2Q9.
StateCounts stateCounts(const LatticeCounts& counts);

double latticeFileBytes(const LatticeCounts& counts);  // geom.vdb

// Most bytes that preprocess holds at a time; of the box only the directory of the blocks of bits
// counts, the rest is by what is non-solid and what lies at the boundary.
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

}  // namespace tessera
