// SPDX-License-Identifier: GPL-3.0-or-later
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tiler/file/check_tiles.hpp"
#include "tiler/file/tiles_file.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
namespace fs = std::filesystem;

namespace {

TiledGeometry vesselLike(const std::array<bool, 3>& periodic = {false, false, true}) {
  return coverWithTiles(plain::geometryOf(plain::randomLattice({37, 22, 19}, 0.7, 6, 3), periodic),
                        {1, 3, 2});
}

Provenance someProvenance() {
  Provenance provenance = newProvenance("tessera-tiler");
  provenance.options = {{"offset", "1,3,2"}};
  provenance.inputs = {{"geom.vdb", std::string(32, 'a')}};
  return provenance;
}

void requireRefused(const fs::path& path, const std::string& expected) {
  const std::string sentence = sentenceOfError(ExitCode::BadInput, [&] { readTilesFile(path); });
  CHECK_THAT(sentence, Catch::Contains(expected));
}

}  // namespace

TEST_CASE("Tiles file: it gives back the written geometry", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  TiledGeometry before = vesselLike();
  before.frame.lengthUnit = stage::lengthUnitOf(1e-2);
  writeTilesFile(path, before, someProvenance());
  const TilesFile file = readTilesFile(path);
  const TiledGeometry& after = file.geometry;
  CHECK(file.contentHash.size() == 32);
  CHECK(file.provenance.program == "tessera-tiler");
  CHECK(file.provenance.inputs.at(0).name == "geom.vdb");
  CHECK(after.dimensions == before.dimensions);
  CHECK(after.frame.spacing == before.frame.spacing);
  CHECK(after.frame.origin == before.frame.origin);
  CHECK(after.frame.axis == before.frame.axis);
  CHECK(after.frame.space == before.frame.space);
  CHECK(after.frame.lengthUnit.name == std::string("cm"));
  CHECK(after.nodes == before.nodes);
  CHECK(after.periodic == before.periodic);
  CHECK(after.tileSize == before.tileSize);
  CHECK(after.offset == before.offset);
  CHECK(after.grid == before.grid);
  CHECK(after.slowestAxis == before.slowestAxis);
  CHECK(after.fluidNodes == before.fluidNodes);
  CHECK(after.tileMap == before.tileMap);
  CHECK(after.nonEmptyTiles == before.nonEmptyTiles);
  CHECK(after.nodeType == before.nodeType);
  CHECK(after.tileFlags == before.tileFlags);
  CHECK(after.boundaryStart == before.boundaryStart);
  CHECK(after.boundaryLocal == before.boundaryLocal);
  CHECK(after.boundaryMask == before.boundaryMask);
  CHECK(after.boundaryNormal == before.boundaryNormal);
  CHECK(after.linkStart == before.linkStart);
  CHECK(after.linkDistance == before.linkDistance);
  CHECK(after.linkPatch == before.linkPatch);
  CHECK(after.surface.vertex == before.surface.vertex);
  CHECK(after.surface.triangle == before.surface.triangle);
  CHECK(after.surface.label == before.surface.label);
  CHECK(after.wallNames == before.wallNames);
  REQUIRE(after.openings.size() == 1);
  CHECK(after.openings[0].id == 1);
  CHECK(after.openings[0].name == before.openings[0].name);
  CHECK(after.openings[0].centre == before.openings[0].centre);
  CHECK(after.openings[0].normal == before.openings[0].normal);
  CHECK(after.openings[0].area == before.openings[0].area);
  CHECK(after.openings[0].radius == before.openings[0].radius);
}

TEST_CASE("Tiles file: the reason why throats are missing is kept, and known of version 0.1",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  TiledGeometry before = vesselLike();
  before.throatsNotSearched = "periodic axes";
  writeTilesFile(path, before, someProvenance());
  CHECK(readTilesFile(path).geometry.throatsNotSearched == "periodic axes");
  before.throatsNotSearched.clear();
  writeTilesFile(path, before, someProvenance());
  CHECK(readTilesFile(path).geometry.throatsNotSearched.empty());

  std::string meta = ContainerReader(path, "tiles", 2).text("meta");
  const std::string key = "\"throats\"";
  meta.replace(meta.find(key), key.size(), "\"unknown\"");
  ContainerWriter writer("tiles", 1, 0);
  writer.addText("meta", meta);
  AtomicFile file(path);
  writer.write(file);
  file.commit();
  TiledGeometry old;
  readTilesMeta(ContainerReader(path, "tiles", 2), old);
  CHECK_THAT(old.throatsNotSearched, Catch::Contains("0.1"));
}

TEST_CASE("Tiles file: the bytes do not depend on the number of threads", "[unit]") {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    writeTilesFile(folder / name, vesselLike(), someProvenance());
    return readWhole(folder / name);
  };
  const std::string one = write("one.tiles", 1);
  CHECK(one == write("two.tiles", 2));
  CHECK(one == write("three.tiles", 3));
}

