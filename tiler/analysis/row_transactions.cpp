// SPDX-License-Identifier: GPL-3.0-or-later
// Of each tile the 6 x 6 x 6 nodes on and around it are looked up once, as tile and node in that
// tile; every population then only walks these.
#include "tiler/analysis/row_transactions.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <array>
#include <bit>

namespace tessera::tiler::analysis {

namespace {

constexpr int haloEdge = 6;
constexpr int haloNodes = haloEdge * haloEdge * haloEdge;

constexpr int haloIndex(const Int3& offset) {
  return offset[0] + haloEdge * (offset[1] + haloEdge * offset[2]);
}

// The nodes around a tile: which of the tiles met there, and which node of it; -1: solid.
class Halo {
 public:
  Halo(const TiledGeometry& tiled, std::size_t t) {
    const Int3 corner = tiled.nodeOf(t, 0);
    int h = 0;
    for (int z = -1; z <= 4; ++z)
      for (int y = -1; y <= 4; ++y)
        for (int x = -1; x <= 4; ++x, ++h)
          place_[static_cast<std::size_t>(h)] =
              placeAt(tiled, {corner[0] + x, corner[1] + y, corner[2] + z});
  }
  // tileNodes * tile + local node; the tile is a number among the few met.
  [[nodiscard]] int at(int h) const { return place_[static_cast<std::size_t>(h)]; }

 private:
  int placeAt(const TiledGeometry& tiled, const Int3& node) {
    for (std::size_t a = 0; a < 3; ++a)
      if (node[a] < 0 || node[a] >= tiled.nodes[a]) return -1;
    const TilePlace place = tiled.placeOf(node);
    const std::int32_t tile = tiled.tileAt(place.tile[0], place.tile[1], place.tile[2]);
    if (tile < 0) return -1;
    const std::uint8_t type = tiled.nodeType[static_cast<std::size_t>(tile) * tileNodes +
                                             static_cast<std::size_t>(place.local)];
    if (type == 0) return -1;
    std::size_t known = 0;
    while (known < met_ && tile_[known] != tile) ++known;
    if (known == met_) tile_[met_++] = tile;
    return tileNodes * static_cast<int>(known) + place.local;
  }
  std::array<int, haloNodes> place_{};
  std::array<std::int32_t, 27> tile_{};
  std::size_t met_ = 0;
};

// A population's layout made ready for the walk.
struct Walk {
  int back = 0;                                  // to the node a value comes from, in the halo
  std::array<std::uint8_t, tileNodes> sector{};  // of each node's value in its tile's block
};

Walk walkOf(const PopulationLayout& population) {
  Walk walk;
  walk.back = -haloIndex(preprocess::geometry::directionStep(population.direction));
  for (int l = 0; l < tileNodes; ++l)
    walk.sector[static_cast<std::size_t>(l)] = static_cast<std::uint8_t>(
        population.layout->place(l % 4, l / 4 % 4, l / 16) * population.bytes / sectorBytes);
  return walk;
}

SectorCounts sectorsOfTile(const Halo& halo, const Walk& walk) {
  SectorCounts counts;
  std::uint32_t leaving = 0, own = 0;
  for (int first = 0; first < tileNodes; first += warpNodes) {
    std::array<std::uint32_t, 27> requested{};  // sectors of each tile met
    for (int l = first; l < first + warpNodes; ++l) {
      const int h = haloIndex({l % 4 + 1, l / 4 % 4 + 1, l / 16 + 1});
      if (halo.at(h) < 0) continue;
      const std::uint32_t sector = 1U << walk.sector[static_cast<std::size_t>(l)];
      own |= sector;
      if (halo.at(h - walk.back) >= 0) leaving |= sector;
      const int from = halo.at(h + walk.back);
      if (from >= 0)
        requested[static_cast<std::size_t>(from / tileNodes)] |=
            1U << walk.sector[static_cast<std::size_t>(from % tileNodes)];
    }
    for (const std::uint32_t sectors : requested)
      counts.requested += static_cast<std::uint64_t>(std::popcount(sectors));
  }
  counts.read = static_cast<std::uint64_t>(std::popcount(leaving));
  counts.written = static_cast<std::uint64_t>(std::popcount(own));
  return counts;
}

}  // namespace

std::vector<SectorCounts> sectorsInRows(const TiledGeometry& tiled,
                                        std::span<const PopulationLayout> populations) {
  std::vector<Walk> walks;
  for (const PopulationLayout& population : populations) walks.push_back(walkOf(population));
  using Counts = std::vector<SectorCounts>;
  using Range = tbb::blocked_range<std::size_t>;
  return tbb::parallel_reduce(
      Range(0, tiled.tiles()), Counts(walks.size()),
      [&](const Range& tiles, Counts sum) {
        for (std::size_t t = tiles.begin(); t != tiles.end(); ++t) {
          const Halo halo(tiled, t);
          for (std::size_t k = 0; k < walks.size(); ++k) sum[k] += sectorsOfTile(halo, walks[k]);
        }
        return sum;
      },
      [](Counts a, const Counts& b) {
        for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
        return a;
      });
}

}  // namespace tessera::tiler::analysis
