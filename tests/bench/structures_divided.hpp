// SPDX-License-Identifier: GPL-3.0-or-later
// A geometry divided among ranks in layers across one axis, for the structures of Suffa et al. 2024
// on several devices: their runs of the kernel alone, in which each device steps its part without
// exchange and all wait for the slowest.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/comparators/comparator.hpp"
#include "solver/tiles/partition.hpp"
#include "tests/bench/paper_measure.hpp"

namespace tessera::paper {

// Layers of nodes: layer k of rank r from starts[r] to starts[r + 1] - 1 along the axis.
struct Division {
  int axis = 2;
  std::vector<int> starts;  // one more than ranks
};

// The longest axis of the box, the last of equal ones.
int longestAxis(const tiler::TiledGeometry& geometry);

// Equal numbers of layers, whole tiles of them: 4 nodes. Throws StageError(Usage) for less than a
// tile a rank.
Division equalLayers(const tiler::TiledGeometry& geometry, int axis, int ranks);

// Work of each structure in slabs of 16 layers, the last one cut off by the box: bytes that a step
// moves (Equations 12 and 13 of Suffa et al., here as the structure counts them). Collective: each
// rank counts some of the slabs.
using WorkOfSlabs = std::vector<std::int64_t>;
std::vector<WorkOfSlabs> workOfSlabs(
    const tiler::TiledGeometry& geometry, int axis,
    const std::vector<const solver::comparators::ComparatorInfo*>& infos,
    solver::comm::Ranks& ranks);
// Layers of equal work, whole tiles of them, at least one a rank. Throws as equalLayers.
Division balancedLayers(const tiler::TiledGeometry& geometry, int axis, int ranks,
                        const WorkOfSlabs& work);

// A rank's layers as a geometry of its own; cuts are walls. closed: without openings.
TilesFile layersOf(const tiler::TiledGeometry& closed, const Division& division, int rank);

// The same division of the tiles of one geometry.
solver::tiles::Partition partitionOf(const tiler::TiledGeometry& geometry,
                                     const Division& division);

}  // namespace tessera::paper
