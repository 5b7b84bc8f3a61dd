// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/scaling_beds.hpp"

#include <algorithm>
#include <cstdio>

#include "preprocess/file/node_types.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/sample/spheres.hpp"
#include "solver/bench/bench_geometry.hpp"

namespace tessera::scaling {

using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::sample;
using namespace tessera::solver::bench;
using namespace tessera::solver::tiles;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

TilesFile tilesOf(const SpherePack& pack, const std::array<bool, 3>& periodic) {
  const SampleImage image = imageOf(pack);
  LatticeGeometry geometry;
  geometry.frame.spacing = 1e-4;
  geometry.periodic = periodic;
  geometry.fluid = BitLattice(image.size);
  for (int z = 0; z < image.size[2]; ++z)
    for (int y = 0; y < image.size[1]; ++y)
      for (int x = 0; x < image.size[0]; ++x)
        if (image.value[image.index(x, y, z)] == poreValue) geometry.fluid.set(x, y, z);
  geometry.boundary = findImageLinks(geometry.fluid, periodic, {}).boundary;
  return alignedTiles(std::move(geometry));
}

std::vector<std::uint64_t> fluidNodesOfTiles(const TiledGeometry& g) {
  std::vector<std::uint64_t> nodes(g.tiles(), 0);
  for (std::size_t k = 0; k < g.nodeType.size(); ++k)
    nodes[k / tileNodes] += g.nodeType[k] != static_cast<std::uint8_t>(NodeType::Solid);
  return nodes;
}

}  // namespace

std::vector<Bed> beds(int side, double diameter) {
  BedShape shape;
  shape.size = {side, side, side};
  shape.diameter = diameter;
  std::vector<Bed> all;
  all.push_back({"sphere bed", tilesOf(sphereBed(shape), {true, true, true})});
  shape.size[2] = side / 2;
  all.push_back({"river bed", tilesOf(riverBed(shape, side - side / 2), {true, true, false})});
  return all;
}

Partition equalBlocks(const TiledGeometry& geometry, int blocks) {
  Partition partition;
  for (const auto& at : geometry.nonEmptyTiles) {
    std::uint32_t rank = 0;
    for (std::size_t a = 0; a < 3; ++a)
      rank = rank * static_cast<std::uint32_t>(blocks) +
             static_cast<std::uint32_t>(at[a] * blocks / geometry.grid[a]);
    partition.rankOfTile.push_back(rank);
  }
  return partition;
}

std::string bedTable(const std::vector<Bed>& beds, int blocks) {
  const int ranks = blocks * blocks * blocks;
  const TileCosts costs = tileCosts(19, 8, false);
  std::string text =
      "bed,fluid_nodes,porosity,utilisation,ranks,division,nodes_balance,cost_balance\n";
  for (const Bed& bed : beds) {
    const TiledGeometry& g = bed.tiles.geometry;
    const auto cost = costsOfTiles(g, costs);
    const auto nodes = fluidNodesOfTiles(g);
    const auto add = [&](const char* division, const Partition& partition) {
      char line[256];
      std::snprintf(
          line, sizeof(line), "%s,%llu,%.4f,%.4f,%d,%s,%.4f,%.4f\n", bed.name.c_str(),
          static_cast<unsigned long long>(g.fluidNodes),
          static_cast<double>(g.fluidNodes) / (double(g.nodes[0]) * g.nodes[1] * g.nodes[2]),
          g.utilisation(), ranks, division, balanceOf(partition, nodes, ranks),
          balanceOf(partition, cost, ranks));
      text += line;
    };
    add("equal blocks", equalBlocks(g, blocks));
    add("equal numbers of tiles", partitionTiles(g, ranks, {1, 0, 0, 0, 0}));
    add("by cost", partitionTiles(g, ranks, costs));
  }
  return text;
}

}  // namespace tessera::scaling
