// SPDX-License-Identifier: GPL-3.0-or-later
// Thinnest channel of tubes with a neck of known width, along the axes and at any angle.
#include <catch2/catch.hpp>

#include "preprocess/lattice/connectivity/thinnest_channel.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;

namespace {

std::optional<ThinnestChannel> thinnest(TriangleMesh mesh) {
  Double3 low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  for (const Double3& v : mesh.vertex)
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], v[a]);
      high[a] = std::max(high[a], v[a]);
    }
  Int3 size{};
  for (std::size_t a = 0; a < 3; ++a)
    size[a] = static_cast<int>(std::ceil(high[a] - low[a] - 1e-9));
  for (Double3& v : mesh.vertex) v = v - low - Double3{0.5, 0.5, 0.5};
  const std::array<bool, 3> periodic{false, false, false};
  const BitLattice fluid = voxelise(mesh, size, periodic);
  return findThinnestChannel(fluid, periodic, findLinks(fluid, periodic, mesh).boundary);
}

}  // namespace

TEST_CASE("Thinnest channel: a neck of known width is measured at any angle", "[unit]") {
  for (const Double3& towards : {Double3{1, 0, 0},
                                 {0, 1, 0},
                                 {0, 0, 1},
                                 {1, 1, 0},
                                 {1, 1, 1},
                                 {2, 1, 0},
                                 {3, 2, 1},
                                 {-1, 2, 5}})
    for (const double width : {3.0, 5.0, 8.0, 12.0, 20.0}) {
      INFO(towards[0] << "," << towards[1] << "," << towards[2] << " of width " << width);
      const auto found = thinnest(neckedTube(towards, 0.5 * width));
      REQUIRE(found);
      CHECK_FALSE(found->atLeast);
      CHECK(std::abs(found->nodes - width) <= std::max(2.0, 0.15 * width));
    }
}

TEST_CASE(
    "Thinnest channel: a square channel has exactly its width, and walls without openings none",
    "[unit]") {
  for (const int width : {1, 2, 3, 4, 7, 8, 11}) {
    const std::array<bool, 3> periodic{false, false, false};
    BitLattice fluid({20, width + 2, width + 4});
    BoundaryNodes boundary;
    for (int z = 2; z < width + 2; ++z)
      for (int y = 1; y < width + 1; ++y)
        for (int x = 0; x < 20; ++x) {
          fluid.set(x, y, z);
          if (x > 0 && x < 19) continue;
          boundary.node.push_back(fluid.nodeIndex(x, y, z));
          const int across = directionOf(x == 0 ? -1 : 1, 0, 0);
          std::uint32_t mask = 0;
          for (int n = 0; n < 27; ++n)  // the whole layer beyond the end is open
            if (directionStep(n)[0] == directionStep(across)[0]) mask |= 1U << n;
          boundary.mask.push_back(mask);
          for (int k = 0; k < 9; ++k) boundary.patch.push_back(openingPatch(x == 0 ? 1 : 2));
        }
    const auto found = findThinnestChannel(fluid, periodic, boundary);
    REQUIRE(found);
    CHECK(found->nodes == width);
    CHECK(found->opening == 1);
    CHECK_FALSE(findThinnestChannel(fluid, periodic, BoundaryNodes{}));
  }
}

TEST_CASE("Thinnest channel: a square channel keeps its width across the seams of periodic axes",
          "[unit]") {
  for (const int width : {1, 4, 7}) {
    const std::array<bool, 3> periodic{false, true, true};
    BitLattice fluid({20, 30, 25});
    for (int z = 0; z < width; ++z)
      for (int y = 0; y < width; ++y)
        for (int x = 0; x < 20; ++x) fluid.set(x, (29 + y) % 30, (23 + z) % 25);
    BoundaryNodes boundary;
    for (int z = 0; z < 25; ++z)
      for (int y = 0; y < 30; ++y)
        for (const int x : {0, 19}) {
          if (!fluid.at(x, y, z)) continue;
          boundary.node.push_back(fluid.nodeIndex(x, y, z));
          std::uint32_t mask = 0;
          for (int n = 0; n < 27; ++n)
            if (directionStep(n)[0] == (x == 0 ? -1 : 1)) mask |= 1U << n;
          boundary.mask.push_back(mask);
          boundary.patch.insert(boundary.patch.end(), 9, openingPatch(x == 0 ? 1 : 2));
        }
    const auto found = findThinnestChannel(fluid, periodic, boundary);
    REQUIRE(found);
    CHECK(found->nodes == width);
  }
}

TEST_CASE("Thinnest channel: a wide tube is measured up to 33 nodes", "[unit]") {
  const auto found = thinnest(tubeMesh({0, 0, 0}, {0, 0, 40}, 25.0, 96, true));
  REQUIRE(found);
  CHECK(found->atLeast);
  CHECK(found->nodes == 33);
}
