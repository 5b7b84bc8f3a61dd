// SPDX-License-Identifier: GPL-3.0-or-later
// Suffa et al. 2024: dense storage, lists and hybrids in beds of spheres and an artery, on one
// device and divided among several.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/where_ranks_run.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/compare_structures.hpp"
#include "tests/bench/scaling_beds.hpp"
#include "tests/bench/scaling_values.hpp"
#include "tests/bench/structures_divided.hpp"
#include "tests/bench/structures_parts.hpp"
#include "tests/bench/structures_values.hpp"

namespace tessera::paper {

using namespace tessera::solver::bench;
using namespace tessera::solver::comm;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

// f64, LBGK; row by row where they have that order, as theirs.
const std::vector<const ComparatorInfo*>& measuredStructures() {
  static const std::vector<const ComparatorInfo*> found = [] {
    std::vector<const ComparatorInfo*> infos;
    for (const std::string name : {"dense", "lists", "lists-in-place", "hybrid", "hybrid-tiles"})
      for (const ComparatorInfo& info : solver::comparators::comparators())
        if (info.name == name && info.lattice == LatticeId::D3Q19 &&
            info.collision == CollisionId::Bgk && info.precision == PrecisionId::F64 &&
            (info.order == NodeOrder::Rows || name == "hybrid-tiles"))
          infos.push_back(&info);
    return infos;
  }();
  return found;
}

// Theirs of a geometry; 0: none.
struct PaperCase {
  double porosity = 0.0;
  double listsSave = 0.0, hybridSaves = 0.0;  // memory, of dense storage
  double listsKernel = 0.0, run = 0.0;        // MFLUPS a GPU
  double workUnbalanced = 0.0, workBalanced = 0.0;
};

struct Bed {
  std::string name;
  TilesFile tiles;  // closed
  PaperCase theirs;
};

std::vector<Bed> casesOf(const Effort& effort) {
  std::vector<Bed> cases;
  const int side = effort.scaled(256, 32);
  for (scaling::Bed& bed : scaling::beds(side, std::max(4.0, 0.041 * side))) {
    Bed& added = cases.emplace_back(Bed{bed.name, withoutOpenings(std::move(bed.tiles)), {}});
    if (bed.name == "river bed")
      added.theirs = {suffa::riverPorosity,
                      0.0,
                      suffa::savedInRiver,
                      0.0,
                      0.0,
                      suffa::workMostUnbalanced / suffa::workMean,
                      suffa::workMostBalanced / suffa::workMean};
    else
      added.theirs = {suffa::spheresPorosity,
                      suffa::savedInSpheres,
                      0.0,
                      scaling::bedKernel / scaling::bedRanks,
                      scaling::bedFull / scaling::bedRanks,
                      0.0,
                      0.0};
  }
  const int length = effort.scaled(490, 40);
  cases.push_back(
      {"artery",
       withoutOpenings(effort.artery.empty() ? builtInTiles({"vessel", {length, length, length}})
                                             : readTilesFile(effort.artery)),
       {suffa::arteryPorosity, suffa::savedInArtery, 0.0, scaling::arteryKernel,
        scaling::arteryFull, 0.0, 0.0}});
  return cases;
}

struct Line {
  std::string structure, division, what;  // "kernel" or "run"
  int devices = 1;
  Spread mflups;
  double fraction = 0.0;           // of the bound
  double moved = 0.0, held = 0.0;  // bytes, of all parts
  double workBalance = 1.0;        // largest over mean of the devices
};

// On one device; those that do not fit in memory are left out with a warning.
std::vector<Line> onOneDevice(const TilesFile& tiles, const Effort& effort) {
  const FluidNodes rows(tiles.geometry, NodeOrder::Rows);
  const FluidNodes curve(tiles.geometry, NodeOrder::Curve);
  const bool cuda = trialOnCuda(effort.backend);
  std::vector<Line> lines;
  const auto add = [&](const std::string& name, const auto& measured) {
    try {
      const StructureSpeed of = measured();
      const double nodes = rows.count();
      lines.push_back({name, "whole", "kernel", 1, of.measured.mflups, of.measured.fraction.median,
                       of.bytesPerNode * nodes, of.memoryPerNode * nodes, 1.0});
    } catch (const StageError& error) {
      if (error.code() != ExitCode::NoResource) throw;
      logWarning(fmt::format("{} is left out: {}", name, error.what()));
    }
  };
  for (const ComparatorInfo* info : measuredStructures())
    add(info->name, [&] {
      return measureStructure(info->order == NodeOrder::Rows ? rows : curve, *info, cuda,
                              effort.bench);
    });
  add("tiles", [&] {
    return measureTiles(tiles, curve, TileForm::TwoCopies, CollisionId::Bgk, PrecisionId::F64,
                        effort.backend, effort.bench);
  });
  return lines;
}

double balanceOf(Ranks& ranks, double work) {
  std::int64_t all = std::llround(work);
  ranks.sum({&all, 1});
  return largestOf(ranks, work) * ranks.size() / static_cast<double>(all);
}

// The kernel alone: each rank steps its layers, by the time of the slowest. Collective.
Line onLayers(const TilesFile& tiles, const ComparatorInfo& info, const Division& division,
              const std::string& name, const Effort& effort) {
  Ranks& ranks = *effort.ranks;
  const bool cuda = trialOnCuda(effort.backend);
  TilesFile part;
  std::optional<FluidNodes> nodes;
  std::unique_ptr<Comparator> comparator;
  together(ranks, [&] {
    part = layersOf(tiles.geometry, division, ranks.rank());
    nodes.emplace(part.geometry, info.order);
    if (nodes->count() == 0)
      fail(ExitCode::Usage, "a device has no fluid nodes; use a geometry with more of them");
    comparator = (cuda ? info.makeCuda : info.makeCpu)(*nodes, {{0.8, 3.0 / 16.0, {}, {}}});
    comparator->setNoise();
  });
  const double own = nodes->count();
  std::array<std::int64_t, 2> bytes{std::llround(comparator->bytesPerNode() * own),
                                    std::llround(comparator->memoryPerNode() * own)};
  ranks.sum(bytes);
  const auto moved = static_cast<double>(bytes[0]);
  const std::uint64_t all = tiles.geometry.fluidNodes;
  const auto measured =
      measure(*comparator, all, moved / static_cast<double>(all), effort.bench, ranks);
  return {info.name,
          name,
          "kernel",
          ranks.size(),
          measured.mflups,
          measured.fraction.median,
          moved,
          static_cast<double>(bytes[1]),
          balanceOf(ranks, comparator->bytesPerNode() * own)};
}

// Whole tiles with exchange, as a run divides them or in given parts. Collective.
Line runOfTiles(const TilesFile& tiles, const Partition& partition, const std::string& name,
                const Effort& effort) {
  Ranks& ranks = *effort.ranks;
  TilesFile part;
  PartOfGeometry own = partOf(tiles.geometry, partition, ranks.rank());
  part.geometry = std::move(own.geometry);
  const VariantInfo& variant = findVariant(
      {.lattice = LatticeId::D3Q19, .collision = CollisionId::Bgk, .precision = PrecisionId::F64});
  const BenchLine line =
      benchVariant(part, variant, effort.backend, "2", effort.bench, ranks, own.part);
  const TileCosts costs = tileCosts(19, 8, false);
  return {"tiles",
          name,
          "run",
          ranks.size(),
          line.mflups,
          line.fraction.median,
          line.bytesPerNode * static_cast<double>(tiles.geometry.fluidNodes),
          0.0,
          solver::tiles::balanceOf(partition, costsOfTiles(tiles.geometry, costs), ranks.size())};
}

std::vector<Line> onAllDevices(const TilesFile& tiles, const Effort& effort) {
  Ranks& ranks = *effort.ranks;
  const TiledGeometry& geometry = tiles.geometry;
  const int axis = longestAxis(geometry);
  const Division equal = equalLayers(geometry, axis, ranks.size());
  std::vector<Line> lines;
  const auto add = [&](const std::string& name, const auto& measured) {
    try {
      lines.push_back(measured());
    } catch (const StageError& error) {
      if (error.code() != ExitCode::NoResource) throw;
      if (ranks.isRoot()) logWarning(fmt::format("{} is left out: {}", name, error.what()));
    }
  };
  const auto& infos = measuredStructures();
  const std::vector<WorkOfSlabs> work = workOfSlabs(geometry, axis, infos, ranks);
  for (std::size_t k = 0; k < infos.size(); ++k) {
    const Division balanced = balancedLayers(geometry, axis, ranks.size(), work[k]);
    add(infos[k]->name, [&] { return onLayers(tiles, *infos[k], equal, "equal layers", effort); });
    add(infos[k]->name, [&] { return onLayers(tiles, *infos[k], balanced, "by work", effort); });
  }
  add("tiles",
      [&] { return runOfTiles(tiles, partitionOf(geometry, equal), "equal layers", effort); });
  add("tiles", [&] {
    return runOfTiles(tiles, partitionTiles(geometry, ranks.size(), tileCosts(19, 8, false)),
                      "by work", effort);
  });
  return lines;
}

constexpr const char* bedHeader =
    "geometry,porosity,paper_porosity,devices,division,what,structure,mflups_median,mflups_min,"
    "mflups_max,bytes_per_node,bound_fraction,bytes_per_box_node,saved_of_dense,"
    "paper_saved_of_dense,work_balance,paper_work_balance,mflups_a_device,paper_mflups_a_device,"
    "of_one_device\n";

std::string textOf(const Bed& of, const std::vector<Line>& lines) {
  std::string text;
  const auto nodes = static_cast<double>(of.tiles.geometry.fluidNodes);
  const double porosity = porosityOf(of.tiles.geometry);
  const auto same = [&](const Line& like, const std::string& structure, int devices) {
    return std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
      return line.structure == structure && line.devices == devices &&
             (devices == 1 || line.division == like.division);
    });
  };
  for (const Line& line : lines) {
    const auto alone = same(line, line.structure, 1);
    const auto dense = same(line, "dense", line.devices);
    const bool lists = line.structure == "lists", hybrid = line.structure == "hybrid";
    const double saved = line.devices > 1 ? 0.0
                         : lists          ? of.theirs.listsSave
                         : hybrid         ? of.theirs.hybridSaves
                                          : 0.0;
    const double work = !hybrid || line.devices == 1 ? 0.0
                        : line.division == "by work" ? of.theirs.workBalanced
                                                     : of.theirs.workUnbalanced;
    const double speed = lists ? of.theirs.listsKernel : line.what == "run" ? of.theirs.run : 0.0;
    const double aDevice = line.mflups.median / line.devices;
    text += fmt::format(
        "{},{:.4f},{:.4f},{},{},{},{},{:.1f},{:.1f},{:.1f},{:.1f},{:.4f},{},{},{},{:.4f},{},{:.1f},"
        "{},{}\n",
        of.name, porosity, of.theirs.porosity, line.devices, line.division, line.what,
        line.structure, line.mflups.median, line.mflups.least, line.mflups.most, line.moved / nodes,
        line.fraction, numberOrNothing(line.held / nodes * porosity, 1),
        dense != lines.end() && line.held > 0.0
            ? fmt::format("{:.3f}", 1.0 - line.held / dense->held)
            : "",
        numberOrNothing(saved, 2), line.workBalance, numberOrNothing(work, 3), aDevice,
        numberOrNothing(speed, 0),
        alone != lines.end() ? fmt::format("{:.4f}", aDevice / alone->mflups.median) : "");
  }
  return text;
}

}  // namespace

void suffaBeds(const Folder& folder, const Effort& effort) {
  Ranks& ranks = *effort.ranks;
  const bool built = measuredStructures().front()->makeCuda != nullptr;
  if (!ranks.alone()) solver::backend::chooseDevices(effort.backend, built, ranks);
  std::string text = bedHeader;
  for (const Bed& of : casesOf(effort)) {
    std::vector<Line> lines;
    // The others wait at the next division.
    if (ranks.isRoot()) lines = onOneDevice(of.tiles, effort);
    if (!ranks.alone()) {
      const std::vector<Line> divided = onAllDevices(of.tiles, effort);
      lines.insert(lines.end(), divided.begin(), divided.end());
    }
    text += textOf(of, lines);
    if (ranks.isRoot()) writeText(folder / "suffa_beds.csv", text);
  }
}

}  // namespace tessera::paper
