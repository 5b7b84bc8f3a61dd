// SPDX-License-Identifier: GPL-3.0-or-later
// --plan --structures: memory, bytes moved and predicted speed of tiles and of the papers' other
// structures on one geometry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/bench/stored_speeds.hpp"
#include "solver/comparators/structure_bytes.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::bench {

struct StructurePlan {
  // "tiles", "tiles-in-place", "tiles-moments", "tiles-moments-twice": by passes of two steps; or
  // of ComparatorInfo.
  std::string name;
  std::optional<comparators::StructureBytes> bytes;  // empty: it cannot store the geometry
  std::optional<double> share;                       // of the bound that it reaches, where measured
};

struct StructureWish {
  unsigned valueBytes = 8;  // f64, or 4: f32
  bool cuda = false;
  bool stepsTwice = false;  // passes on moments may make two steps (Setup::mayStepTwice)
};

// One entry a structure. closed: without openings. D3Q19, in two dimensions D2Q9, of which no share
// has been measured. Moments and tiles in place (CUDA) where this build has them. Counts the plans
// alone, one at a time: no state is allocated.
std::vector<StructurePlan> planStructures(const tiler::TiledGeometry& closed,
                                          const StructureWish& wish);

// Share of its bound that a structure reaches on a geometry; empty: not measured. D3Q19 alone.
// movedBytes: a step, of all nodes.
std::optional<double> measuredShareOn(const tiler::TiledGeometry& geometry, const std::string& name,
                                      bool cuda, unsigned valueBytes, double movedBytes);

// Parts of a pass on a GPU by which PartTime counts its time; 0 for other structures.
double partsOfPass(const tiler::TiledGeometry& geometry, const std::string& name,
                   unsigned valueBytes);

struct CopyBandwidth {
  double value = 0.0;  // bytes per second, reads and writes counted; 0: unknown
  std::string source;  // "measured by --bench"
};
// Bandwidth of the device of a run with these threads: the newest of --bench, else from the
// device's peak or by a short copy on the CPU.
CopyBandwidth expectedBandwidth(const std::vector<StoredSpeed>& stored, bool cuda);

// 10^6 updates of fluid nodes per second: bandwidth over the bytes of a node, times the share that
// the structure reaches; with 1 for an unknown one. 0 without a bandwidth.
double predictedMflups(const StructurePlan& plan, std::uint64_t nodes, double bandwidth);

// In 80 columns, the predicted speed marked "<" where it is the bound, and why runs on this kind of
// device store whole tiles.
std::string structureText(const std::vector<StructurePlan>& plans, std::uint64_t nodes,
                          const CopyBandwidth& bandwidth, bool cuda);

}  // namespace tessera::solver::bench
