// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/border_layers.hpp"

#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace tessera::solver::tiles {

using tiler::TiledGeometry;

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

// Own tiles by the cube they lie in.
struct Cubes {
  std::vector<std::uint32_t> tiles;   // cube after cube
  std::vector<std::uint32_t> first;   // of each cube's tiles, and their end
  std::vector<std::uint32_t> ofTile;  // of the geometry; none: not an own one
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

// Of each cube; none where no path leads.
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
