// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/compare_structures.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <new>
#include <set>
#include <utility>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/bench/stored_speeds.hpp"
#include "solver/bench/structure_table.hpp"
#include "solver/bench/trial.hpp"
#include "solver/comparators/structure_bytes.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::bench {

using comparators::Comparator;
using comparators::ComparatorInfo;
using comparators::FluidNodes;
using comparators::NodeOrder;
using comparators::StructureBytes;
using stage::ExitCode;
using tiler::file::TilesFile;

namespace {

constexpr const char* comparatorHeader =
    "structure,order,collision,precision,backend,fluid_nodes,porosity,utilisation,mflups_median,"
    "mflups_min,mflups_max,bytes_per_node,memory_per_node,copy_bandwidth[GB/s],bound_mflups,"
    "bound_fraction,bound_fraction_min,bound_fraction_max,predicted_mflups\n";

std::string textOf(const StructureSpeed& line, const tiler::TiledGeometry& geometry) {
  const Measured& measured = line.measured;
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(),
                "%s,%s,%s,%s,%s,%llu,%.4f,%.4f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.4f,%.4f,%.4f,",
                line.structure.c_str(), comparators::nameOf(line.order),
                model::nameOf(line.collision), model::nameOf(line.precision),
                line.cuda ? "cuda" : "cpu", static_cast<unsigned long long>(geometry.fluidNodes),
                porosityOf(geometry), geometry.utilisation(), measured.mflups.median,
                measured.mflups.least, measured.mflups.most, line.bytesPerNode, line.memoryPerNode,
                measured.bandwidth.median / 1e9,
                measured.bandwidth.median / (1e6 * line.bytesPerNode), measured.fraction.median,
                measured.fraction.least, measured.fraction.most);
  std::string cells = text.data();
  if (line.predictedMflups) cells += fmt::format("{:.1f}", *line.predictedMflups);
  return cells + "\n";
}

// Axes of whole tiles; moments have one collision.
model::VariantAxes axesOf(TileForm form, const FluidNodes& nodes, model::CollisionId collision,
                          model::PrecisionId precision) {
  model::VariantAxes axes{.lattice = comparators::latticeOf(nodes.geometry()),
                          .collision = collision,
                          .precision = precision};
  if (form == TileForm::Moments) {
    axes.collision = model::CollisionId::Regularised;
    axes.state = model::StateId::Moments;
  }
  return axes;
}

constexpr const char* twice = "tiles-moments-twice";

std::string nameOf(TileForm form, int stepsInPass) {
  if (form == TileForm::InPlace) return "tiles-in-place";
  if (form == TileForm::TwoCopies) return "tiles";
  return stepsInPass == 2 ? twice : "tiles-moments";
}

bool isNamed(const std::string& name, const std::vector<std::string>& names) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool isOf(const ComparatorInfo& info, const StructureChoice& choice) {
  return (!choice.precision || *choice.precision == model::nameOf(info.precision)) &&
         (!choice.collision || *choice.collision == model::nameOf(info.collision));
}

std::optional<double> predictionOf(const StructureSpeed& line, const tiler::TiledGeometry& geometry,
                                   const CopyBandwidth& bandwidth) {
  const unsigned valueBytes = line.precision == model::PrecisionId::F64 ? 8 : 4;
  const auto nodes = static_cast<double>(geometry.fluidNodes);
  const StructurePlan plan{
      line.structure, StructureBytes{line.bytesPerNode * nodes, line.memoryPerNode * nodes},
      measuredShareOn(geometry, line.structure, line.cuda, valueBytes, line.bytesPerNode * nodes)};
  if (!plan.share || bandwidth.value <= 0.0) return std::nullopt;
  return predictedMflups(plan, geometry.fluidNodes, bandwidth.value);
}

}  // namespace

double porosityOf(const tiler::TiledGeometry& geometry) {
  double box = 1.0;
  for (const int nodes : geometry.nodes) box *= nodes;
  return static_cast<double>(geometry.fluidNodes) / box;
}

