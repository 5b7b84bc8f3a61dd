// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/compare_structures.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <new>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "solver/bench/trial.hpp"
#include "solver/comparators/structure_bytes.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::bench {

using comparators::Comparator;
using comparators::ComparatorInfo;
using comparators::FluidNodes;
using comparators::NodeOrder;
using stage::ExitCode;
using tiler::file::TilesFile;

namespace {

constexpr const char* comparatorHeader =
    "structure,order,collision,precision,backend,fluid_nodes,porosity,utilisation,mflups_median,"
    "mflups_min,mflups_max,bytes_per_node,memory_per_node,copy_bandwidth[GB/s],bound_mflups,"
    "bound_fraction,bound_fraction_min,bound_fraction_max\n";

std::string textOf(const StructureSpeed& line, const tiler::TiledGeometry& geometry) {
  const Measured& measured = line.measured;
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(),
                "%s,%s,%s,%s,%s,%llu,%.4f,%.4f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.4f,%.4f,%.4f\n",
                line.structure.c_str(), comparators::nameOf(line.order),
                model::nameOf(line.collision), model::nameOf(line.precision),
                line.cuda ? "cuda" : "cpu", static_cast<unsigned long long>(geometry.fluidNodes),
                porosityOf(geometry), geometry.utilisation(), measured.mflups.median,
                measured.mflups.least, measured.mflups.most, line.bytesPerNode, line.memoryPerNode,
                measured.bandwidth.median / 1e9,
                measured.bandwidth.median / (1e6 * line.bytesPerNode), measured.fraction.median,
                measured.fraction.least, measured.fraction.most);
  return text.data();
}

}  // namespace

double porosityOf(const tiler::TiledGeometry& geometry) {
  double box = 1.0;
  for (const int nodes : geometry.nodes) box *= nodes;
  return static_cast<double>(geometry.fluidNodes) / box;
}

StructureSpeed measureTiles(const TilesFile& closed, const FluidNodes& nodes,
                            model::CollisionId collision, model::PrecisionId precision,
                            const std::string& backend, const BenchEffort& effort) {
  const backend::VariantInfo& variant =
      backend::findVariant({.lattice = comparators::latticeOf(closed.geometry),
                            .collision = collision,
                            .precision = precision});
  const BenchLine line = benchVariant(closed, variant, backend, "2", effort);
  const comparators::StructureBytes bytes =
      comparators::tileBytes(nodes, {variant.stateValues, variant.storageBytes, line.stepsInPass});
  StructureSpeed speed{"tiles",
                       NodeOrder::Curve,
                       collision,
                       precision,
                       line.cuda,
                       bytes.moved / nodes.count(),
                       bytes.held / nodes.count(),
                       {}};
  const auto scaled = [&](double fraction) {
    return fraction * speed.bytesPerNode / line.bytesPerNode;
  };
  speed.measured = {
      line.mflups,
      line.bandwidth,
      {scaled(line.fraction.median), scaled(line.fraction.least), scaled(line.fraction.most)}};
  return speed;
}

StructureSpeed measureStructure(const FluidNodes& nodes, const ComparatorInfo& info, bool cuda,
                                const BenchEffort& effort) {
  const std::unique_ptr<Comparator> comparator =
      (cuda ? info.makeCuda : info.makeCpu)(nodes, {{0.8, 3.0 / 16.0, {}, {}}});
  comparator->setNoise();
  StructureSpeed speed{info.name,
                       info.order,
                       info.collision,
                       info.precision,
                       cuda,
                       comparator->bytesPerNode(),
                       comparator->memoryPerNode(),
                       {}};
  speed.measured = measure(*comparator, nodes.count(), speed.bytesPerNode, effort);
  return speed;
}

std::string benchComparators(const TilesFile& closed, const std::string& backend,
                             const std::optional<std::string>& precision,
                             const std::optional<BenchEffort>& wanted) {
  const bool cuda = trialOnCuda(backend);
  const BenchEffort effort = wanted.value_or(cuda ? BenchEffort{5, 0.1} : BenchEffort{});
  const FluidNodes curve(closed.geometry, NodeOrder::Curve);
  const FluidNodes rows(closed.geometry, NodeOrder::Rows);
  std::string text;
  const ComparatorInfo* before = nullptr;
  for (const ComparatorInfo& info : comparators::comparatorsOf(closed.geometry)) {
    if (precision && *precision != model::nameOf(info.precision)) continue;
    const bool first = before == nullptr || before->collision != info.collision ||
                       before->precision != info.precision;
    before = &info;
    const auto add = [&](const std::string& name, const auto& measured) {
      const std::string what = name + " in " + model::nameOf(info.precision) + " is left out: ";
      try {
        text += textOf(measured(), closed.geometry);
      } catch (const stage::StageError& error) {
        if (error.code() != ExitCode::NoResource && error.code() != ExitCode::Usage) throw;
        stage::logWarning(what + error.what());
      } catch (const std::bad_alloc&) {
        stage::logWarning(what + "not enough memory");
      }
    };
    if (first)
      add("tiles", [&] {
        return measureTiles(closed, curve, info.collision, info.precision, backend, effort);
      });
    add(info.name, [&] {
      return measureStructure(info.order == NodeOrder::Curve ? curve : rows, info, cuda, effort);
    });
  }
  if (text.empty())
    stage::fail(ExitCode::Usage,
                "--bench comparators found nothing to measure for this geometry and precision; f64 "
                "and f32 are compared");
  return comparatorHeader + text;
}

}  // namespace tessera::solver::bench
