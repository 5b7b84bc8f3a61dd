// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/rank_part.hpp"

#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "preprocess/file/node_types.hpp"

namespace tessera::solver::tiles {

using tiler::TiledGeometry;
using tiler::tileNodes;

namespace {

// Reach of a step in nodes: 1 for the gather, 2 for walls that read two nodes deep and for the
// stencils of openings, and as many more as there are links over which walls share their excess of
// mass. At most a tile's side.
constexpr int reachOf(int dimensions) {
  return dimensions == 2 ? 7 : 4;
}

// Calls visit(tile) for tile t and all tiles with nodes within reach of its own; some repeatedly.
template <class Visit>
void forTilesAround(const TiledGeometry& g, std::size_t t, Visit&& visit) {
  const int reach = reachOf(g.dimensions);
  const Int3 corner = g.nodeOf(t, 0);
  bool inside = !g.isShifted();
  for (std::size_t a = 0; a < 3; ++a)
    inside = inside && !(g.periodic[a] &&
                         (corner[a] < reach || corner[a] + g.tileSize[a] + reach > g.nodes[a]));
  const auto visitAt = [&](const Int3& tile) {
    const std::int32_t at = g.tileAt(tile[0], tile[1], tile[2]);
    if (at >= 0) visit(static_cast<std::size_t>(at));
  };
  if (inside) {
    for (const preprocess::geometry::Neighbour& next : preprocess::geometry::neighbourhood)
      visitAt(g.nonEmptyTiles[t] + next.step);
    return;
  }
  // Node by node: across periodic faces and in the shifted tiling, tiles need not meet whole tiles.
  Int3 low{};
  Int3 high{};
  for (std::size_t a = 0; a < 3; ++a) {
    const bool flat = g.nodes[a] == 1;
    low[a] = flat ? 0 : corner[a] - reach;
    high[a] = flat ? 0 : corner[a] + g.tileSize[a] - 1 + reach;
  }
  Int3 node{};
  for (int z = low[2]; z <= high[2]; ++z)
    for (int y = low[1]; y <= high[1]; ++y)
      for (int x = low[0]; x <= high[0]; ++x) {
        node = {x, y, z};
        for (std::size_t a = 0; a < 3; ++a)
          if (g.periodic[a]) node[a] = (node[a] % g.nodes[a] + g.nodes[a]) % g.nodes[a];
        visitAt(g.placeOf(node).tile);
      }
}

template <class T>
void append(const std::vector<T>& from, std::uint64_t first, std::uint64_t end,
            std::vector<T>& to) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
            from.begin() + static_cast<std::ptrdiff_t>(end));
}

void appendTile(const TiledGeometry& whole, std::size_t t, TiledGeometry& part) {
  const Int3& at = whole.nonEmptyTiles[t];
  part.tileMap[whole.position(at[0], at[1], at[2])] = static_cast<std::int32_t>(part.tiles());
  part.nonEmptyTiles.push_back(whole.nonEmptyTiles[t]);
  part.tileFlags.push_back(whole.tileFlags[t]);
  append(whole.nodeType, t * tileNodes, (t + 1) * tileNodes, part.nodeType);
  const std::uint64_t first = whole.boundaryStart[t];
  const std::uint64_t end = whole.boundaryStart[t + 1];
  append(whole.boundaryLocal, first, end, part.boundaryLocal);
  append(whole.boundaryMask, first, end, part.boundaryMask);
  append(whole.boundaryNormal, first, end, part.boundaryNormal);
  append(whole.linkDistance, whole.linkStart[t], whole.linkStart[t + 1], part.linkDistance);
  append(whole.linkPatch, whole.linkStart[t], whole.linkStart[t + 1], part.linkPatch);
  part.boundaryStart.push_back(part.boundaryLocal.size());
  part.linkStart.push_back(part.linkDistance.size());
}

}  // namespace

std::uint32_t nodesIn(const TiledGeometry& g, std::size_t t) {
  const auto* types = g.nodeType.data() + t * tileNodes;
  return static_cast<std::uint32_t>(
      tileNodes - std::count(types, types + tileNodes,
                             static_cast<std::uint8_t>(preprocess::file::NodeType::Solid)));
}

RankPart chooseTiles(const TiledGeometry& g, const Partition& partition, int rank) {
  constexpr std::uint8_t none = 255;
  const auto own = static_cast<std::uint32_t>(rank);
  std::vector<std::uint8_t> role(g.tiles(), none);
  for (std::size_t t = 0; t < g.tiles(); ++t) {
    if (partition.rankOfTile[t] != own) {
      if (role[t] == none && (g.tileFlags[t] & tiler::tileHasOpening) != 0)
        role[t] = static_cast<std::uint8_t>(TileRole::Far);
      continue;
    }
    role[t] = static_cast<std::uint8_t>(TileRole::Interior);
    forTilesAround(g, t, [&](std::size_t other) {
      if (partition.rankOfTile[other] == own) return;
      role[t] = static_cast<std::uint8_t>(TileRole::Border);
      role[other] = static_cast<std::uint8_t>(TileRole::Near);
    });
  }
  RankPart part;
  part.tilesOfAll = g.tiles();
  for (std::size_t t = 0; t < g.tiles(); ++t) {
    if (role[t] == none) continue;
    part.role.push_back(static_cast<TileRole>(role[t]));
    part.fileTile.push_back(static_cast<std::int32_t>(t));
    part.rank.push_back(partition.rankOfTile[t]);
  }
  return part;
}

