// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/halo_statistics.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "pipelines/stage/system/parallel_for.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::bench {

using tiler::TiledGeometry;
using tiler::tileNodes;
using tiles::Partition;

namespace {

// What one rank reads.
struct Reads {
  std::unordered_map<std::uint32_t, std::uint64_t> nodesOfTile;  // of others: bits of local nodes
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
  // Tiles at a periodic face are, whoever is beyond it; those of an axis of one tile are alone.
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

// What others read of each.
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

}  // namespace tessera::solver::bench
