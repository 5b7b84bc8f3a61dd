// SPDX-License-Identifier: GPL-3.0-or-later
// Sectors counted from masks: the nodes of a tile that read from a sector are computed once per
// layout and direction; a tile then costs a few bit operations per sector.
#include "tiler/analysis/transactions.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <array>
#include <bit>
#include <vector>

namespace tessera::tiler::analysis {

namespace {

constexpr std::uint64_t allNodes = ~std::uint64_t{0};

// Bit l of the result is bit l + by of the word.
std::uint64_t shifted(std::uint64_t word, int by) {
  return by >= 0 ? word >> by : word << -by;
}

// Values read by the tile from one neighbour, or by one neighbour from the tile.
struct Exchange {
  int neighbour = 0;                  // direction of the neighbouring tile
  int shift = 0;                      // the other node is local node l + shift there
  std::uint64_t nodes = 0;            // nodes of this tile
  std::vector<std::uint64_t> sector;  // nodes of this tile that share a warp and a sector there
};

struct Walk {
  std::vector<Exchange> gather;       // sources of the nodes' values
  std::vector<Exchange> passed;       // destinations of the nodes' values
  std::vector<std::uint64_t> sector;  // nodes of each sector of the tile's own block
};

std::vector<std::uint64_t> sectorsOf(const TileLayout& layout, int bytes) {
  const int values = sectorBytes / bytes;
  std::vector<std::uint64_t> sector(static_cast<std::size_t>(tileNodes / values));
  for (int l = 0; l < tileNodes; ++l)
    sector[static_cast<std::size_t>(layout.place(l % 4, l / 4 % 4, l / 16) / values)] |=
        std::uint64_t{1} << l;
  return sector;
}

// Exchanges of nodes with the nodes one step away.
std::vector<Exchange> exchangesAlong(const Int3& step) {
  std::array<Exchange, 27> by{};
  for (int l = 0; l < tileNodes; ++l) {
    const Int3 to{l % 4 + step[0], l / 4 % 4 + step[1], l / 16 + step[2]};
    Int3 tile{};
    for (std::size_t a = 0; a < 3; ++a) tile[a] = to[a] < 0 ? -1 : to[a] / 4;
    const int n = preprocess::geometry::directionOf(tile);
    Exchange& exchange = by[static_cast<std::size_t>(n)];
    exchange.neighbour = n;
    exchange.shift =
        (to[0] - 4 * tile[0]) + 4 * (to[1] - 4 * tile[1]) + 16 * (to[2] - 4 * tile[2]) - l;
    exchange.nodes |= std::uint64_t{1} << l;
  }
  std::vector<Exchange> found;
  for (const Exchange& exchange : by)
    if (exchange.nodes != 0) found.push_back(exchange);
  return found;
}

Walk walkOf(const TileLayout& layout, int direction, int bytes) {
  Walk walk;
  walk.sector = sectorsOf(layout, bytes);
  walk.gather = exchangesAlong(
      preprocess::geometry::directionStep(preprocess::geometry::oppositeDirection(direction)));
  walk.passed = exchangesAlong(preprocess::geometry::directionStep(direction));
  constexpr std::uint64_t warp = (std::uint64_t{1} << warpNodes) - 1;
  for (Exchange& exchange : walk.gather)
    for (const std::uint64_t sources : walk.sector)
      for (const std::uint64_t lanes : {warp, ~warp}) {
        const std::uint64_t nodes = shifted(sources, exchange.shift) & exchange.nodes & lanes;
        if (nodes != 0) exchange.sector.push_back(nodes);
      }
  return walk;
}

// maskOf(n): non-solid nodes of the neighbour in direction n.
template <class MaskOf>
SectorCounts sectorsOfTile(const Walk& walk, const MaskOf& maskOf) {
  const std::uint64_t own = maskOf(preprocess::geometry::restDirection);
  SectorCounts counts;
  for (const Exchange& from : walk.gather) {
    const std::uint64_t live = own & from.nodes & shifted(maskOf(from.neighbour), from.shift);
    if (live == 0) continue;
    for (const std::uint64_t nodes : from.sector) counts.requested += (nodes & live) != 0;
  }
  std::uint64_t leaving = 0;
  for (const Exchange& to : walk.passed)
    leaving |= own & to.nodes & shifted(maskOf(to.neighbour), to.shift);
  for (const std::uint64_t nodes : walk.sector) {
    counts.read += (nodes & leaving) != 0;
    counts.written += (nodes & own) != 0;
  }
  return counts;
}

}  // namespace

SectorCounts sectorsOfFullTile(const TileLayout& layout, int direction, int bytes) {
  return sectorsOfTile(walkOf(layout, direction, bytes), [](int) { return allNodes; });
}

SectorCounts sectorsOfFullTile(const LayoutAssignment& assignment, int populations, int bytes) {
  SectorCounts counts;
  for (const int n : populationDirections(populations))
    counts += sectorsOfFullTile(tileLayouts()[assignment.layoutOf[static_cast<std::size_t>(n)]], n,
                                bytes);
  return counts;
}

SectorCounts sectorsOfGeometry(const TileNeighbourhood& around, const TileLayout& layout,
                               int direction, int bytes) {
  const Walk walk = walkOf(layout, direction, bytes);
  using Range = tbb::blocked_range<std::size_t>;
  SectorCounts counts = tbb::parallel_reduce(
      Range(0, around.border.size()), SectorCounts{},
      [&](const Range& tiles, SectorCounts sum) {
        for (std::size_t i = tiles.begin(); i != tiles.end(); ++i)
          sum += sectorsOfTile(walk, [&](int n) { return around.maskOf(around.border[i], n); });
        return sum;
      },
      [](SectorCounts a, const SectorCounts& b) { return a += b; });
  const SectorCounts full = sectorsOfTile(walk, [](int) { return allNodes; });
  const std::uint64_t inner = around.mask.size() - around.border.size();
  counts += {inner * full.requested, inner * full.read, inner * full.written};
  return counts;
}

namespace {

constexpr int haloEdge = 6;
constexpr int haloNodes = haloEdge * haloEdge * haloEdge;

constexpr int haloIndex(const Int3& offset) {
  return offset[0] + haloEdge * (offset[1] + haloEdge * offset[2]);
}

// 6 x 6 x 6 nodes on and around a tile of a shifted tiling, each as tile and local node; -1: solid.
// Every population walks only these.
class Halo {
 public:
  Halo(const TiledGeometry& tiled, std::size_t t) {
    const Int3 corner = tiled.nodeOf(t, 0);
    int h = 0;
    for (int z = -1; z <= 4; ++z)
      for (int y = -1; y <= 4; ++y)
        for (int x = -1; x <= 4; ++x, ++h)
          location_[static_cast<std::size_t>(h)] =
              locationAt(tiled, {corner[0] + x, corner[1] + y, corner[2] + z});
  }
  // tileNodes * tile + local node; tiles are numbered as met.
  [[nodiscard]] int at(int h) const { return location_[static_cast<std::size_t>(h)]; }

 private:
  int locationAt(const TiledGeometry& tiled, const Int3& node) {
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
  std::array<int, haloNodes> location_{};
  std::array<std::int32_t, 27> tile_{};
  std::size_t met_ = 0;
};

// A population's layout prepared for the halo.
struct HaloWalk {
  int back = 0;                                  // to the source node of a value, in the halo
  std::array<std::uint8_t, tileNodes> sector{};  // sector of each node's value in its tile's block
};

HaloWalk walkOf(const PopulationLayout& population) {
  HaloWalk walk;
  walk.back = -haloIndex(preprocess::geometry::directionStep(population.direction));
  for (int l = 0; l < tileNodes; ++l)
    walk.sector[static_cast<std::size_t>(l)] = static_cast<std::uint8_t>(
        population.layout->place(l % 4, l / 4 % 4, l / 16) * population.bytes / sectorBytes);
  return walk;
}

SectorCounts sectorsOfTile(const Halo& halo, const HaloWalk& walk) {
  SectorCounts counts;
  std::uint32_t leaving = 0, own = 0;
  for (int first = 0; first < tileNodes; first += warpNodes) {
    std::array<std::uint32_t, 27> requested{};  // sectors of each tile
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
  std::vector<HaloWalk> walks;
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
