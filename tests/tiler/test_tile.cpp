// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <catch2/catch.hpp>

#include "preprocess/file/node_types.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::tiler;

namespace {

struct Trial {
  LatticeGeometry geometry;
  TiledGeometry tiled;
};

std::vector<Trial> trials() {
  std::vector<Trial> list;
  const auto add = [&](const Int3& size, double fill, int blob, const std::array<bool, 3>& periodic,
                       const Int3& offset, int dimensions = 3) {
    LatticeGeometry geometry = plain::geometryOf(
        plain::randomLattice(size, fill, blob, static_cast<unsigned>(list.size())), periodic,
        dimensions);
    list.push_back({geometry, coverWithTiles(geometry, offset)});
  };
  add({1, 1, 1}, 1.0, 1, {false, false, false}, {3, 2, 1});
  add({16, 12, 20}, 1.0, 1, {false, false, false}, {0, 0, 0});
  add({16, 12, 20}, 1.0, 1, {true, true, true}, {0, 0, 0});
  add({18, 13, 9}, 1.0, 1, {true, true, false}, {1, 0, 2});
  add({33, 21, 27}, 0.7, 7, {false, false, false}, {2, 3, 1});
  add({70, 15, 22}, 0.6, 9, {true, false, true}, {3, 1, 0});
  add({13, 66, 17}, 0.3, 2, {false, true, false}, {1, 1, 1});
  add({66, 30, 1}, 0.7, 11, {false, false, true}, {5, 7, 0}, 2);
  add({24, 16, 1}, 1.0, 1, {true, true, true}, {0, 0, 0}, 2);
  return list;
}

// Local node and tile of a lattice node, straight from the definition.
std::pair<std::int32_t, int> placeOf(const TiledGeometry& tiled, const Int3& node) {
  Int3 tile{};
  Int3 local{};
  for (std::size_t a = 0; a < 3; ++a) {
    tile[a] = (node[a] + tiled.offset[a]) / tiled.tileSize[a];
    local[a] = (node[a] + tiled.offset[a]) % tiled.tileSize[a];
  }
  return {tiled.tileAt(tile[0], tile[1], tile[2]),
          local[0] + tiled.tileSize[0] * (local[1] + tiled.tileSize[1] * local[2])};
}

}  // namespace

TEST_CASE("Tiling: every fluid node is found once through tileMap and nodeType", "[unit]") {
  for (const Trial& trial : trials()) {
    const BitLattice& fluid = trial.geometry.fluid;
    const TiledGeometry& tiled = trial.tiled;
    std::uint64_t found = 0;
    for (std::size_t t = 0; t < tiled.tiles(); ++t)
      for (int l = 0; l < tileNodes; ++l) {
        const Int3 node = tiled.nodeOf(t, l);
        const bool expected =
            fluid.inside(node[0], node[1], node[2]) && fluid.at(node[0], node[1], node[2]);
        const bool isFluid = tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] != 0;
        REQUIRE(isFluid == expected);
        if (!isFluid) continue;
        REQUIRE(placeOf(tiled, node) == std::pair{static_cast<std::int32_t>(t), l});
        ++found;
      }
    CHECK(found == fluid.count());
    CHECK(tiled.fluidNodes == found);
    CHECK(tiled.tiles() == plain::countTiles(fluid, tiled.tileSize, tiled.offset));
  }
}

TEST_CASE("Tiling: tiles come row by row with the longest axis of the grid slowest", "[unit]") {
  const auto axesFastestFirst = [](const Int3& grid) -> std::array<std::size_t, 3> {
    if (grid[2] >= grid[0] && grid[2] >= grid[1]) return {0, 1, 2};
    if (grid[1] >= grid[0]) return {0, 2, 1};
    return {1, 2, 0};
  };
  std::array<int, 3> seen{};
  for (const Trial& trial : trials()) {
    const TiledGeometry& tiled = trial.tiled;
    const auto axes = axesFastestFirst(tiled.grid);
    CHECK(tiled.slowestAxis == static_cast<int>(axes[2]));
    ++seen[axes[2]];
    for (std::size_t t = 1; t < tiled.tiles(); ++t) {
      const auto& a = tiled.nonEmptyTiles[t - 1];
      const auto& b = tiled.nonEmptyTiles[t];
      REQUIRE(std::array{a[axes[2]], a[axes[1]], a[axes[0]]} <
              std::array{b[axes[2]], b[axes[1]], b[axes[0]]});
    }
  }
  CHECK(seen[0] > 0);
  CHECK(seen[1] > 0);
  CHECK(seen[2] > 0);
}

TEST_CASE("Tiling: boundary nodes and links arrive unchanged in tile order", "[unit]") {
  for (const Trial& trial : trials()) {
    const BoundaryNodes& before = trial.geometry.boundary;
    const TiledGeometry& tiled = trial.tiled;
    REQUIRE(tiled.boundaryStart.size() == tiled.tiles() + 1);
    REQUIRE(tiled.boundaryStart.back() == before.node.size());
    REQUIRE(tiled.linkStart.back() == before.patch.size());
    std::size_t link = 0;
    for (std::size_t k = 0; k < before.node.size(); ++k) {
      const auto nx = static_cast<std::uint64_t>(tiled.nodes[0]);
      const auto ny = static_cast<std::uint64_t>(tiled.nodes[1]);
      const Int3 node{static_cast<int>(before.node[k] % nx),
                      static_cast<int>(before.node[k] / nx % ny),
                      static_cast<int>(before.node[k] / nx / ny)};
      const auto [tile, local] = placeOf(tiled, node);
      const auto t = static_cast<std::size_t>(tile);
      // Position of the node by a search in the tile, its links by adding those before it.
      std::size_t b = tiled.boundaryStart[t];
      std::size_t to = tiled.linkStart[t];
      for (; b < tiled.boundaryStart[t + 1] && tiled.boundaryLocal[b] != local; ++b)
        to += static_cast<std::size_t>(std::popcount(tiled.boundaryMask[b]));
      REQUIRE(b < tiled.boundaryStart[t + 1]);
      REQUIRE(tiled.boundaryMask[b] == before.mask[k]);
      REQUIRE(tiled.boundaryNormal[b] == before.normal[k]);
      bool opening = false;
      for (int n = std::popcount(before.mask[k]); n > 0; --n, ++link, ++to) {
        REQUIRE(tiled.linkDistance[to] == before.distance[link]);
        REQUIRE(tiled.linkPatch[to] == before.patch[link]);
        opening = opening || isOpening(before.patch[link]);
      }
      const NodeType type = opening ? NodeType::Opening : NodeType::Wall;
      REQUIRE(tiled.nodeType[t * tileNodes + static_cast<std::size_t>(local)] ==
              static_cast<std::uint8_t>(type));
    }
  }
}

