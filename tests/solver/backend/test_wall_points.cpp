// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes from which the traction on a wall is extrapolated during a run.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/backend/cpu/wall_points.hpp"
#include "solver/model/lattice/d3q19.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::model;
using namespace tessera::testing;

namespace {

// z of the node of an observed value.
int planeOf(const tiler::TiledGeometry& geometry, const TileOrder& order, std::uint64_t observed) {
  const std::uint64_t slot = observed / observedPerSlot;
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    if (order.slotOfTile[t] == slot)
      return geometry.nodeOf(t, static_cast<int>(observed % observedPerSlot))[2];
  return -1;
}

}  // namespace

TEST_CASE("Wall points: none uses a node behind a wall between two nodes", "[unit]") {
  // Walls between z = 3 and 4 and between 5 and 6: channels of 4, 2 and 4 planes.
  const Int3 size{8, 8, 10};
  LatticeGeometry lattice = imageLattice(
      size, [](int, int, int) { return true; }, {true, true, false}, {}, 1e-3);
  const auto channelOf = [](int z) { return z < 4 ? 0 : z < 6 ? 1 : 2; };
  cutLinks(lattice, [&](const Int3& one, const Int3& other) {
    return channelOf(one[2]) != channelOf(other[2]);
  });
  for (std::size_t k = 0; k < lattice.boundary.node.size(); ++k) {
    const int z = lattice.fluid.nodeAt(lattice.boundary.node[k])[2];
    const bool up = z == 3 || z == 5 || z == 9;
    lattice.boundary.normal[k] = codeFromNormal({0.0, 0.0, up ? 1.0 : -1.0});
  }
  const TilesFile tiles = inTiles(lattice, {0, 0, 0});
  const TileOrder order = orderTiles(tiles.geometry, D3Q19::c);
  const WallPoints found = findWallPoints(tiles.geometry, order);
  CHECK(found.points.size() == 6 * 64);
  for (const WallPoint& point : found.points) {
    const int z = planeOf(tiles.geometry, order, point.node[0]);
    const int inwards = point.normal[2] > 0.0F ? -1 : 1;
    CHECK(planeOf(tiles.geometry, order, point.node[1]) == z + inwards);
    // Two nodes in the middle channel, four in the others; halfway walls.
    const bool narrow = channelOf(z) == 1;
    for (int k = 2; k < nodesOfWallPoint && !narrow; ++k)
      CHECK(planeOf(tiles.geometry, order, point.node[k]) == z + k * inwards);
    if (narrow) {
      CHECK(point.weight[0] == Approx(1.5));
      CHECK(point.weight[1] == Approx(-0.5));
      CHECK(point.weight[2] == 0.0F);
      CHECK(point.weight[3] == 0.0F);
      continue;
    }
    // Exact for parabolas, at half a spacing from the first node.
    for (int degree = 0; degree < 3; ++degree) {
      double atWall = 0.0;
      for (int k = 0; k < nodesOfWallPoint; ++k)
        atWall += double(point.weight[k]) * std::pow(0.5 + k, degree);
      CHECK(atWall == Approx(degree == 0 ? 1.0 : 0.0).margin(2e-5));
    }
  }
}
