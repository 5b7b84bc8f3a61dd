// SPDX-License-Identifier: GPL-3.0-or-later
// Counts sectors from masks: which nodes of a tile read from which sector is worked out once a
// layout and direction, a tile then costs a few bit operations a sector.
#include "tiler/analysis/transactions.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <array>
#include <vector>

namespace tessera::tiler::analysis {

namespace {

constexpr std::uint64_t allNodes = ~std::uint64_t{0};

// Bit l of the result is bit l + by of the word.
std::uint64_t shifted(std::uint64_t word, int by) {
  return by >= 0 ? word >> by : word << -by;
}

// What the tile reads from one neighbour, or what one neighbour reads from it.
struct Exchange {
  int neighbour = 0;                  // direction of the neighbouring tile
  int shift = 0;                      // the other node is local node l + shift there
  std::uint64_t nodes = 0;            // of this tile
  std::vector<std::uint64_t> sector;  // nodes of this tile that share a warp and a sector there
};

struct Walk {
  std::vector<Exchange> gather;       // where each node's value comes from
  std::vector<Exchange> passed;       // where each node's value goes
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

// The exchanges of nodes with those one step away.
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

}  // namespace tessera::tiler::analysis
