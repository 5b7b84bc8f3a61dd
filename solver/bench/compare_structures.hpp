// SPDX-License-Identifier: GPL-3.0-or-later
// --bench comparators: speed and memory of tiles and of the papers' other structures on one
// geometry, on one driver and with one collision code.
#pragma once

#include <optional>
#include <string>

#include "solver/bench/bench.hpp"
#include "solver/bench/measure.hpp"
#include "solver/comparators/comparator.hpp"

namespace tessera::solver::bench {

// Structure, order of nodes, collision and precision on one geometry.
struct StructureSpeed {
  std::string structure;  // "tiles", or as of ComparatorInfo
  comparators::NodeOrder order = comparators::NodeOrder::Curve;
  model::CollisionId collision = model::CollisionId::Bgk;
  model::PrecisionId precision = model::PrecisionId::F64;
  bool cuda = false;
  double bytesPerNode = 0.0;   // moved in a step
  double memoryPerNode = 0.0;  // held
  Measured measured;
};
// nodes: in the order that the structure is made for. Throws as ComparatorInfo's makers.
StructureSpeed measureStructure(const comparators::FluidNodes& nodes,
                                const comparators::ComparatorInfo& info, bool cuda,
                                const BenchEffort& effort);
// Tiles as runs store them, in two copies. closed: of which the nodes are.
StructureSpeed measureTiles(const tiler::file::TilesFile& closed,
                            const comparators::FluidNodes& nodes, model::CollisionId collision,
                            model::PrecisionId precision, const std::string& backend,
                            const BenchEffort& effort);

// Share of fluid nodes in the box.
double porosityOf(const tiler::TiledGeometry& geometry);

// closed: without openings. CSV with a header, a line for each structure, order
// of nodes, collision and precision (all, or the one named): MFLUPS over fluid nodes as median,
// least and most; bytes that a step moves per fluid node as the structure counts them, whole
// memory sectors of 32 bytes, indices and masks included; bytes held per fluid node; the copy
// bandwidth, the speed that both allow, and the fraction of it reached. Structures that do not fit
// the geometry or the memory are left out with a warning. Throws StageError(Usage) where none is
// left, (NoResource) for cuda without a device. effort: by default shorter on a GPU, where there
// are many lines and their times vary little.
std::string benchComparators(const tiler::file::TilesFile& closed, const std::string& backend,
                             const std::optional<std::string>& precision,
                             const std::optional<BenchEffort>& effort = std::nullopt);

}  // namespace tessera::solver::bench
