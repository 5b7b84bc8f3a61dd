// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/scaling.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "pipelines/stage/chain_sizes.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::bench {

using tiler::TiledGeometry;
using tiler::tileNodes;
using tiles::Partition;

namespace {

// Reads of one rank.
struct Reads {
  std::unordered_map<std::uint32_t, std::uint64_t>
      nodesOfTile;  // tiles of other ranks: bits of local nodes
  std::unordered_map<std::uint32_t, std::uint64_t> populationsFrom;  // by rank
};

class Counter {
 public:
  Counter(const TiledGeometry& geometry, std::span<const std::array<int, 3>> velocities,
          const Partition& partition)
      : g_(geometry), velocities_(velocities), rankOf_(partition.rankOfTile) {}

  void read(std::size_t t, Reads& reads) const {
    if (!nearOthers(t)) return;
    std::array<std::uint32_t, tileNodes> leaving{};  // links, as directions of the 26
    tiler::forBoundaryNodes(g_, t, [&](std::uint8_t local, std::uint32_t mask, std::uint64_t) {
      leaving[local] = mask;
    });
    for (std::size_t l = 0; l < tileNodes; ++l) {
      if (g_.nodeType[t * tileNodes + l] ==
          static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
        continue;
      const Int3 node = g_.nodeOf(t, static_cast<int>(l));
      for (const auto& c : velocities_)
        if ((leaving[l] >> preprocess::geometry::directionOf(-c[0], -c[1], -c[2]) & 1U) == 0)
          pull({node[0] - c[0], node[1] - c[1], node[2] - c[2]}, rankOf_[t], reads);
    }
  }

 private:
  // Tiles at a periodic face count; those of an axis of one tile only.
  [[nodiscard]] bool nearOthers(std::size_t t) const {
    const Int3& at = g_.nonEmptyTiles[t];
    for (std::size_t a = 0; a < 3; ++a)
      if (g_.periodic[a] && g_.grid[a] > 1 && (at[a] <= 1 || at[a] >= g_.grid[a] - 2)) return true;
    for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
      const std::int32_t other = g_.tileAt(at[0] + step[0], at[1] + step[1], at[2] + step[2]);
      if (other >= 0 && rankOf_[static_cast<std::size_t>(other)] != rankOf_[t]) return true;
    }
    return false;
  }
  void pull(Int3 source, std::uint32_t reader, Reads& reads) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (g_.periodic[a]) source[a] = (source[a] + g_.nodes[a]) % g_.nodes[a];
    const tiler::TilePlace place = g_.placeOf(source);
    const std::int32_t tile = g_.tileAt(place.tile[0], place.tile[1], place.tile[2]);
    if (tile < 0) return;
    const auto t = static_cast<std::size_t>(tile);
    if (rankOf_[t] == reader) return;
    reads.nodesOfTile[static_cast<std::uint32_t>(t)] |= std::uint64_t{1} << place.local;
    ++reads.populationsFrom[rankOf_[t]];
  }

  const TiledGeometry& g_;
  std::span<const std::array<int, 3>> velocities_;
  const std::vector<std::uint32_t>& rankOf_;
};

std::vector<std::vector<std::uint32_t>> tilesOfRanks(const Partition& partition, int ranks) {
  std::vector<std::vector<std::uint32_t>> tiles(static_cast<std::size_t>(ranks));
  for (std::size_t t = 0; t < partition.rankOfTile.size(); ++t)
    tiles[partition.rankOfTile[t]].push_back(static_cast<std::uint32_t>(t));
  return tiles;
}

std::uint64_t fluidNodesOf(const TiledGeometry& g, std::size_t t) {
  const auto first = g.nodeType.begin() + static_cast<std::ptrdiff_t>(t * tileNodes);
  return static_cast<std::uint64_t>(
      tileNodes - std::count(first, first + tileNodes,
                             static_cast<std::uint8_t>(preprocess::file::NodeType::Solid)));
}

// Reads of each rank by others.
void addSent(const std::vector<Reads>& reads, const Partition& partition,
             const std::vector<std::uint64_t>& cost, std::vector<RankStatistics>& out) {
  std::vector<bool> read(partition.rankOfTile.size(), false);
  std::vector<std::vector<bool>> meets(out.size(), std::vector<bool>(out.size(), false));
  for (std::size_t r = 0; r < reads.size(); ++r) {
    for (const auto& [tile, nodes] : reads[r].nodesOfTile) {
      RankStatistics& owner = out[partition.rankOfTile[tile]];
      owner.nodesOut += static_cast<std::uint64_t>(std::popcount(nodes));
      if (read[tile]) continue;
      read[tile] = true;
      ++owner.borderTiles;
      owner.borderCost += cost[tile];
    }
    for (const auto& [from, populations] : reads[r].populationsFrom) {
      out[from].populationsOut += populations;
      meets[r][from] = meets[from][r] = true;
    }
  }
  for (std::size_t r = 0; r < out.size(); ++r)
    out[r].neighbours =
        static_cast<std::uint64_t>(std::count(meets[r].begin(), meets[r].end(), true));
}

}  // namespace

