// SPDX-License-Identifier: GPL-3.0-or-later
// Habich et al. 2013: the bound by a copy of memory, and dense storage with and without padding.
#include <tbb/global_control.h>

#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/compare_structures.hpp"
#include "tests/bench/structures_parts.hpp"
#include "tests/bench/structures_values.hpp"

namespace tessera::paper {

using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::file;

namespace {

const ComparatorInfo& denseInfo(const std::string& name, PrecisionId precision) {
  for (const ComparatorInfo& info : solver::comparators::comparators())
    if (info.name == name && info.lattice == LatticeId::D3Q19 &&
        info.collision == CollisionId::Bgk && info.precision == precision)
      return info;
  throw std::logic_error("no structure " + name);
}

std::string boundLine(const std::string& machine, double copy, double single, double twice,
                      double theirCopy) {
  const auto text = [](double value, double unit, int digits) {
    return value > 0.0 ? fmt::format("{:.{}f}", value / unit, digits) : "";
  };
  return fmt::format("{},{},{},{},{}\n", machine, text(copy, 1e9, 1), text(single, 1.0, 0),
                     text(twice, 1.0, 0), text(theirCopy, 1e9, 2));
}

// Table 3 (copies) and Table 4 (bounds). Ours store past the caches on a CPU, so that no line is
// read before it is written: 152 and 304 bytes a node on both.
void writeBounds(const Folder& folder, const FluidNodes& nodes, bool cuda) {
  const ComparatorInfo& info = denseInfo("dense", PrecisionId::F64);
  const auto state = (cuda ? info.makeCuda : info.makeCpu)(nodes, {{0.8, 3.0 / 16.0, {}, {}}});
  const auto copy = [&] {
    std::vector<double> values;
    for (int k = 0; k < 5; ++k) values.push_back(state->copyBandwidth());
    return spreadOf(std::move(values)).median;
  };
  std::string text = "machine,copy[GB/s],bound_single,bound_double,paper_copy[GB/s]\n";
  const auto ours = [&](const std::string& machine, double bandwidth, double theirs) {
    text +=
        boundLine(machine, bandwidth, 1e-6 * bandwidth / 152.0, 1e-6 * bandwidth / 304.0, theirs);
  };
  if (cuda) {
    ours(solver::backend::findDevice()->name, copy(), 0.0);
  } else {
    {
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      ours("this CPU, one core", copy(), habich::cpuCopy.front());
    }
    ours("this CPU", copy(), habich::cpuCopy.back());
  }
  for (const habich::Machine& of : habich::machines)
    text += boundLine(of.name, of.copy, of.single, of.twice, of.copy);
  writeText(folder / "habich_tables3_4.csv", text);
}

}  // namespace

void habichDense(const Folder& folder, const Effort& effort) {
  const bool cuda = trialOnCuda(effort.backend);
  // 200^3 nodes, rows of 12.5 and 6.25 times 128 bytes; and rows of whole 128 bytes.
  const int edge = effort.scaled(habich::edge, 20);
  std::string text =
      "nodes_x,structure,precision,mflups_median,mflups_min,mflups_max,bytes_per_node,"
      "memory_per_node,bound_fraction,paper_bound_fraction\n";
  for (const int x : {edge, edge / 16 * 16}) {
    const TilesFile tiles = builtInTiles({"channel", {x, edge, edge}});
    const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
    if (x == edge) writeBounds(folder, nodes, cuda);
    for (const PrecisionId precision : {PrecisionId::F32, PrecisionId::F64})
      for (const char* name : {"dense-unpadded", "dense"}) {
        const StructureSpeed of =
            measureStructure(nodes, denseInfo(name, precision), cuda, effort.bench);
        text += fmt::format(
            "{},{},{},{:.1f},{:.1f},{:.1f},{:.1f},{:.1f},{:.4f},{:.2f}\n", x, name,
            nameOf(precision), of.measured.mflups.median, of.measured.mflups.least,
            of.measured.mflups.most, of.bytesPerNode, of.memoryPerNode, of.measured.fraction.median,
            precision == PrecisionId::F32 ? habich::singleFraction : habich::doubleFraction);
      }
  }
  writeText(folder / "habich_figures2_3.csv", text);
}

}  // namespace tessera::paper
