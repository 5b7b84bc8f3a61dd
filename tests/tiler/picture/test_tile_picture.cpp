// SPDX-License-Identifier: GPL-3.0-or-later
// Slices through tiles and their picture.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>

#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tiler/picture/tile_picture.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::picture;
using namespace tessera::preprocess::geometry;
using namespace tessera::tiler;
using namespace tessera::tiler::picture;

namespace {

LatticeGeometry someGeometry() {
  return plain::geometryOf(plain::randomLattice({21, 14, 18}, 0.6, 4, 5), {false, false, false});
}

std::size_t pixelsOf(const Image& image, std::uint32_t colour) {
  return static_cast<std::size_t>(
      std::count(image.pixel.begin(), image.pixel.end(), colourOf(colour)));
}

constexpr std::uint32_t fluidColour = 0xaed6f1, wallColour = 0x1f5f94, openingColour = 0xe07b00,
                        solidColour = 0xc9ced4;

}  // namespace

TEST_CASE("Tile picture: a slice holds the nodes of its layer, on every axis", "[unit]") {
  const LatticeGeometry geometry = someGeometry();
  const TiledGeometry tiled = coverWithTiles(geometry, {1, 2, 3});
  for (int axis = 0; axis < 3; ++axis)
    for (int at = 0; at < geometry.fluid.size[static_cast<std::size_t>(axis)]; ++at) {
      const TileSlice slice = sliceTiles(tiled, {axis, at});
      BitLattice found(geometry.fluid.size);
      for (const SlicedTile& tile : slice.tile)
        for (int v = 0; v < slice.edgeV; ++v)
          for (int u = 0; u < slice.edgeU; ++u) {
            if (tile.type[static_cast<std::size_t>(u + slice.edgeU * v)] == 0) continue;
            Int3 node{};
            node[static_cast<std::size_t>(axis)] = at;
            node[static_cast<std::size_t>(slice.axisU)] = tile.u + u;
            node[static_cast<std::size_t>(slice.axisV)] = tile.v + v;
            REQUIRE(geometry.fluid.at(node[0], node[1], node[2]));
            found.set(node[0], node[1], node[2]);
          }
      std::uint64_t expected = 0;
      Int3 node{};
      const Int3& size = geometry.fluid.size;
      for (node[2] = 0; node[2] < size[2]; ++node[2])
        for (node[1] = 0; node[1] < size[1]; ++node[1])
          for (node[0] = 0; node[0] < size[0]; ++node[0])
            expected += node[static_cast<std::size_t>(axis)] == at &&
                        geometry.fluid.at(node[0], node[1], node[2]);
      REQUIRE(found.count() == expected);
    }
}

TEST_CASE("Tile picture: a sliced tile counts all its nodes", "[unit]") {
  const TiledGeometry tiled = coverWithTiles(
      plain::geometryOf(plain::fullLattice({4, 4, 6}), {false, false, false}), {0, 0, 0});
  REQUIRE(sliceTiles(tiled, {2, 1}).tile.size() == 1);
  CHECK(sliceTiles(tiled, {2, 1}).tile[0].nodes == 64);
  CHECK(sliceTiles(tiled, {2, 5}).tile[0].nodes == 32);
  CHECK(sliceTiles(tiled, {0, 1}).tile.size() == 2);
}

TEST_CASE("Tile picture: the fullest slice lies across the slowest axis", "[unit]") {
  LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({5, 6, 30}), {false, false, false});
  CHECK(fullestSlice(coverWithTiles(geometry, {0, 0, 0})).axis == 2);
  CHECK(fullestSlice(coverWithTiles(geometry, {0, 0, 0})).at == 0);
  BitLattice fluid({5, 30, 6});
  for (int y = 0; y < 30; ++y) fluid.set(2, y, 3);
  fluid.set(3, 17, 3);
  const SliceChoice choice =
      fullestSlice(coverWithTiles(plain::geometryOf(fluid, {false, false, false}), {0, 1, 0}));
  CHECK(choice.axis == 1);
  CHECK(choice.at == 17);
}

TEST_CASE("Tile picture: it shows each kind of node, by area", "[unit]") {
  // One layer in 2D, 18 pixels or more a node: edges of tiles hide little of them.
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({12, 12, 1}), {false, false, true}, 2);
  const TiledGeometry tiled = coverWithTiles(geometry, {2, 2, 0});
  const Image image = drawTiles(sliceTiles(tiled, {2, 0}), "twelve by twelve");
  std::array<double, 4> nodes{};
  for (const std::uint8_t type : tiled.nodeType) nodes[type] += 1.0;
  REQUIRE(nodes[1] > 0);
  const double aNode = static_cast<double>(pixelsOf(image, fluidColour)) / nodes[1];
  CHECK(aNode > 100.0);
  CHECK(static_cast<double>(pixelsOf(image, solidColour)) / aNode ==
        Approx(nodes[0]).epsilon(0.15));
  CHECK(static_cast<double>(pixelsOf(image, wallColour)) / aNode == Approx(nodes[2]).epsilon(0.15));
  CHECK((pixelsOf(image, openingColour) > 2000) == (nodes[3] > 2.0));
}

TEST_CASE("Tile picture: it stays within a page, whatever the slice", "[unit]") {
  for (const Int3& size : {Int3{3, 3, 3}, Int3{900, 5, 4}, Int3{4, 5, 900}, Int3{3000, 8, 4}}) {
    const TiledGeometry tiled = coverWithTiles(
        plain::geometryOf(plain::fullLattice(size), {false, false, false}), {0, 0, 0});
    for (int axis = 0; axis < 3; ++axis) {
      const Image image = drawTiles(sliceTiles(tiled, {axis, 0}), "");
      CHECK(image.width <= 3200);
      CHECK(image.height <= 2400);
      CHECK(pixelsOf(image, wallColour) + pixelsOf(image, openingColour) > 100);
    }
  }
}
