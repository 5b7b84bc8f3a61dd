// SPDX-License-Identifier: GPL-3.0-or-later
// --bench comparators: speed and memory of tiles and of the papers' other structures on one
// geometry, on one driver and with one collision code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solver/bench/bench.hpp"
#include "solver/bench/measure.hpp"
#include "solver/comparators/comparator.hpp"

namespace tessera::solver::bench {

// Structure, order of nodes, collision and precision on one geometry.
struct StructureSpeed {
  std::string structure;  // as of StructurePlan
  comparators::NodeOrder order = comparators::NodeOrder::Curve;
  model::CollisionId collision = model::CollisionId::Bgk;
  model::PrecisionId precision = model::PrecisionId::F64;
  bool cuda = false;
  double bytesPerNode = 0.0;   // moved in a step
  double memoryPerNode = 0.0;  // held
  Measured measured;
  std::optional<double> predictedMflups;  // by --plan --structures; empty: share not known
};
// nodes: in the order that the structure is made for. Throws as ComparatorInfo's makers.
StructureSpeed measureStructure(const comparators::FluidNodes& nodes,
                                const comparators::ComparatorInfo& info, bool cuda,
                                const BenchEffort& effort);
// Whole tiles as runs store them: populations in two copies or in one by the in-place update (on
// CUDA alone), or moments in two copies with the regularised collision.
enum class TileForm { TwoCopies, InPlace, Moments };
// closed: of which the nodes are. collision: of populations. Throws StageError(Usage) where the
// geometry has too few tiles for the in-place update. stepsInPass: as of benchVariant().
StructureSpeed measureTiles(const tiler::file::TilesFile& closed,
                            const comparators::FluidNodes& nodes, TileForm form,
                            model::CollisionId collision, model::PrecisionId precision,
                            const std::string& backend, const BenchEffort& effort,
                            int stepsInPass = 0);

// Share of fluid nodes in the box.
double porosityOf(const tiler::TiledGeometry& geometry);

struct StructureChoice {
  std::string backend = "auto";
  std::optional<std::string> precision{}, collision{};  // names; empty: all
  std::vector<std::string> structures{};                // names besides whole tiles; empty: all
  std::optional<BenchEffort> effort{};  // by default shorter on a GPU, where times vary little
};
// Whole tiles in each form that this build and the device have, and every structure in each of its
// orders of nodes. closed: without openings. Those that do not fit the geometry or the memory are
// left out with a warning. Throws StageError(NoResource) for cuda without a device.
std::vector<StructureSpeed> measureStructures(const tiler::file::TilesFile& closed,
                                              const StructureChoice& choice);

// CSV with a header, a line for each of measureStructures(): MFLUPS over fluid nodes as median,
// least and most; bytes that a step moves per fluid node as the structure counts them, whole memory
// sectors of 32 bytes, indices and masks included; bytes held per fluid node; the copy bandwidth,
// the speed that both allow, the fraction of it reached, and the speed that --plan --structures
// predicts. Throws StageError(Usage) where there is no line.
std::string benchComparators(const tiler::file::TilesFile& closed, const StructureChoice& choice);

}  // namespace tessera::solver::bench