std::vector<RankStatistics> haloStatistics(const TiledGeometry& geometry,
                                           std::span<const std::array<int, 3>> velocities,
                                           const Partition& partition, int ranks,
                                           const tiles::TileCosts& costs) {
  const std::vector<std::uint64_t> cost = tiles::costsOfTiles(geometry, costs);
  const auto tiles = tilesOfRanks(partition, ranks);
  const Counter counter(geometry, velocities, partition);
  std::vector<RankStatistics> out(tiles.size());
  std::vector<Reads> reads(tiles.size());
  stage::parallelFor(tiles.size(), [&](std::size_t r) {
    RankStatistics& rank = out[r];
    rank.tiles = tiles[r].size();
    for (const std::uint32_t t : tiles[r]) {
      counter.read(t, reads[r]);
      rank.cost += cost[t];
      rank.fluidNodes += fluidNodesOf(geometry, t);
      rank.maskedTiles += (geometry.tileFlags[t] & tiler::tileAllFluid) != 0 ? 0 : 1;
    }
    rank.ghostTiles = reads[r].nodesOfTile.size();
    for (const auto& [tile, nodes] : reads[r].nodesOfTile)
      rank.nodesIn += static_cast<std::uint64_t>(std::popcount(nodes));
    for (const auto& [from, populations] : reads[r].populationsFrom)
      rank.populationsIn += populations;
  });
  addSent(reads, partition, cost, out);
  return out;
}

HaloBytes haloBytes(const RankStatistics& rank, bool moments, unsigned values,
                    unsigned storageBytes) {
  const double each = storageBytes;
  if (moments)
    return {each * values * static_cast<double>(rank.nodesIn),
            each * values * static_cast<double>(rank.nodesOut)};
  return {each * static_cast<double>(rank.populationsIn),
          each * static_cast<double>(rank.populationsOut)};
}

namespace {

constexpr double sectorPart = 16.0;  // bytes of a value packed or unpacked

double valuesCrossing(const RankStatistics& rank, const StoredState& state) {
  if (!state.moments) return static_cast<double>(rank.populationsIn + rank.populationsOut);
  return static_cast<double>(state.values) * static_cast<double>(rank.nodesIn + rank.nodesOut);
}

}  // namespace

double stepShare(const StoredState& state) {
  if (state.moments) return state.storageBytes == 8 ? 0.776 : state.values == 10 ? 0.679 : 0.586;
  return state.storageBytes == 8 ? 0.955 : state.storageBytes == 4 ? 0.943 : 0.908;
}

StepTime stepTime(const RankStatistics& rank, int ranks, const StoredState& state,
                  const Machine& machine) {
  const double speed = stepShare(state) * machine.copyBandwidth;
  const double border = static_cast<double>(rank.borderCost) / speed;
  const double interior = static_cast<double>(rank.cost - rank.borderCost) / speed;
  const double packing =
      valuesCrossing(rank, state) * (sectorPart + state.storageBytes) / machine.copyBandwidth;
  const HaloBytes bytes = haloBytes(rank, state.moments, state.values, state.storageBytes);
  const double link =
      ranks <= machine.ranksPerNode ? machine.nodeBandwidth : machine.networkBandwidth;
  const double launches = (ranks > 1 ? 2.0 : 1.0) * machine.launchTime;
  StepTime time;
  if (rank.neighbours > 0)
    time.exchange = machine.latency + machine.messageTime * static_cast<double>(rank.neighbours) +
                    std::max(bytes.in, bytes.out) / link;
  time.compute = border + interior + packing + launches;
  time.step = border + packing + launches + std::max(interior, time.exchange);
  time.unhidden = time.compute + time.exchange;
  return time;
}

double timeAlone(double cost, const StoredState& state, const Machine& machine) {
  return cost / (stepShare(state) * machine.copyBandwidth) + machine.launchTime;
}

Prediction predict(const std::vector<RankStatistics>& ranks, const StoredState& state,
                   const Machine& machine) {
  Prediction out;
  double cost = 0.0, most = 0.0;
  for (const RankStatistics& rank : ranks) {
    const StepTime time = stepTime(rank, static_cast<int>(ranks.size()), state, machine);
    out.slowest.compute = std::max(out.slowest.compute, time.compute);
    out.slowest.exchange = std::max(out.slowest.exchange, time.exchange);
    out.slowest.step = std::max(out.slowest.step, time.step);
    out.slowest.unhidden = std::max(out.slowest.unhidden, time.unhidden);
    cost += static_cast<double>(rank.cost);
    most = std::max(most, static_cast<double>(rank.cost));
  }
  const auto count = static_cast<double>(ranks.size());
  out.alone = timeAlone(cost, state, machine);
  out.efficiency = out.alone / (count * out.slowest.step);
  out.unhidden = out.alone / (count * out.slowest.unhidden);
  out.balance = most * count / cost;
  return out;
}

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
  return fmt::format("ranks        {}, {} to {} tiles each, largest over mean cost {:.4f}\n",
                     ranks.size(), least(ranks, tiles), most(ranks, tiles), time.balance) +
         fmt::format(
             "halo         at most {:.3f} MB a step each way with {} neighbours; at most {:.1f} % "
             "of a rank's tiles are at a border\n",
             most(ranks, sent), most(ranks, neighbours), most(ranks, border)) +
         fmt::format("memory       at most {:.3f} GB a rank, ghost tiles included\n",
                     most(ranks, memory));
}

std::string timeText(const Prediction& time, double fluidNodes, std::size_t ranks,
                     const Machine& machine) {
  const bool oneNode = ranks <= static_cast<std::size_t>(machine.ranksPerNode);
  return fmt::format(
             "prediction   {:.1f} us a step ({:.0f} MFLUPS), {:.1f} % of {} times one rank\n",
             1e6 * time.slowest.step, 1e-6 * fluidNodes / time.slowest.step,
             100.0 * time.efficiency, ranks) +
         fmt::format(
             "             exchange {:.1f} us; {:.1f} us a step and {:.1f} % were it not hidden\n",
             1e6 * time.slowest.exchange, 1e6 * time.slowest.unhidden, 100.0 * time.unhidden) +
         fmt::format(
             "             for GPUs that copy {:.2f} TB/s (H200), {:.0f} GB/s a rank each way "
             "({}), {:.0f} us an exchange\n",
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