TEST_CASE("Tiling: the all-fluid flag covers all 26 neighbours, periodic axes wrap", "[unit]") {
  std::size_t allFluid = 0;
  std::size_t withOpening = 0;
  for (const Trial& trial : trials()) {
    const TiledGeometry& tiled = trial.tiled;
    const LatticeGeometry& geometry = trial.geometry;
    for (std::size_t t = 0; t < tiled.tiles(); ++t) {
      bool expected = true;
      bool opening = false;
      for (int l = 0; l < tileNodes; ++l) {
        const Int3 node = tiled.nodeOf(t, l);
        const bool isFluid = geometry.fluid.inside(node[0], node[1], node[2]) &&
                             geometry.fluid.at(node[0], node[1], node[2]);
        expected =
            expected && isFluid && plain::linkMask(geometry.fluid, geometry.periodic, node) == 0;
        opening = opening || tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] ==
                                 static_cast<std::uint8_t>(NodeType::Opening);
      }
      REQUIRE(((tiled.tileFlags[t] & tileAllFluid) != 0) == expected);
      REQUIRE(((tiled.tileFlags[t] & tileHasOpening) != 0) == opening);
      allFluid += expected;
      withOpening += opening;
    }
  }
  CHECK(allFluid > 0);
  CHECK(withOpening > 0);
  // Periodic on all axes: not one link leaves.
  const LatticeGeometry torus =
      plain::geometryOf(plain::fullLattice({8, 8, 8}), {true, true, true});
  for (const std::uint8_t flags : coverWithTiles(torus, {0, 0, 0}).tileFlags)
    CHECK(flags == tileAllFluid);
}

TEST_CASE("Tiling: frame, openings, walls and surface are carried over", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::fullLattice({9, 5, 6}), {false, true, false});
  const TiledGeometry tiled = coverWithTiles(geometry, {1, 2, 3});
  CHECK(tiled.nodes == Int3{9, 5, 6});
  CHECK(tiled.grid == Int3{3, 2, 3});
  CHECK(tiled.periodic == geometry.periodic);
  CHECK(tiled.frame.spacing == geometry.frame.spacing);
  CHECK(tiled.frame.axis == geometry.frame.axis);
  CHECK(tiled.openings.at(0).name == "inlet");
  CHECK(tiled.wallNames == geometry.wallNames);
  CHECK(tiled.surface.triangle == geometry.surface.triangle);
  CHECK(tiled.utilisation() == Approx(9 * 5 * 6 / (64.0 * 18)));
}

TEST_CASE("Tiling: more tiles than an index can hold are refused by their number", "[unit]") {
  requireIndexable(2'147'483'647);
  const std::string sentence =
      sentenceOfError(ExitCode::BadInput, [] { requireIndexable(2'147'483'648); });
  CHECK_THAT(sentence, Catch::Contains("2147483648 tiles") && Catch::Contains("spacing"));
  // Where 32 bits alone would wrap.
  sentenceOfError(ExitCode::BadInput, [] { requireIndexable((std::uint64_t{1} << 32) + 1); });
}

TEST_CASE("Tiling: a geometry that cannot be tiled is refused", "[unit]") {
  const LatticeGeometry good =
      plain::geometryOf(plain::fullLattice({6, 6, 6}), {false, false, false});
  const auto codeOf = [](const LatticeGeometry& geometry, const Int3& offset) {
    try {
      coverWithTiles(geometry, offset);
    } catch (const StageError& error) {
      return error.code();
    }
    return ExitCode::Done;
  };
  CHECK(codeOf(good, {0, 0, 0}) == ExitCode::Done);
  CHECK(codeOf(good, {0, 4, 0}) == ExitCode::Usage);
  CHECK(codeOf(good, {-1, 0, 0}) == ExitCode::Usage);

  LatticeGeometry bad = good;
  bad.fluid = BitLattice({6, 6, 6});
  CHECK(codeOf(bad, {0, 0, 0}) == ExitCode::BadInput);
  bad = good;
  bad.fluid.makeBlock(0, 0, 0)[0] &= ~std::uint64_t{1};  // boundary node 0 is now solid
  CHECK(codeOf(bad, {0, 0, 0}) == ExitCode::BadInput);
  bad = good;
  bad.boundary.node[3] = 6 * 6 * 6;
  CHECK(codeOf(bad, {0, 0, 0}) == ExitCode::BadInput);
  bad = good;
  bad.boundary.node[3] = bad.boundary.node[2];
  CHECK(codeOf(bad, {0, 0, 0}) == ExitCode::BadInput);
  bad = good;
  bad.boundary.patch.pop_back();
  CHECK(codeOf(bad, {0, 0, 0}) == ExitCode::BadInput);
}