TEST_CASE("Tiles file: a truncated or altered one is refused", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeTilesFile(path, vesselLike(), someProvenance());
  const std::string whole = readWhole(path);
  for (std::size_t length = 0; length < whole.size(); length += whole.size() / 40) {
    writeWhole(path, whole.substr(0, length));
    requireRefused(path, "a.tiles");
  }
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 200) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 4);
    writeWhole(path, altered);
    INFO("byte " << at << " of " << whole.size());
    requireRefused(path, "a.tiles");
  }
  fs::remove(path);
  requireRefused(path, "a.tiles");
}

TEST_CASE("Tiles file: every single bit and every length of a small one is checked", "[slow]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  const auto geometry = plain::geometryOf(plain::fullLattice({3, 3, 5}), {false, false, false});
  writeTilesFile(path, coverWithTiles(geometry, {0, 0, 0}), someProvenance());
  const std::string whole = readWhole(path);
  std::size_t found = 0;
  const auto read = [&](const std::string& content) {
    writeWhole(path, content);
    try {
      readTilesFile(path);
    } catch (const StageError& error) {
      found += error.code() == ExitCode::BadInput;
    }
  };
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string altered = whole;
    altered[bit / 8] = static_cast<char>(altered[bit / 8] ^ (1 << (bit % 8)));
    read(altered);
  }
  CHECK(found == 8 * whole.size());
  found = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) read(whole.substr(0, length));
  CHECK(found == whole.size());
}

// A writer with a fault in it gives files whose checksums are right, so each index is checked too.
TEST_CASE("Tiles file: intact files whose content contradicts itself are refused by section",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "bad.tiles";
  const auto requireRefusedAfter = [&](const std::string& section, auto damage) {
    TiledGeometry tiled = vesselLike();
    damage(tiled);
    writeTilesFile(path, tiled, someProvenance());
    INFO(section);
    requireRefused(path, section);
  };
  using T = TiledGeometry&;
  requireRefusedAfter("meta", [](T t) { t.frame.spacing = -1.0; });
  requireRefusedAfter("meta", [](T t) { t.frame.axis[1] = {2, 0, 0}; });
  requireRefusedAfter("meta", [](T t) { t.frame.origin[0] = std::nan(""); });
  requireRefusedAfter("meta", [](T t) { t.dimensions = 4; });
  requireRefusedAfter("meta", [](T t) { t.nodes[0] = 0; });
  requireRefusedAfter("meta", [](T t) { t.nodes = {1 << 30, 1 << 30, 1 << 30}; });
  requireRefusedAfter("meta", [](T t) { t.tileSize = {8, 8, 1}; });
  requireRefusedAfter("meta", [](T t) { t.offset[2] = 4; });
  requireRefusedAfter("meta", [](T t) { t.grid[1] += 1; });
  requireRefusedAfter("meta", [](T t) { t.slowestAxis = 1; });
  requireRefusedAfter("meta", [](T t) { t.openings[0].id = 2; });
  requireRefusedAfter("meta", [](T t) { t.fluidNodes += 1; });
  requireRefusedAfter("tileMap", [](T t) { t.tileMap.pop_back(); });
  requireRefusedAfter("tileMap", [](T t) { t.tileMap[0] = -2; });
  requireRefusedAfter("tileMap", [](T t) { t.tileMap[0] = static_cast<std::int32_t>(t.tiles()); });
  requireRefusedAfter("nonEmptyTiles", [](T t) { t.nonEmptyTiles[4][1] = 1 << 20; });
  requireRefusedAfter("nonEmptyTiles",
                      [](T t) { std::swap(t.nonEmptyTiles[0], t.nonEmptyTiles[1]); });
  requireRefusedAfter("nodeType", [](T t) { t.nodeType.pop_back(); });
  requireRefusedAfter("nodeType", [](T t) {
    for (std::size_t l = 0; l < tileNodes; ++l)  // tile 0 reaches over the edge of the lattice
      if (t.nodeOf(0, static_cast<int>(l))[0] < 0) t.nodeType[l] = 1;
  });
  requireRefusedAfter("nodeType", [](T t) {
    t.nodeType[t.boundaryLocal[0]] ^= 1;  // Wall <-> Opening
  });
  requireRefusedAfter("nodeType", [](T t) {
    for (std::uint8_t& type : t.nodeType)
      if (type == 1) type = 2;
  });
  requireRefusedAfter("tileFlags", [](T t) { t.tileFlags[0] ^= tileHasOpening; });
  requireRefusedAfter("boundaryStart", [](T t) { t.boundaryStart[2] = ~std::uint64_t{0}; });
  requireRefusedAfter("boundaryStart", [](T t) { t.boundaryStart[0] = 1; });
  requireRefusedAfter("boundaryLocal", [](T t) { t.boundaryLocal[0] = 64; });
  requireRefusedAfter("boundaryLocal", [](T t) { t.boundaryLocal[1] = t.boundaryLocal[0]; });
  requireRefusedAfter("boundaryMask", [](T t) { t.boundaryMask[0] = 0; });
  requireRefusedAfter("boundaryMask", [](T t) { t.boundaryMask[0] |= 1U << restDirection; });
  requireRefusedAfter("boundaryMask", [](T t) { t.boundaryMask[0] |= 1U << 27; });
  requireRefusedAfter("linkStart", [](T t) { t.boundaryMask[t.boundaryStart[1] - 1] = 1; });
  requireRefusedAfter("linkStart", [](T t) { t.linkStart[1] += 1; });
  requireRefusedAfter("linkStart", [](T t) { t.linkStart.back() += 1; });
  requireRefusedAfter("linkPatch", [](T t) { t.linkPatch[0] = 2; });
  requireRefusedAfter("linkPatch", [](T t) { t.linkPatch[0] = openingPatch(2); });
  requireRefusedAfter("linkPatch", [](T t) { t.linkPatch[0] = openingPatch(0); });
  requireRefusedAfter("linkDistance", [](T t) { t.linkDistance.pop_back(); });
  requireRefusedAfter("surfaceVertex", [](T t) { t.surface.vertex[0][2] = std::nanf(""); });
  requireRefusedAfter("surfaceTriangle", [](T t) { t.surface.triangle[1][0] = 4; });
  requireRefusedAfter("surfaceLabel", [](T t) { t.surface.label[0] = 9; });
  requireRefusedAfter("surfaceLabel", [](T t) { t.surface.label.pop_back(); });
}

