// SPDX-License-Identifier: GPL-3.0-or-later
// Rinaldi et al. 2011: speed in their channel with a sudden expansion, D2Q9: their kernel through
// shared memory, plain dense storage, lists, tiles of 8 x 8 with ghost buffers and as runs have
// them.
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/bench/compare_structures.hpp"
#include "tests/bench/structures_parts.hpp"
#include "tests/bench/structures_values.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

namespace tessera::paper {

using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::testing;
using namespace tessera::tiler::file;

namespace {

// LBGK in single precision; TRT, as fast, where this build has no LBGK.
const VariantInfo& flatVariant() {
  const VariantInfo* found = nullptr;
  for (const VariantInfo& of : variants()) {
    const VariantAxes& axes = of.axes;
    const bool fits = axes.lattice == LatticeId::D2Q9 && axes.precision == PrecisionId::F32 &&
                      axes.equilibrium == EquilibriumId::QuasiCompressible &&
                      axes.viscosity == ViscosityId::Constant && axes.tiling == TilingId::Aligned &&
                      axes.state == StateId::Populations;
    if (fits && axes.collision == CollisionId::Bgk) return of;
    if (fits && axes.collision == CollisionId::Trt) found = &of;
  }
  if (found == nullptr) fail(ExitCode::Usage, "this build has no D2Q9 in single precision");
  return *found;
}

// Theirs first.
constexpr std::array flatStructures{"dense-shared-memory", "dense", "lists", "tiles-ghost-buffers",
                                    "tiles-ghost-16x16"};

std::string lineOf(const TilesFile& tiles, const std::string& structure, const Spread& mflups,
                   double bytesPerNode, double fraction) {
  const Int3& nodes = tiles.geometry.nodes;
  const bool theirs = structure == flatStructures.front();
  return fmt::format("{},{},{},{},{:.1f},{:.1f},{:.1f},{:.1f},{:.4f},{}\n", nodes[0], nodes[1],
                     tiles.geometry.fluidNodes, structure, mflups.median, mflups.least, mflups.most,
                     bytesPerNode, fraction,
                     theirs ? fmt::format("{:.0f},{:.0f},{:.2f}", rinaldi::peakG80,
                                          rinaldi::peakGt200, rinaldi::fractionGt200)
                            : ",,");
}

// Three times as long as high; half as high up to a third of its length, in the middle.
TilesFile expansionTiles(int height) {
  return imageGeometry(
      {3 * height, height, 1},
      [=](int x, int y, int) { return x >= height || (4 * y >= height && 4 * y < 3 * height); },
      {false, false, true}, {}, 1e-4, {0, 0, 0}, 2);
}

}  // namespace

void rinaldiExpansion(const Folder& folder, const Effort& effort) {
  const VariantInfo& variant = flatVariant();
  std::string text =
      "nodes_x,nodes_y,fluid_nodes,structure,mflups_median,mflups_min,mflups_max,bytes_per_node,"
      "bound_fraction,paper_mlups_8800gt,paper_mlups_gtx260,paper_bandwidth_fraction\n";
  const bool cuda = trialOnCuda(effort.backend);
  for (const int height : {32, 64, 128, 256, 512, 1024, 2048}) {
    const int scaled = effort.scaled(height, 32);
    if (scaled < height && scaled == 32 && height != 32) continue;
    const TilesFile tiles = expansionTiles(scaled);
    const FluidNodes rows(tiles.geometry, NodeOrder::Rows);
    const FluidNodes curve(tiles.geometry, NodeOrder::Curve);
    for (const char* name : flatStructures)
      for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
        const bool last = info.order == NodeOrder::Rows || info.name.starts_with("tiles-ghost");
        if (info.name != name || !last || info.collision != CollisionId::Bgk ||
            info.precision != PrecisionId::F32)
          continue;
        const StructureSpeed of = measureStructure(info.order == NodeOrder::Rows ? rows : curve,
                                                   info, cuda, effort.bench);
        text +=
            lineOf(tiles, name, of.measured.mflups, of.bytesPerNode, of.measured.fraction.median);
      }
    const BenchLine line = benchVariant(tiles, variant, effort.backend, "2", effort.bench);
    text += lineOf(tiles, std::string("tiles ") + nameOf(variant.axes.collision), line.mflups,
                   line.bytesPerNode, line.fraction.median);
  }
  writeText(folder / "rinaldi_table3.csv", text);
}

}  // namespace tessera::paper
