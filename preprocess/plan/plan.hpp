// SPDX-License-Identifier: GPL-3.0-or-later
// Files, memory and time of the chain from the counts of a lattice (--plan).
#pragma once

#include <string>

#include "pipelines/stage/chain_sizes.hpp"
#include "preprocess/plan/count_lattice.hpp"

namespace tessera::preprocess::plan {

// Counts from which tiler and solver estimate their files and memory.
stage::ChainCounts chainCounts(const LatticeCounts& counts);
// For D3Q19, in 2D D2Q9.
stage::StateCounts stateCounts(const LatticeCounts& counts);

double latticeFileBytes(const LatticeCounts& counts);  // geom.vdb

// Peak memory of preprocess. It scales with the fluid and the boundary; the box contributes only
// the directory of the blocks of bits.
double surfaceMemory(const LatticeCounts& counts);
// Upper bound on it without counting, many times above it for a wide lattice. area: of the surface,
// in spacings squared.
double mostSurfaceMemory(const Double3& nodes, double area, std::size_t triangles,
                         std::size_t vertices);
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
