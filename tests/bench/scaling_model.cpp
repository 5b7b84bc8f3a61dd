// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/scaling_model.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/model/lattice/d3q19.hpp"

namespace tessera::scaling {

using namespace tessera::solver::bench;
using namespace tessera::solver::model;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler;

namespace {

std::uint64_t times(std::uint64_t count, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * factor));
}

double fluidNodesOf(const std::vector<RankStatistics>& ranks) {
  double sum = 0.0;
  for (const RankStatistics& rank : ranks) sum += static_cast<double>(rank.fluidNodes);
  return sum;
}

}  // namespace

RankStatistics grown(const RankStatistics& rank, double factor) {
  const double surface = std::cbrt(factor * factor);
  RankStatistics out = rank;
  for (std::uint64_t* of : {&out.tiles, &out.maskedTiles, &out.fluidNodes, &out.cost})
    *of = times(*of, factor);
  for (std::uint64_t* of : {&out.borderTiles, &out.borderCost, &out.ghostTiles, &out.populationsIn,
                            &out.populationsOut, &out.nodesIn, &out.nodesOut})
    *of = times(*of, surface);
  // A part smaller than the one that was counted may be all border.
  out.borderTiles = std::min(out.borderTiles, out.tiles);
  out.borderCost = std::min(out.borderCost, out.cost);
  return out;
}

Geometry geometryOf(const std::string& name, const std::string& builtIn) {
  const auto known = builtInNamed(builtIn);
  if (!known) fail(ExitCode::Usage, "\"" + builtIn + "\" is no built-in geometry");
  return {name, builtIn, builtInTiles(*known)};
}

ByRanks countParts(const Geometry& geometry, const std::vector<int>& ranks,
                   const TileCosts& costs) {
  const TiledGeometry& g = geometry.tiles.geometry;
  ByRanks all;
  for (const int count : ranks)
    all[count] = haloStatistics(g, D3Q19::c, partitionTiles(g, count, costs), count, costs);
  return all;
}

Row predict(const std::string& geometry, const std::vector<RankStatistics>& counted, double nodes,
            const StoredState& state, const Machine& machine) {
  Row row;
  row.geometry = geometry;
  row.ranks = static_cast<int>(counted.size());
  row.nodes = nodes;
  row.factor = nodes / fluidNodesOf(counted);
  std::vector<RankStatistics> ranks;
  for (const RankStatistics& rank : counted) {
    ranks.push_back(grown(rank, row.factor));
    const RankStatistics& now = ranks.back();
    const HaloBytes bytes = haloBytes(now, state.moments, state.values, state.storageBytes);
    row.haloBytes = std::max({row.haloBytes, bytes.in, bytes.out});
    row.borderPart = std::max(row.borderPart,
                              static_cast<double>(now.borderCost) / static_cast<double>(now.cost));
    row.neighbours = std::max(row.neighbours, static_cast<double>(now.neighbours));
    row.countedTiles += static_cast<double>(rank.tiles) / row.ranks;
  }
  row.time = predict(ranks, state, machine);
  row.mflupsPerRank = 1e-6 * nodes / row.ranks / row.time.slowest.step;
  return row;
}

double grownError(const ByRanks& small, const ByRanks& large, int ranks) {
  const double factor = fluidNodesOf(large.at(ranks)) / fluidNodesOf(small.at(ranks));
  const auto most = [](const std::vector<RankStatistics>& all, double by) {
    double value = 0.0;
    for (const RankStatistics& rank : all)
      value = std::max(value, static_cast<double>(grown(rank, by).populationsIn));
    return value;
  };
  return most(large.at(ranks), 1.0) / most(small.at(ranks), factor);
}

}  // namespace tessera::scaling
