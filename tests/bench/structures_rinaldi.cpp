// SPDX-License-Identifier: GPL-3.0-or-later
// Rinaldi et al. 2011: speed in their channel with a sudden expansion, D2Q9 on tiles of 8 x 8.
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "tests/bench/structures_parts.hpp"
#include "tests/bench/structures_values.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

namespace tessera::paper {

using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
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
      "nodes_x,nodes_y,fluid_nodes,variant,mflups_median,mflups_min,mflups_max,copy_fraction,"
      "paper_peak_mlups,paper_bandwidth_fraction\n";
  for (const int height : {32, 64, 128, 256, 512, 1024, 2048}) {
    const int scaled = effort.scaled(height, 32);
    if (scaled < height && scaled == 32 && height != 32) continue;
    const TilesFile tiles = expansionTiles(scaled);
    const BenchLine line = benchVariant(tiles, variant, effort.backend, "2", effort.bench);
    text += fmt::format("{},{},{},{},{:.1f},{:.1f},{:.1f},{:.4f},{:.0f},{:.2f}\n", 3 * scaled,
                        scaled, tiles.geometry.fluidNodes, variant.name(), line.mflups.median,
                        line.mflups.least, line.mflups.most, line.fraction.median,
                        rinaldi::peakGt200, rinaldi::fractionGt200);
  }
  writeText(folder / "rinaldi_table3.csv", text);
}

}  // namespace tessera::paper