StructureSpeed measureTiles(const TilesFile& closed, const FluidNodes& nodes, TileForm form,
                            model::CollisionId collision, model::PrecisionId precision,
                            const std::string& backend, const BenchEffort& effort,
                            int stepsInPass) {
  const backend::VariantInfo& variant =
      backend::findVariant(axesOf(form, nodes, collision, precision));
  const bool inPlace = form == TileForm::InPlace;
  const comparators::TileState state{variant.storedWords, variant.storageBytes};
  const std::optional<StructureBytes> window =
      inPlace ? comparators::tileBytesInPlace(nodes, state) : std::nullopt;
  if (inPlace && !window)
    stage::fail(ExitCode::Usage,
                "a geometry of so few tiles is always in two copies; use a larger one");
  const BenchLine line = benchVariant(closed, variant, backend, inPlace ? "1" : "2", effort,
                                      comm::noOthers(), {}, stepsInPass);
  const StructureBytes bytes =
      window ? *window
             : comparators::tileBytes(nodes, {state.values, state.valueBytes, line.stepsInPass});
  StructureSpeed speed{nameOf(form, line.stepsInPass),
                       NodeOrder::Curve,
                       variant.axes.collision,
                       precision,
                       line.cuda,
                       bytes.moved / nodes.count(),
                       bytes.held / nodes.count(),
                       {},
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
                       {},
                       {}};
  speed.measured = measure(*comparator, nodes.count(), speed.bytesPerNode, effort);
  return speed;
}

std::vector<StructureSpeed> measureStructures(const TilesFile& closed,
                                              const StructureChoice& choice) {
  const bool cuda = trialOnCuda(choice.backend);
  const BenchEffort effort = choice.effort.value_or(cuda ? BenchEffort{5, 0.1} : BenchEffort{});
  const FluidNodes curve(closed.geometry, NodeOrder::Curve);
  const FluidNodes rows(closed.geometry, NodeOrder::Rows);
  const CopyBandwidth bandwidth = expectedBandwidth(readSpeeds(speedsFile()), cuda);
  std::vector<StructureSpeed> lines;
  const auto add = [&](const std::string& name, model::PrecisionId precision,
                       const auto& measured) {
    const std::string what = name + " in " + model::nameOf(precision) + " is left out: ";
    try {
      lines.push_back(measured());
      lines.back().predictedMflups = predictionOf(lines.back(), closed.geometry, bandwidth);
    } catch (const stage::StageError& error) {
      if (error.code() != ExitCode::NoResource && error.code() != ExitCode::Usage) throw;
      stage::logWarning(what + error.what());
    } catch (const std::bad_alloc&) {
      stage::logWarning(what + "not enough memory");
    }
  };
  std::set<std::pair<model::CollisionId, model::PrecisionId>> ofTiles;  // populations and moments
  const auto addTiles = [&](TileForm form, const ComparatorInfo& like, int stepsInPass = 0) {
    if (form == TileForm::InPlace && !cuda) return;
    if (backend::builtVariant(axesOf(form, curve, like.collision, like.precision)) == nullptr)
      return;
    add(nameOf(form, 1), like.precision, [&] {
      return measureTiles(closed, curve, form, like.collision, like.precision, choice.backend,
                          effort, stepsInPass);
    });
  };
  for (const ComparatorInfo& info : comparators::comparatorsOf(closed.geometry)) {
    if (!isOf(info, choice)) continue;
    if (ofTiles.insert({info.collision, info.precision}).second) {
      addTiles(TileForm::TwoCopies, info);
      addTiles(TileForm::InPlace, info);
    }
    if (ofTiles.insert({model::CollisionId::Regularised, info.precision}).second) {
      addTiles(TileForm::Moments, info);
      // For runs that may not make two.
      if (!lines.empty() && lines.back().structure == twice) addTiles(TileForm::Moments, info, 1);
    }
    if (!isNamed(info.name, choice.structures)) continue;
    add(info.name, info.precision, [&] {
      return measureStructure(info.order == NodeOrder::Curve ? curve : rows, info, cuda, effort);
    });
  }
  return lines;
}

std::string benchComparators(const TilesFile& closed, const StructureChoice& choice) {
  std::string text;
  for (const StructureSpeed& line : measureStructures(closed, choice))
    text += textOf(line, closed.geometry);
  if (text.empty())
    stage::fail(ExitCode::Usage,
                comparators::comparators().empty()
                    ? "no other structures than tiles are built into this program; "
                      "make -C pipelines build adds them"
                    : "--bench comparators found nothing to measure for this geometry and "
                      "precision; f64 and f32 are compared");
  return comparatorHeader + text;
}

}  // namespace tessera::solver::bench
