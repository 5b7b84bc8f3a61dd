// SPDX-License-Identifier: GPL-3.0-or-later
// --placement rows: the search against a plain one, the covering, the file.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tiler/file/tiles_file.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"
#include "tiler/tiler_report.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

constexpr std::array<std::array<int, 3>, 6> allOrders{
    {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}};

std::vector<BitLattice> lattices() {
  return {plain::fullLattice({1, 1, 1}),
          plain::fullLattice({9, 6, 11}),
          plain::randomLattice({23, 18, 14}, 0.2, 3, 1),
          plain::randomLattice({13, 30, 21}, 0.5, 5, 2),
          plain::randomLattice({70, 9, 10}, 0.02, 1, 3),
          plain::randomLattice({61, 12, 17}, 0.4, 7, 4)};
}

// Every offset of every layer and row is tried out; node by node.
std::uint64_t fewestTiles(const BitLattice& fluid, const std::array<int, 3>& axes) {
  const auto lengthOn = [&](int k) { return fluid.size[static_cast<std::size_t>(axes[k])]; };
  const auto isFluid = [&](int along, int across, int layer) {
    Int3 node{};
    node[static_cast<std::size_t>(axes[0])] = along;
    node[static_cast<std::size_t>(axes[1])] = across;
    node[static_cast<std::size_t>(axes[2])] = layer;
    return fluid.inside(node[0], node[1], node[2]) && fluid.at(node[0], node[1], node[2]);
  };
  const auto tileIsFluid = [&](int along, int across, int layer) {
    for (int k = 0; k < 64; ++k)
      if (isFluid(along + k % 4, across + k / 4 % 4, layer + k / 16)) return true;
    return false;
  };
  const auto fewest = [](const auto& tilesAt) {
    std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
    for (int offset = 0; offset < 4; ++offset) best = std::min(best, tilesAt(offset));
    return best;
  };
  return fewest([&](int layerShift) {
    std::uint64_t all = 0;
    for (int layer = -layerShift; layer < lengthOn(2); layer += 4)
      all += fewest([&](int acrossShift) {
        std::uint64_t inLayer = 0;
        for (int across = -acrossShift; across < lengthOn(1); across += 4)
          inLayer += fewest([&](int alongShift) {
            std::uint64_t inRow = 0;
            for (int along = -alongShift; along < lengthOn(0); along += 4)
              inRow += tileIsFluid(along, across, layer);
            return inRow;
          });
        return inLayer;
      });
    return all;
  });
}

TiledGeometry shiftedTiles(const BitLattice& fluid, const std::array<bool, 3>& periodic = {}) {
  return coverByMesh(plain::geometryOf(fluid, periodic), searchRows(fluid).mesh);
}

// A tube that bends in two planes, as long as a box and a fifth of its width across.
BitLattice bentTube(int length, double diameter) {
  BitLattice fluid({length, length / 2, length / 2});
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < length; ++x) {
        const double s = 6.28318530717958647692 * x / length;
        const double dy = y - 0.25 * length - 0.1 * length * std::sin(s);
        const double dz = z - 0.25 * length - 0.1 * length * std::cos(0.7 * s);
        if (dy * dy + dz * dz < 0.25 * diameter * diameter) fluid.set(x, y, z);
      }
  return fluid;
}

// Blobs of fluid, one of so many places; the same with every standard library.
BitLattice blobs(const Int3& size, int blob, unsigned oneOf, unsigned seed) {
  std::mt19937 random(seed);
  BitLattice fluid(size);
  for (int z = 0; z < size[2]; z += blob)
    for (int y = 0; y < size[1]; y += blob)
      for (int x = 0; x < size[0]; x += blob) {
        if (random() % oneOf != 0) continue;
        for (int k = 0; k < blob * blob * blob; ++k) {
          const Int3 node{x + k % blob, y + k / blob % blob, z + k / (blob * blob)};
          if (fluid.inside(node[0], node[1], node[2])) fluid.set(node[0], node[1], node[2]);
        }
      }
  return fluid;
}

std::string hashOfMesh(const TileMesh& mesh) {
  std::string bytes;
  for (const int axis : mesh.rows.axes) bytes += static_cast<char>('x' + axis);
  for (const int offset : mesh.offset) bytes += static_cast<char>('0' + offset);
  bytes.append(mesh.rows.layer.begin(), mesh.rows.layer.end());
  bytes.append(mesh.rows.row.begin(), mesh.rows.row.end());
  return hashBytes(bytes.data(), bytes.size());
}

}  // namespace