TEST_CASE(
    "Tiles file: one that claims more tiles than an index can hold is refused before any is read",
    "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "huge.tiles";
  writeTilesFile(path, vesselLike(), someProvenance());
  std::string meta = ContainerReader(path, "tiles", 2).text("meta");
  const std::string tiles = "\"tiles\": " + std::to_string(vesselLike().tiles());
  REQUIRE(meta.find(tiles) != std::string::npos);
  for (const std::string count : {"2147483648", "4294967297", "18446744073709551615"}) {
    std::string claimed = meta;
    claimed.replace(claimed.find(tiles), tiles.size(), "\"tiles\": " + count);
    ContainerWriter writer("tiles", 1, 0);
    writer.addText("meta", claimed);
    writer.addText("provenance", someProvenance().toJson());
    AtomicFile file(path);
    writer.write(file);
    file.commit();
    requireRefused(path, "number of tiles");
  }
}

TEST_CASE("Tiles file: relations between tiles are checked on demand", "[unit]") {
  for (const std::array<bool, 3>& periodic :
       {std::array{false, false, false}, {false, false, true}, {true, true, true}})
    CHECK_NOTHROW(checkSymmetry(vesselLike(periodic)));
  const auto plane =
      plain::geometryOf(plain::randomLattice({37, 22, 1}, 0.7, 6, 3), {false, false, true}, 2);
  CHECK_NOTHROW(checkSymmetry(coverWithTiles(plane, {1, 3, 0})));
  const auto requireFound = [](const std::string& section, auto damage) {
    TiledGeometry tiled = vesselLike();
    damage(tiled);
    CHECK_THROWS_WITH(checkSymmetry(tiled), Catch::Contains(section));
  };
  using T = TiledGeometry&;
  requireFound("boundaryMask", [](T t) { t.boundaryMask[5] ^= 1U << 3; });
  requireFound("boundaryMask", [](T t) { t.boundaryLocal[5] ^= 1; });
  requireFound("boundaryMask", [](T t) {  // a node more, which its neighbours have links to
    const auto isSolidInTheBox = [&](std::size_t k) {
      const Int3 node = t.nodeOf(k / tileNodes, static_cast<int>(k % tileNodes));
      return t.nodeType[k] == 0 && BitLattice(t.nodes).inside(node[0], node[1], node[2]);
    };
    std::size_t k = 0;
    while (!isSolidInTheBox(k)) ++k;
    t.nodeType[k] = 1;
  });
  requireFound("nodeType", [](T t) {  // tile 0 reaches over the edge of the lattice
    std::size_t k = 0;
    while (t.nodeOf(0, static_cast<int>(k))[0] >= 0) ++k;
    t.nodeType[k] = 1;
  });
  requireFound("tileFlags", [](T t) { t.tileFlags[3] ^= tileAllFluid; });
  requireFound("tileFlags", [](T t) { t.tileFlags[3] ^= tileHasOpening; });
}
