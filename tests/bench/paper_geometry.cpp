// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/paper_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pipelines/stage/system/parallel_for.hpp"
#include "preprocess/sample/spheres.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "tests/bench/wide_vessel.hpp"

namespace tessera::paper {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::sample;
using namespace tessera::solver::bench;
using namespace tessera::stage;
using namespace tessera::tiler::file;

namespace {

constexpr int blockSide = BitLattice::blockPlanes;

// Nodes over a box, the first one in its corner.
struct Nodes {
  Double3 low{};
  double spacing = 0.0;
  Int3 size{};

  [[nodiscard]] Double3 at(double x, double y, double z) const {
    return low + spacing * Double3{x, y, z};
  }
};

// Whether all nodes of a block are alike: its middle is further from the surface and from all ends
// than any of them is from it.
enum class Block { Outside, Inside, Mixed };
Block blockAround(const Vessel& vessel, const Double3& middle, double reach) {
  const double value = vessel.field(middle).value;
  if (value > reach) return Block::Outside;
  const bool atAnEnd = std::any_of(vessel.ends.begin(), vessel.ends.end(), [&](const TubeEnd& end) {
    const Double3 from = middle - end.centre;
    return dot(from, from) < (end.reach + reach) * (end.reach + reach);
  });
  return value < -reach && !atAnEnd ? Block::Inside : Block::Mixed;
}

// visit(x, y, z) for the inner nodes of a layer of blocks.
template <class Visit>
void forInside(const Vessel& vessel, const Nodes& nodes, int layer, const Visit& visit) {
  const double reach = nodes.spacing * std::sqrt(3.0) * 0.5 * blockSide;
  const auto end = [&](int first, std::size_t a) {
    return std::min(first + blockSide, nodes.size[a]);
  };
  const int z0 = layer * blockSide;
  for (int y0 = 0; y0 < nodes.size[1]; y0 += blockSide)
    for (int x0 = 0; x0 < nodes.size[0]; x0 += blockSide) {
      constexpr double half = 0.5 * (blockSide - 1);
      const Block block = blockAround(vessel, nodes.at(x0 + half, y0 + half, z0 + half), reach);
      if (block == Block::Outside) continue;
      for (int z = z0; z < end(z0, 2); ++z)
        for (int y = y0; y < end(y0, 1); ++y)
          for (int x = x0; x < end(x0, 0); ++x) {
            const Double3 p = nodes.at(x, y, z);
            if (block == Block::Inside || (vessel.field(p).value < 0.0 && !beyondAnEnd(vessel, p)))
              visit(x, y, z);
          }
    }
}

Nodes nodesOver(const Double3& low, const Double3& high, int longest) {
  const Double3 extent = high - low;
  Nodes nodes{low, std::max({extent[0], extent[1], extent[2]}) / (longest - 1), {}};
  for (std::size_t a = 0; a < 3; ++a)
    nodes.size[a] = static_cast<int>(std::floor(extent[a] / nodes.spacing + 1e-9)) + 1;
  return nodes;
}

int layersOf(const Nodes& nodes) {
  return (nodes.size[2] + blockSide - 1) / blockSide;
}

// Bounding box of the inside, to a node of a coarse lattice: the vessel's own box is larger.
Nodes fitted(const Vessel& vessel, int longest) {
  constexpr int coarse = 200;
  const Nodes nodes = nodesOver(vessel.low, vessel.high, coarse);
  struct Box {
    Double3 low, high;
  };
  std::vector<Box> ofLayer(static_cast<std::size_t>(layersOf(nodes)), {vessel.high, vessel.low});
  const auto widen = [](Box& box, const Double3& low, const Double3& high) {
    for (std::size_t a = 0; a < 3; ++a) {
      box.low[a] = std::min(box.low[a], low[a]);
      box.high[a] = std::max(box.high[a], high[a]);
    }
  };
  parallelFor(ofLayer.size(), [&](std::size_t k) {
    forInside(vessel, nodes, static_cast<int>(k), [&](int x, int y, int z) {
      const Double3 p = nodes.at(x, y, z);
      widen(ofLayer[k], p, p);
    });
  });
  Box all{vessel.high, vessel.low};
  for (const Box& box : ofLayer) widen(all, box.low, box.high);
  return nodesOver(all.low, all.high, longest);
}

}  // namespace

bool beyondAnEnd(const Vessel& vessel, const Double3& place) {
  return std::any_of(vessel.ends.begin(), vessel.ends.end(), [&](const TubeEnd& end) {
    const Double3 from = place - end.centre;
    return dot(from, end.normal) > 0.0 && dot(from, from) < end.reach * end.reach;
  });
}

VesselLattice voxelised(const Vessel& vessel, int longest) {
  const Nodes nodes = fitted(vessel, longest);
  VesselLattice lattice{BitLattice(nodes.size), nodes.low, nodes.spacing};
  parallelFor(static_cast<std::size_t>(layersOf(nodes)), [&](std::size_t k) {
    forInside(vessel, nodes, static_cast<int>(k),
              [&](int x, int y, int z) { lattice.fluid.set(x, y, z); });
  });
  return lattice;
}

TilesFile spherePack(int side, double diameter, double porosity) {
  SpheresShape shape;
  shape.size = {side, side, side};
  shape.diameter = diameter;
  shape.porosity = porosity;
  const SampleImage image = imageOf(randomSpheres(shape));
  BitLattice fluid(shape.size);
  parallelFor(static_cast<std::size_t>(fluid.blocks()[2]), [&](std::size_t layer) {
    const int first = static_cast<int>(layer) * blockSide;
    for (int z = first; z < std::min(first + blockSide, side); ++z)
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
          if (image.value[image.index(x, y, z)] == poreValue) fluid.set(x, y, z);
  });
  return alignedTiles(closedLattice(std::move(fluid)));
}

TilesFile aneurysmTiles(int longest) {
  return alignedTiles(closedLattice(voxelised(aneurysmVessel(wideVessel()), longest).fluid));
}

TilesFile aortaTiles(int longest) {
  return alignedTiles(closedLattice(voxelised(aortaVessel({}), longest).fluid));
}

Neighbourhood neighbourhoodOf(const std::array<std::int32_t, 3>& grid) {
  const double x = grid[0], y = grid[1], z = grid[2];
  const double faces = (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1);
  const double edges = x * (y - 1) * (z - 1) + (x - 1) * y * (z - 1) + (x - 1) * (y - 1) * z;
  return {faces / (x * y * z), edges / (x * y * z)};
}

}  // namespace tessera::paper