TEST_CASE("Shifted tiling: the search finds as few tiles as an exhaustive one", "[unit]") {
  for (const BitLattice& fluid : lattices()) {
    std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
    for (const auto& axes : allOrders) {
      INFO(axes[0] << axes[1] << axes[2]);
      const RowSearch found = searchRows(fluid, axes);
      CHECK(found.mesh.rows.axes == axes);
      CHECK(found.tiles == fewestTiles(fluid, axes));
      CHECK(coverByMesh(plain::geometryOf(fluid, {}), found.mesh).tiles() == found.tiles);
      best = std::min(best, found.tiles);
    }
    CHECK(searchRows(fluid).tiles == best);
    const OffsetCounts counts = countTilesAtAllOffsets(fluid, 3);
    CHECK(best <= *std::min_element(counts.tiles.begin(), counts.tiles.end()));
  }
}

TEST_CASE("Shifted tiling: the search by blocks equals the search over the whole box", "[unit]") {
  struct Known {
    Int3 size;
    int blob;
    unsigned oneOf;
    std::uint64_t tiles;
    const char* hash;  // of the best order of axes, as the search over the whole box gave it
  };
  const std::vector<Known> all{{{1, 1, 1}, 1, 1, 1, "5d0ff86316bc150b3f94faa48df6882f"},
                               {{9, 6, 11}, 1, 1, 18, "cc9a574569c65e51fce15e44001f0566"},
                               {{131, 70, 37}, 5, 3, 3930, "35fe4db980b3fca5027beb0ff8443744"},
                               {{70, 9, 10}, 1, 40, 68, "1acccef8dca204ed6d4d78f3c6394bed"},
                               {{40, 200, 19}, 6, 15, 354, "c6b60e16750a18a72e37c340e0203e32"},
                               {{64, 32, 8}, 3, 2, 252, "719d8d305fd7881d8ca08a4c9401a37e"},
                               {{191, 97, 65}, 7, 500, 114, "de1729bfe6aef1c372efd0a6a93fcc89"},
                               {{130, 66, 18}, 4, 6, 448, "dbe51cdefe3aa026212fa95b048628b4"}};
  unsigned seed = 1;
  for (const Known& known : all) {
    INFO(known.size[0] << " x " << known.size[1] << " x " << known.size[2]);
    const RowSearch found = searchRows(blobs(known.size, known.blob, known.oneOf, seed++));
    CHECK(found.tiles == known.tiles);
    CHECK(hashOfMesh(found.mesh) == known.hash);
  }
}

TEST_CASE("Shifted tiling: a geometry in a huge box costs as many tiles as in a small one",
          "[unit]") {
  // In the last, the first and inner blocks, by whole tiles apart from the position in the small
  // box.
  const BitLattice small = blobs({150, 90, 40}, 6, 30, 3);
  for (const Int3& at : {Int3{0, 0, 0}, Int3{8040, 8100, 8152}, Int3{4000, 64, 8000}}) {
    BitLattice huge({8192, 8192, 8192});
    for (int z = 0; z < small.size[2]; ++z)
      for (int y = 0; y < small.size[1]; ++y)
        for (int x = 0; x < small.size[0]; ++x)
          if (small.at(x, y, z)) huge.set(at[0] + x, at[1] + y, at[2] + z);
    for (const auto& axes : allOrders)
      CHECK(searchRows(huge, axes).tiles == searchRows(small, axes).tiles);
  }
}

TEST_CASE("Shifted tiling: ties go to the lowest offset and to layers on the highest axis",
          "[unit]") {
  const RowSearch cube = searchRows(plain::fullLattice({8, 8, 8}));
  CHECK(cube.tiles == 8);
  CHECK(cube.mesh.rows.axes == std::array<int, 3>{0, 1, 2});
  CHECK(cube.mesh.offset == Int3{0, 0, 0});
  for (const std::uint8_t offset : cube.mesh.rows.layer) CHECK(offset == 0);
  for (const std::uint8_t offset : cube.mesh.rows.row) CHECK(offset == 0);
}

TEST_CASE("Shifted tiling: every fluid node is in one tile, and no tile is empty", "[unit]") {
  for (const BitLattice& fluid : lattices())
    for (const auto& axes : allOrders) {
      const TiledGeometry tiled =
          coverByMesh(plain::geometryOf(fluid, {}), searchRows(fluid, axes).mesh);
      std::set<Int3> seen;
      for (std::size_t t = 0; t < tiled.tiles(); ++t) {
        bool any = false;
        for (int l = 0; l < tileNodes; ++l) {
          const Int3 node = tiled.nodeOf(t, l);
          REQUIRE(seen.insert(node).second);  // tiles do not overlap, solid nodes included
          const TilePlace place = tiled.placeOf(node);
          REQUIRE(place.tile == tiled.nonEmptyTiles[t]);
          REQUIRE(place.local == l);
          const bool expected =
              fluid.inside(node[0], node[1], node[2]) && fluid.at(node[0], node[1], node[2]);
          const bool isFluid = tiled.nodeType[t * tileNodes + static_cast<std::size_t>(l)] != 0;
          REQUIRE(isFluid == expected);
          any = any || isFluid;
        }
        REQUIRE(any);
      }
      REQUIRE(tiled.fluidNodes == fluid.count());
    }
}

