// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/structures_divided.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "solver/bench/bench_geometry.hpp"

namespace tessera::paper {

using namespace tessera::preprocess::geometry;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::comm;
using namespace tessera::solver::tiles;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

constexpr int slabLayers = 16;
constexpr int tileLayers = 4;

std::size_t indexOf(int axis) {
  return static_cast<std::size_t>(axis);
}

// Nearest multiple of a tile's layers.
int wholeTiles(double layers) {
  return static_cast<int>(std::lround(layers / tileLayers)) * tileLayers;
}

// Starts that grow by at least one tile and leave one to each of the ranks that follow.
Division withStarts(int axis, int layers, std::vector<int> inner) {
  Division division{axis, {0}};
  const auto ranks = static_cast<int>(inner.size()) + 1;
  if ((layers + tileLayers - 1) / tileLayers < ranks)
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format("{} layers of nodes in whole tiles are too few for {} ranks", layers, ranks));
  for (int r = 1; r < ranks; ++r) {
    const int least = division.starts.back() + tileLayers;
    const int most = (layers - 1) / tileLayers * tileLayers - (ranks - 1 - r) * tileLayers;
    division.starts.push_back(
        std::max(least, std::min(inner[static_cast<std::size_t>(r) - 1], most)));
  }
  division.starts.push_back(layers);
  return division;
}

}  // namespace

int longestAxis(const TiledGeometry& geometry) {
  int longest = 2;
  for (const int axis : {1, 0})
    if (geometry.nodes[indexOf(axis)] > geometry.nodes[indexOf(longest)]) longest = axis;
  return longest;
}

Division equalLayers(const TiledGeometry& geometry, int axis, int ranks) {
  const int layers = geometry.nodes[indexOf(axis)];
  std::vector<int> inner;
  for (int r = 1; r < ranks; ++r) inner.push_back(wholeTiles(double(layers) * r / ranks));
  return withStarts(axis, layers, std::move(inner));
}

std::vector<WorkOfSlabs> workOfSlabs(const TiledGeometry& geometry, int axis,
                                     const std::vector<const ComparatorInfo*>& infos,
                                     Ranks& ranks) {
  const int layers = geometry.nodes[indexOf(axis)];
  const int slabs = (layers + slabLayers - 1) / slabLayers;
  std::vector<WorkOfSlabs> work(infos.size(), WorkOfSlabs(static_cast<std::size_t>(slabs), 0));
  Division slab{axis, {0, 0}};
  for (int k = ranks.rank(); k < slabs; k += ranks.size()) {
    slab.starts = {k * slabLayers, std::min(layers, (k + 1) * slabLayers)};
    const TilesFile tiles = layersOf(geometry, slab, 0);
    if (tiles.geometry.fluidNodes == 0) continue;
    const FluidNodes curve(tiles.geometry, NodeOrder::Curve);
    const FluidNodes rows(tiles.geometry, NodeOrder::Rows);
    for (std::size_t i = 0; i < infos.size(); ++i)
      work[i][static_cast<std::size_t>(k)] = std::llround(
          infos[i]->count(infos[i]->order == NodeOrder::Curve ? curve : rows, {}).moved);
  }
  for (WorkOfSlabs& of : work) ranks.sum(of);
  return work;
}

Division balancedLayers(const TiledGeometry& geometry, int axis, int ranks,
                        const WorkOfSlabs& work) {
  const int layers = geometry.nodes[indexOf(axis)];
  const auto all = static_cast<double>(std::accumulate(work.begin(), work.end(), std::int64_t{0}));
  std::vector<int> inner;
  for (int r = 1; r < ranks; ++r) {
    double left = all * r / ranks;
    std::size_t k = 0;
    while (k + 1 < work.size() && left > static_cast<double>(work[k]))
      left -= static_cast<double>(work[k++]);
    // Work is taken as even within a slab.
    const double part = work[k] > 0 ? left / static_cast<double>(work[k]) : 0.0;
    inner.push_back(wholeTiles(slabLayers * (static_cast<double>(k) + std::min(part, 1.0))));
  }
  return withStarts(axis, layers, std::move(inner));
}

TilesFile layersOf(const TiledGeometry& closed, const Division& division, int rank) {
  const std::size_t a = indexOf(division.axis);
  const int first = division.starts[static_cast<std::size_t>(rank)];
  const int end = division.starts[static_cast<std::size_t>(rank) + 1];
  LatticeGeometry part;
  part.frame = closed.frame;
  part.periodic = closed.periodic;
  part.periodic[a] = false;
  Int3 size = closed.nodes;
  size[a] = end - first;
  part.fluid = BitLattice(size);
  for (std::size_t k = 0; k < closed.nodeType.size(); ++k) {
    if (closed.nodeType[k] == static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
      continue;
    Int3 node = closed.nodeOf(k / 64, static_cast<int>(k % 64));
    if (node[a] < first || node[a] >= end) continue;
    node[a] -= first;
    part.fluid.set(node[0], node[1], node[2]);
  }
  part.boundary = preprocess::lattice::findImageLinks(part.fluid, part.periodic, {}).boundary;
  return alignedTiles(std::move(part));
}

Partition partitionOf(const TiledGeometry& geometry, const Division& division) {
  Partition partition;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    const int layer = std::max(
        0, geometry.nodeOf(t, 0)[indexOf(division.axis)]);  // a shifted tile may begin outside
    const auto next = std::upper_bound(division.starts.begin(), division.starts.end() - 1, layer);
    partition.rankOfTile.push_back(static_cast<std::uint32_t>(next - division.starts.begin() - 1));
  }
  return partition;
}

}  // namespace tessera::paper