PartOfGeometry partOf(const TiledGeometry& whole, const Partition& partition, int rank) {
  PartOfGeometry out;
  out.part = chooseTiles(whole, partition, rank);
  const std::vector<std::int32_t>& chosen = out.part.fileTile;
  TiledGeometry& g = out.geometry;
  static_cast<tiler::TileMesh&>(g) = whole;
  g.dimensions = whole.dimensions;
  g.frame = whole.frame;
  g.periodic = whole.periodic;
  g.slowestAxis = whole.slowestAxis;
  g.openings = whole.openings;
  g.wallNames = whole.wallNames;
  g.fluidNodes = whole.fluidNodes;
  g.tileMap.assign(whole.tileMap.size(), -1);
  g.boundaryStart.push_back(0);
  g.linkStart.push_back(0);
  for (const std::int32_t t : chosen) appendTile(whole, static_cast<std::size_t>(t), g);
  std::uint64_t node = 0;
  std::size_t k = 0;
  for (std::size_t t = 0; t < whole.tiles(); ++t) {
    if (k < chosen.size() && static_cast<std::size_t>(chosen[k]) == t) {
      out.part.firstNode.push_back(node);
      ++k;
    }
    node += nodesIn(whole, t);
  }
  return out;
}

std::vector<std::uint64_t> firstNodesOf(const TiledGeometry& geometry, const RankPart& part) {
  if (!part.isWhole()) return part.firstNode;
  std::vector<std::uint64_t> first(geometry.tiles() + 1, 0);
  for (std::size_t t = 0; t < geometry.tiles(); ++t) first[t + 1] = first[t] + nodesIn(geometry, t);
  return first;
}

using tiler::TiledGeometry;

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

// Own tiles grouped by cubes.
struct Cubes {
  std::vector<std::uint32_t> tiles;   // cube after cube
  std::vector<std::uint32_t> first;   // first tile of each cube, and the end
  std::vector<std::uint32_t> ofTile;  // cube of each tile of the geometry; none: not an own tile
  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
};

Cubes cubesOf(const TiledGeometry& g, const RankPart& part, unsigned log) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  for (std::size_t t = 0; t < g.tiles(); ++t) {
    if (!part.owns(t)) continue;
    std::uint64_t key = 0;
    for (const int at : g.nonEmptyTiles[t])
      key = key << 21U | static_cast<std::uint64_t>(at) >> log;
    keys.emplace_back(key, static_cast<std::uint32_t>(t));
  }
  tbb::parallel_sort(keys.begin(), keys.end());
  Cubes out;
  out.ofTile.assign(g.tiles(), none);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (k == 0 || keys[k].first != keys[k - 1].first)
      out.first.push_back(static_cast<std::uint32_t>(k));
    out.tiles.push_back(keys[k].second);
    out.ofTile[keys[k].second] = static_cast<std::uint32_t>(out.first.size() - 1);
  }
  out.first.push_back(static_cast<std::uint32_t>(keys.size()));
  return out;
}

// Calls visit(tile) for the tiles around one, across periodic faces too.
template <class Visit>
void forNeighbours(const TiledGeometry& g, std::uint32_t tile, const Visit& visit) {
  for (const preprocess::geometry::Neighbour& next : preprocess::geometry::neighbourhood) {
    Int3 at = g.nonEmptyTiles[tile] + next.step;
    if (!preprocess::geometry::wrapInto(g.grid, g.periodic, at)) continue;
    const std::int32_t other = g.tileAt(at[0], at[1], at[2]);
    if (other >= 0) visit(static_cast<std::uint32_t>(other));
  }
}

// Layer of each cube; none: not connected to the border.
std::vector<std::uint32_t> layersOf(const TiledGeometry& g, const RankPart& part,
                                    const Cubes& cubes) {
  std::vector<std::uint32_t> layer(cubes.size(), none);
  for (std::size_t t = 0; t < g.tiles(); ++t)
    if (part.role[t] == TileRole::Border) layer[cubes.ofTile[t]] = 0;
  std::vector<std::uint32_t> last;
  for (std::uint32_t cube = 0; cube < cubes.size(); ++cube)
    if (layer[cube] == 0) last.push_back(cube);
  for (std::uint32_t now = 1; !last.empty(); ++now) {
    tbb::concurrent_vector<std::uint32_t> found;
    tbb::parallel_for(std::size_t{0}, last.size(), [&](std::size_t k) {
      for (std::uint32_t t = cubes.first[last[k]]; t < cubes.first[last[k] + 1]; ++t)
        forNeighbours(g, cubes.tiles[t], [&](std::uint32_t other) {
          const std::uint32_t cube = cubes.ofTile[other];
          std::uint32_t before = none;
          if (cube != none &&
              std::atomic_ref<std::uint32_t>(layer[cube]).compare_exchange_strong(before, now))
            found.push_back(cube);
        });
    });
    last.assign(found.begin(), found.end());
  }
  return layer;
}

}  // namespace

std::vector<std::uint32_t> layersFromBorder(const TiledGeometry& geometry, const RankPart& part,
                                            unsigned log) {
  const Cubes cubes = cubesOf(geometry, part, log);
  std::vector<std::uint32_t> ofCube = layersOf(geometry, part, cubes);
  std::uint32_t end = 0;
  for (const std::uint32_t layer : ofCube)
    if (layer != none) end = std::max(end, layer + 1);
  std::vector<std::uint32_t> of(geometry.tiles(), 0);
  for (std::size_t t = 0; t < of.size(); ++t)
    if (cubes.ofTile[t] != none) of[t] = std::min(ofCube[cubes.ofTile[t]], end);
  return of;
}

}  // namespace tessera::solver::tiles