TEST_CASE("Shifted tiling: neighbours of a tile are three layers of three rows of three tiles",
          "[unit]") {
  for (const auto& axes : allOrders) {
    const auto on = [&](const Int3& tile, int k) {
      return tile[static_cast<std::size_t>(axes[k])];
    };
    const BitLattice fluid = plain::randomLattice({23, 18, 14}, 0.5, 3, 5);
    const TiledGeometry tiled =
        coverByMesh(plain::geometryOf(fluid, {}), searchRows(fluid, axes).mesh);
    for (std::size_t t = 0; t < tiled.tiles(); ++t) {
      const Int3 corner = tiled.nodeOf(t, 0);
      std::map<int, std::set<int>> rowsOf;
      std::map<std::pair<int, int>, std::set<int>> tilesOf;
      for (int k = 0; k < 216; ++k) {
        const Int3 tile =
            tiled
                .placeOf({corner[0] + k % 6 - 1, corner[1] + k / 6 % 6 - 1, corner[2] + k / 36 - 1})
                .tile;
        rowsOf[on(tile, 2)].insert(on(tile, 1));
        tilesOf[{on(tile, 2), on(tile, 1)}].insert(on(tile, 0));
      }
      REQUIRE(rowsOf.size() == 3);
      for (const auto& [layer, rows] : rowsOf) REQUIRE(*rows.rbegin() - *rows.begin() <= 2);
      for (const auto& [row, tiles] : tilesOf) REQUIRE(*tiles.rbegin() - *tiles.begin() <= 2);
    }
  }
}

TEST_CASE("Shifted tiling: links follow their nodes", "[unit]") {
  const BitLattice fluid = plain::randomLattice({23, 18, 14}, 0.6, 4, 6);
  const LatticeGeometry before = plain::geometryOf(fluid, {false, true, false});
  const TiledGeometry tiled = coverByMesh(before, searchRows(fluid).mesh);
  std::map<Int3, std::size_t> boundaryAt;
  for (std::size_t k = 0; k < before.boundary.node.size(); ++k)
    boundaryAt[fluid.nodeAt(before.boundary.node[k])] = k;
  std::size_t found = 0;
  for (std::size_t t = 0; t < tiled.tiles(); ++t)
    for (std::uint64_t b = tiled.boundaryStart[t]; b < tiled.boundaryStart[t + 1]; ++b, ++found) {
      const std::size_t k = boundaryAt.at(tiled.nodeOf(t, tiled.boundaryLocal[b]));
      REQUIRE(tiled.boundaryMask[b] == before.boundary.mask[k]);
      REQUIRE(tiled.boundaryNormal[b] == before.boundary.normal[k]);
    }
  CHECK(found == boundaryAt.size());
}

TEST_CASE("Shifted tiling: some per cent of the tiles of a thin bent tube are saved", "[unit]") {
  // A vessel of 20 and of 40 nodes across: 5 and 2.6 % were measured before.
  const auto saved = [](int length, double diameter) {
    const BitLattice fluid = bentTube(length, diameter);
    const OffsetCounts counts = countTilesAtAllOffsets(fluid, 3);
    const auto one =
        static_cast<double>(*std::min_element(counts.tiles.begin(), counts.tiles.end()));
    return 1.0 - static_cast<double>(searchRows(fluid).tiles) / one;
  };
  const double thin = saved(150, 12.0), middle = saved(200, 20.0), thick = saved(240, 40.0);
  INFO(thin << " " << middle << " " << thick);
  CHECK(thin > 0.05);
  CHECK(middle > 0.03);
  CHECK(thick > 0.01);
  CHECK(thin > middle);
  CHECK(middle > thick);
}

