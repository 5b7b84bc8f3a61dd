// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/rank_plan.hpp"

#include <algorithm>

#include "pipelines/stage/chain_sizes.hpp"
#include "tiler/analysis/text_line.hpp"

namespace tessera::solver::bench {

using tiler::analysis::textLine;

namespace {

template <class Of>
auto most(const std::vector<RankStatistics>& ranks, const Of& of) {
  auto value = of(ranks.front());
  for (const RankStatistics& rank : ranks) value = std::max(value, of(rank));
  return value;
}
template <class Of>
auto least(const std::vector<RankStatistics>& ranks, const Of& of) {
  auto value = of(ranks.front());
  for (const RankStatistics& rank : ranks) value = std::min(value, of(rank));
  return value;
}

std::string partitionText(const std::vector<RankStatistics>& ranks, const PlannedState& state,
                          const Prediction& time) {
  const auto tiles = [](const RankStatistics& rank) {
    return static_cast<unsigned long long>(rank.tiles);
  };
  const auto border = [](const RankStatistics& rank) {
    return 100.0 * static_cast<double>(rank.borderTiles) / static_cast<double>(rank.tiles);
  };
  const auto sent = [&](const RankStatistics& rank) {
    const HaloBytes bytes =
        haloBytes(rank, state.stored.moments, state.stored.values, state.stored.storageBytes);
    return std::max(bytes.in, bytes.out) / 1e6;
  };
  const auto neighbours = [](const RankStatistics& rank) {
    return static_cast<unsigned long long>(rank.neighbours);
  };
  const auto memory = [&](const RankStatistics& rank) { return bytesOfRank(rank, state) / 1e9; };
  return textLine("ranks        %zu, %llu to %llu tiles each, largest over mean cost %.4f",
                  ranks.size(), least(ranks, tiles), most(ranks, tiles), time.balance) +
         textLine(
             "halo         at most %.3f MB a step each way with %llu neighbours; at most %.1f %% "
             "of a rank's tiles are at a border",
             most(ranks, sent), most(ranks, neighbours), most(ranks, border)) +
         textLine("memory       at most %.3f GB a rank, ghost tiles included", most(ranks, memory));
}

std::string timeText(const Prediction& time, double fluidNodes, std::size_t ranks,
                     const Machine& machine) {
  const bool oneNode = ranks <= static_cast<std::size_t>(machine.ranksPerNode);
  return textLine("prediction   %.1f us a step (%.0f MFLUPS), %.1f %% of %zu times one rank",
                  1e6 * time.slowest.step, 1e-6 * fluidNodes / time.slowest.step,
                  100.0 * time.efficiency, ranks) +
         textLine("             exchange %.1f us; %.1f us a step and %.1f %% were it not hidden",
                  1e6 * time.slowest.exchange, 1e6 * time.slowest.unhidden, 100.0 * time.unhidden) +
         textLine(
             "             for GPUs that copy %.2f TB/s (H200), %.0f GB/s a rank each way (%s), "
             "%.0f us an exchange",
             1e-12 * machine.copyBandwidth,
             1e-9 * (oneNode ? machine.nodeBandwidth : machine.networkBandwidth),
             oneNode ? "NVLink" : "400 Gb/s network", 1e6 * machine.latency);
}

}  // namespace

double bytesOfRank(const RankStatistics& rank, const PlannedState& state) {
  stage::StateCounts counts;
  counts.tiles = static_cast<double>(rank.tiles);
  counts.slots = counts.tiles + static_cast<double>(rank.ghostTiles);
  if (state.copies == 1) counts.slots *= 0.5;
  counts.velocities = state.stored.values;
  counts.maskedTiles = static_cast<double>(rank.maskedTiles);
  return stage::stateBytes(counts, state.stored.storageBytes);
}

std::string rankPlanText(const tiler::TiledGeometry& geometry, const PlannedState& state, int ranks,
                         const Machine& machine) {
  const StoredState& stored = state.stored;
  const tiles::TileCosts costs =
      tiles::tileCosts(stored.values, stored.storageBytes, state.interpolatedWalls);
  const tiles::Partition partition = tiles::partitionTiles(geometry, ranks, costs);
  const auto statistics = haloStatistics(geometry, state.velocities, partition, ranks, costs);
  const Prediction time = predict(statistics, stored, machine);
  return partitionText(statistics, state, time) +
         timeText(time, static_cast<double>(geometry.fluidNodes), statistics.size(), machine);
}

}  // namespace tessera::solver::bench
