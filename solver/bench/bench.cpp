// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/bench/compare_structures.hpp"
#include "solver/bench/measure.hpp"
#include "solver/bench/stored_speeds.hpp"
#include "solver/run/load_part.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/simulation.hpp"

namespace tessera::solver::bench {

using backend::VariantInfo;
using backend::variants;
using comm::Ranks;
using model::TilingId;
using run::Simulation;
using stage::ExitCode;
using tiler::file::TilesFile;

namespace {

cases::SolverCase benchCase(const VariantInfo& variant) {
  cases::SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.lattice = variant.axes.lattice;
  run.collision = variant.axes.collision;
  run.equilibrium = variant.axes.equilibrium;
  run.precision = variant.axes.precision;
  run.state = variant.axes.state;
  run.tau = 0.8;
  if (variant.axes.viscosity == model::ViscosityId::Local)
    run.law = {.model = model::FluidModel::CarreauYasuda,
               .lowest = 1e-6,
               .highest = 16e-6,
               .timeConstant = 3.313,
               .n = 0.3568};
  return run;
}

void take(const Measured& measured, BenchLine& line) {
  line.mflups = measured.mflups;
  line.bandwidth = measured.bandwidth;
  line.fraction = measured.fraction;
}

// s, median.
double timeExchanges(Simulation& simulation, Ranks& ranks) {
  std::vector<double> seconds;
  for (int k = 0; k < 11; ++k)
    seconds.push_back(timeOf(simulation, ranks, [&] { simulation.exchangeHalo(); }));
  return spreadOf(std::move(seconds)).median;
}

std::string tilingName(const tiler::TiledGeometry& geometry) {
  if (!geometry.isShifted()) return model::nameOf(TilingId::Aligned);
  std::string name = std::string(model::nameOf(TilingId::Shifted)) + "-";
  for (const int axis : geometry.rows.axes) name += static_cast<char>('x' + axis);
  return name;
}

// precision: a name, or none for all.
bool isPrecision(model::PrecisionId id, const std::optional<std::string>& precision) {
  return !precision || *precision == model::nameOf(id);
}

bool fits(const VariantInfo& variant, const tiler::TiledGeometry& geometry,
          const std::optional<std::string>& precision) {
  return isPrecision(variant.axes.precision, precision) &&
         variant.lattice.dimensions == geometry.dimensions &&
         (variant.axes.tiling == TilingId::Shifted) == geometry.isShifted();
}

const VariantInfo& anyFitting(const TilesFile& tiles) {
  return *std::find_if(variants().begin(), variants().end(), [&](const VariantInfo& variant) {
    return fits(variant, tiles.geometry, std::nullopt);
  });
}

bool existsShifted(const VariantInfo& variant) {
  model::VariantAxes shifted = variant.axes;
  shifted.tiling = TilingId::Shifted;
  return backend::builtVariant(shifted) != nullptr;
}

// Variants measured with an in-place update, representative of the others.
bool inOneCopyToo(const VariantInfo& variant) {
  const model::VariantAxes& axes = variant.axes;
  return variant.storesMoments() ||
         (axes.collision == model::CollisionId::Bgk && axes.tiling == TilingId::Aligned &&
          axes.equilibrium == model::EquilibriumId::QuasiCompressible);
}

constexpr const char* header =
    "operation,lattice,collision,equilibrium,viscosity,precision,placement,state,copies,backend,"
    "tiles,utilisation,mflups_median,mflups_min,mflups_max,bytes_per_node,flops_per_node,"
    "copy_bandwidth[GB/s],bound_fraction,bound_fraction_min,bound_fraction_max,ranks,"
    "exchange[us],steps_in_pass\n";

std::string textOf(const BenchLine& line) {
  const model::VariantAxes& axes = line.axes;
  const auto ofCollision = [&](auto id) {
    return std::string(line.collides ? model::nameOf(id) : "none") + ",";
  };
  const std::string variant = std::string(model::nameOf(axes.lattice)) + "," +
                              ofCollision(axes.collision) + ofCollision(axes.equilibrium) +
                              ofCollision(axes.viscosity) + model::nameOf(axes.precision) + "," +
                              line.placement + "," + model::nameOf(axes.state);
  char text[320];
  std::snprintf(text, sizeof(text),
                "%s,%s,%d,%s,%zu,%.4f,%.1f,%.1f,%.1f,%.0f,%.0f,%.1f,%.4f,%.4f,%.4f,%d,%.1f,%d\n",
                line.operation.c_str(), variant.c_str(), line.copies, line.cuda ? "cuda" : "cpu",
                line.tiles, line.utilisation, line.mflups.median, line.mflups.least,
                line.mflups.most, line.bytesPerNode, line.flopsPerNode, line.bandwidth.median / 1e9,
                line.fraction.median, line.fraction.least, line.fraction.most, line.ranks,
                1e6 * line.exchange, line.stepsInPass);
  return text;
}

Simulation noisySimulation(const TilesFile& tiles, const VariantInfo& variant,
                           const std::string& backend, const std::string& copies,
                           Ranks& ranks = comm::noOthers(), const tiles::RankPart& part = {},
                           int stepsInPass = 0) {
  cases::SolverCase run = benchCase(variant);
  run.copies = copies;
  run::Setup setup = run::prepare(tiles.geometry, std::move(run), backend, ranks, part);
  run::checkMemory(setup, false);
  setup.stepsInPass = stepsInPass;
  Simulation simulation(tiles, std::move(setup));
  simulation.setNoise();
  return simulation;
}

std::string benchCopy(const TilesFile& tiles, const std::string& backend) {
  Simulation simulation(tiles, run::prepare(tiles.geometry, benchCase(anyFitting(tiles)), backend));
  char text[64];
  std::snprintf(text, sizeof(text), "copy_bandwidth[GB/s]\n%.1f\n",
                simulation.copyBandwidth() / 1e9);
  return text;
}

std::string benchTrials(const std::string& operation, const TilesFile& tiles,
                        const std::string& backend, const std::optional<std::string>& precision) {
  std::string text;
  for (const Trial& trial : trials())
    if (operation == trial.operation && trial.layouts == std::string(plainLayout) &&
        isPrecision(trial.precision, precision))
      text += textOf(benchTrial(tiles, trial, backend, {}));
  return text;
}

std::vector<BenchLine> benchSteps(bool momentsOnly, const run::LoadedPart& closed,
                                  const std::string& backend,
                                  const std::optional<std::string>& precision,
                                  const std::string& copies, Ranks& ranks) {
  const TilesFile& tiles = closed.tiles;
  std::vector<BenchLine> lines;
  std::exception_ptr tooLarge;
  const auto measured = [&](const VariantInfo& variant, const char* with) {
    try {
      lines.push_back(benchVariant(tiles, variant, backend, with, {}, ranks, closed.part));
      // For runs that may not make two.
      if (lines.back().stepsInPass > 1)
        lines.push_back(benchVariant(tiles, variant, backend, with, {}, ranks, closed.part, 1));
    } catch (const stage::StageError& error) {
      // With several ranks, others may have enough memory and be running.
      if (error.code() != ExitCode::NoResource || !ranks.alone()) throw;
      stage::logWarning(variant.name() + " in " + (with[0] == '1' ? "one copy" : "two copies") +
                        " is left out: " + error.what());
      tooLarge = std::current_exception();
    }
  };
  for (const VariantInfo& variant : variants()) {
    if (!fits(variant, tiles.geometry, precision) || (momentsOnly && !variant.storesMoments()))
      continue;
    if (copies != "1") measured(variant, "2");
    const bool cuda = run::chooseBackend(backend, variant) == run::BackendKind::Cuda;
    if (stage::sumOf(ranks, cuda ? 0 : 1) == 0 && copies != "2" && inOneCopyToo(variant))
      measured(variant, "1");
  }
  if (lines.empty() && tooLarge) std::rethrow_exception(tooLarge);
  return lines;
}

// Keeps them for later plans; a cache that cannot be written is no reason to fail.
void keepSpeeds(const std::filesystem::path& file, const std::vector<BenchLine>& lines) {
  std::vector<StoredSpeed> speeds;
  for (const BenchLine& line : lines)
    speeds.push_back({deviceOf(line.cuda), backend::findVariant(line.axes).name(), line.copies,
                      line.mflups.median, line.utilisation, line.bandwidth.median,
                      line.stepsInPass});
  try {
    storeSpeeds(file, speeds);
  } catch (const stage::StageError& error) {
    stage::logDetail(fmt::format("speeds are not kept: {}", error.what()));
  }
}

[[noreturn]] void refuseOperation(const std::string& operation) {
  std::string list;
  for (const std::string& name : benchOperations()) list += (list.empty() ? "" : ", ") + name;
  stage::fail(ExitCode::Usage, "--bench \"" + operation + "\" is unknown; available: " + list);
}

}  // namespace

const std::vector<std::string>& benchOperations() {
  static const std::vector<std::string> names{"read-write", "propagation", "step",
                                              "moments",    "copy",        "comparators"};
  return names;
}

Spread spreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

TilesFile withoutOpenings(TilesFile tiles) {
  tiles.geometry.openings.clear();
  tiles.geometry.throats.clear();  // between openings
  for (preprocess::geometry::Patch& patch : tiles.geometry.linkPatch)
    if (preprocess::geometry::isOpening(patch)) patch = 0;
  for (std::uint8_t& flags : tiles.geometry.tileFlags)
    flags = static_cast<std::uint8_t>(flags & ~tiler::tileHasOpening);
  return tiles;
}

BenchLine benchVariant(const TilesFile& closed, const VariantInfo& variant,
                       const std::string& backend, const std::string& copies,
                       const BenchEffort& effort, Ranks& ranks, const tiles::RankPart& part,
                       int stepsInPass) {
  Simulation simulation =
      noisySimulation(closed, variant, backend, copies, ranks, part, stepsInPass);
  BenchLine line;
  line.operation = "step";
  line.axes = variant.axes;
  line.placement = tilingName(closed.geometry);
  line.copies = simulation.setup().copies;
  line.cuda = simulation.setup().backend == run::BackendKind::Cuda;
  line.stepsInPass = simulation.backend().stepsInPass();
  line.bytesPerNode = variant.bytesPerNode() / line.stepsInPass;
  line.flopsPerNode = variant.flopsPerNode;
  line.ranks = ranks.size();
  line.tiles = part.isWhole() ? closed.geometry.tiles() : part.tilesOfAll;
  line.utilisation = static_cast<double>(closed.geometry.fluidNodes) / (64.0 * double(line.tiles));
  take(measure(simulation, closed.geometry.fluidNodes, line.bytesPerNode, effort, ranks), line);
  if (!ranks.alone()) line.exchange = timeExchanges(simulation, ranks);
  return line;
}

BenchLine benchTrial(const TilesFile& closed, const Trial& trial, const std::string& backend,
                     const BenchEffort& effort) {
  const tiles::TileOrder order = orderForTrials(closed.geometry);
  BenchLine line;
  line.operation = trial.operation;
  line.axes.precision = trial.precision;
  line.collides = false;
  line.placement = model::nameOf(TilingId::Aligned);
  line.cuda = trialOnCuda(backend);
  const std::unique_ptr<TrialState> state = (line.cuda ? trial.makeCuda : trial.makeCpu)(order);
  state->setNoise();
  line.bytesPerNode = trial.bytesPerNode();
  line.tiles = closed.geometry.tiles();
  line.utilisation = closed.geometry.utilisation();
  take(measure(*state, closed.geometry.fluidNodes, line.bytesPerNode, effort), line);
  return line;
}

std::vector<double> benchSingleSteps(const TilesFile& closed, const VariantInfo& variant,
                                     const std::string& backend, int steps) {
  Simulation simulation = noisySimulation(closed, variant, backend, "2");
  timeSteps(simulation, 4);
  std::vector<double> mflups;
  for (int k = 0; k < steps; ++k)
    mflups.push_back(static_cast<double>(closed.geometry.fluidNodes) /
                     (1e6 * timeSteps(simulation, 1)));
  return mflups;
}

std::string runBench(const std::string& operation, TilesFile tiles, const std::string& backend,
                     const std::optional<std::string>& precision, const std::string& copies,
                     Ranks& ranks, const std::filesystem::path& speeds) {
  const auto& known = benchOperations();
  if (std::find(known.begin(), known.end(), operation) == known.end()) refuseOperation(operation);
  const bool steps = operation == "step" || operation == "moments";
  if (!steps && !ranks.alone())
    stage::fail(ExitCode::Usage,
                fmt::format("--bench {} runs on one process; {} were started; start one, or "
                            "measure step or moments",
                            operation, ranks.size()));
  const run::LoadedPart closed = run::partOfTiles(withoutOpenings(std::move(tiles)), ranks);
  if (operation == "copy") return benchCopy(closed.tiles, backend);
  if (operation == "comparators")
    return benchComparators(closed.tiles, {.backend = backend, .precision = precision});
  std::string lines;
  if (steps) {
    const std::vector<BenchLine> measured =
        benchSteps(operation == "moments", closed, backend, precision, copies, ranks);
    for (const BenchLine& line : measured) lines += textOf(line);
    if (!speeds.empty() && ranks.alone()) keepSpeeds(speeds, measured);
  } else {
    lines = benchTrials(operation, closed.tiles, backend, precision);
  }
  if (lines.empty())
    stage::fail(ExitCode::Usage, "--bench " + operation +
                                     " found nothing to measure for this geometry and precision" +
                                     (copies == "1" ? " in one copy, which requires CUDA" : ""));
  return header + lines;
}

std::string benchPlacements(std::span<const TilesFile> tilings, const std::string& backend,
                            const std::optional<std::string>& precision) {
  std::string text = header;
  for (const TilesFile& tiles : tilings) {
    const TilesFile closed = withoutOpenings(tiles);
    for (const VariantInfo& variant : variants())
      if (fits(variant, closed.geometry, precision) && existsShifted(variant))
        text += textOf(benchVariant(closed, variant, backend, "2", {}));
  }
  return text;
}

}  // namespace tessera::solver::bench