TEST_CASE("Shifted tiling: a .tiles file gives back the written geometry and is version 2",
          "[unit]") {
  const TemporaryFolder folder;
  const TiledGeometry before = shiftedTiles(plain::randomLattice({37, 22, 19}, 0.4, 6, 3));
  writeTilesFile(folder / "a.tiles", before, newProvenance("tessera-tiler"));
  const TiledGeometry after = readTilesFile(folder / "a.tiles").geometry;
  CHECK(after.isShifted());
  CHECK(after.rows.axes == before.rows.axes);
  CHECK(after.rows.layer == before.rows.layer);
  CHECK(after.rows.row == before.rows.row);
  CHECK(after.offset == before.offset);
  CHECK(after.grid == before.grid);
  CHECK(after.tileMap == before.tileMap);
  CHECK(after.nodeType == before.nodeType);
  CHECK_NOTHROW(checkTilesFile(folder / "a.tiles"));
  // A program that knows but one mesh refuses such a file.
  CHECK(ContainerReader(folder / "a.tiles", "tiles", 2).major() == 2);
  writeTilesFile(folder / "b.tiles",
                 coverWithTiles(plain::geometryOf(plain::fullLattice({5, 5, 5}), {}), {0, 0, 0}),
                 newProvenance("tessera-tiler"));
  CHECK(ContainerReader(folder / "b.tiles", "tiles", 2).major() == 1);
}

TEST_CASE("Shifted tiling: the predicted size of a file is that of its arrays", "[unit]") {
  const LatticeGeometry geometry =
      plain::geometryOf(plain::randomLattice({37, 22, 19}, 0.4, 6, 3), {});
  const RowSearch search = searchRows(geometry.fluid);
  const Covering covering =
      describeCovering(geometry, countTilesAtAllOffsets(geometry.fluid, 3), search);
  const TiledGeometry tiled = coverByMesh(geometry, search.mesh);
  const auto bytes = [](const auto& array) { return array.size() * sizeof(array[0]); };
  CHECK(covering.utilisation() == tiled.utilisation());
  CHECK(covering.fileBytes() ==
        bytes(tiled.rows.layer) + bytes(tiled.rows.row) + bytes(tiled.tileMap) +
            bytes(tiled.nonEmptyTiles) + bytes(tiled.nodeType) + bytes(tiled.tileFlags) +
            tiled.tiles() * 16 + bytes(tiled.boundaryLocal) + bytes(tiled.boundaryMask) +
            bytes(tiled.boundaryNormal) + bytes(tiled.linkDistance) + bytes(tiled.linkPatch) +
            bytes(tiled.surface.vertex) + bytes(tiled.surface.triangle) +
            bytes(tiled.surface.label));
}

TEST_CASE("Shifted tiling: a file that contradicts itself is refused by section", "[unit]") {
  const TemporaryFolder folder;
  const auto refusedAfter = [&](const std::string& section, auto damage) {
    TiledGeometry tiled = shiftedTiles(plain::randomLattice({37, 22, 19}, 0.4, 6, 3));
    damage(tiled);
    writeTilesFile(folder / "bad.tiles", tiled, newProvenance("tessera-tiler"));
    checkError(ExitCode::BadInput, [&] { readTilesFile(folder / "bad.tiles"); }, {section});
  };
  using T = TiledGeometry&;
  refusedAfter("row_axes", [](T t) { t.rows.axes = {0, 0, 2}; });
  refusedAfter("row_axes", [](T t) { t.rows.axes = {0, 1, 3}; });
  refusedAfter("meta", [](T t) { t.offset[static_cast<std::size_t>(t.rows.axes[0])] = 1; });
  refusedAfter("meta", [](T t) { t.grid[static_cast<std::size_t>(t.rows.axes[1])] += 1; });
  refusedAfter("layerOffset", [](T t) { t.rows.layer.pop_back(); });
  refusedAfter("layerOffset", [](T t) { t.rows.layer[0] = 4; });
  refusedAfter("rowOffset", [](T t) { t.rows.row.push_back(0); });
  refusedAfter("rowOffset", [](T t) { t.rows.row[1] = 200; });
  // Offsets that are possible but not those that the tiles were laid by.
  TiledGeometry moved = shiftedTiles(plain::randomLattice({37, 22, 19}, 0.4, 6, 3));
  for (std::uint8_t& offset : moved.rows.layer) offset = static_cast<std::uint8_t>(3 - offset);
  writeTilesFile(folder / "moved.tiles", moved, newProvenance("tessera-tiler"));
  sentenceOfError(ExitCode::BadInput, [&] { checkTilesFile(folder / "moved.tiles"); });
}

TEST_CASE("Shifted tiling: tiling and bytes do not depend on the number of threads", "[unit]") {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    writeTilesFile(folder / name, shiftedTiles(plain::randomLattice({70, 41, 33}, 0.3, 6, 8)),
                   newProvenance("tessera-tiler"));
    return readWhole(folder / name);
  };
  const std::string one = write("one.tiles", 1);
  CHECK(one == write("two.tiles", 2));
  CHECK(one == write("three.tiles", 3));
}
