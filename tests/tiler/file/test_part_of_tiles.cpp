// SPDX-License-Identifier: GPL-3.0-or-later
// Some tiles of a file: the same as in the whole, for any reader, without reading more of the file
// than needed.
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <random>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/container.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fixtures/threads_as_processes.hpp"
#include "tiler/file/part_of_tiles.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

LatticeGeometry blobs(const Int3& size, int dimensions = 3) {
  return plain::geometryOf(plain::randomLattice(size, 0.6, 5, 3), {false, false, dimensions == 2},
                           dimensions);
}

// By all processes; the index of the first.
TilesIndex indexBy(int processes, const fs::path& path) {
  std::vector<TilesIndex> indices(static_cast<std::size_t>(processes));
  asProcesses(processes, [&](Processes& all) {
    indices[static_cast<std::size_t>(all.rank())] = readTilesIndex(path, all);
  });
  for (const TilesIndex& index : indices) {
    CHECK(index.nonSolid == indices.front().nonSolid);
    CHECK(index.openingLinks == indices.front().openingLinks);
  }
  return std::move(indices.front());
}

void requireIndexOf(const TilesFile& whole, const TilesIndex& index) {
  const TiledGeometry& all = whole.geometry;
  CHECK(index.contentHash == whole.contentHash);
  CHECK(index.provenance.toJson() == whole.provenance.toJson());
  CHECK(index.outline.nonEmptyTiles == all.nonEmptyTiles);
  CHECK(index.outline.tileMap == all.tileMap);
  CHECK(index.outline.tileFlags == all.tileFlags);
  CHECK(index.outline.boundaryStart == all.boundaryStart);
  CHECK(index.outline.linkStart == all.linkStart);
  CHECK(index.outline.nodeType.empty());
  REQUIRE(index.nonSolid.size() == all.tiles());
  std::size_t openings = 0;
  for (std::size_t t = 0; t < all.tiles(); ++t) {
    int nodes = 0;
    for (std::size_t l = 0; l < 64; ++l) nodes += all.nodeType[64 * t + l] != 0;
    int links = 0;
    for (std::uint64_t k = all.linkStart[t]; k < all.linkStart[t + 1]; ++k)
      links += isOpening(all.linkPatch[k]);
    REQUIRE(index.nonSolid[t] == nodes);
    REQUIRE(index.openingLinks[t] == links);
    openings += links > 0;
  }
  CHECK(openings > 0);
}

// Elements that tile t has of an array, by the starts of tiles.
template <class Value>
std::vector<Value> ofTile(const std::vector<Value>& values, const std::vector<std::uint64_t>& start,
                          std::size_t t) {
  return {values.begin() + static_cast<std::ptrdiff_t>(start[t]),
          values.begin() + static_cast<std::ptrdiff_t>(start[t + 1])};
}

void requirePartOf(const TiledGeometry& all, const TilesPart& part) {
  const TiledGeometry& some = part.file.geometry;
  CHECK(some.nodes == all.nodes);
  CHECK(some.grid == all.grid);
  CHECK(some.offset == all.offset);
  CHECK(some.rows.row == all.rows.row);
  CHECK(some.openings.size() == all.openings.size());
  CHECK(some.wallNames == all.wallNames);
  CHECK(some.fluidNodes == all.fluidNodes);
  REQUIRE(some.tiles() == part.fileTile.size());
  REQUIRE(part.firstNode.size() == some.tiles());
  REQUIRE(some.tileMap.size() == all.tileMap.size());
  std::size_t named = 0;
  for (const std::int32_t tile : some.tileMap) named += tile >= 0;
  CHECK(named == some.tiles());
  for (std::size_t i = 0; i < some.tiles(); ++i) {
    const auto t = static_cast<std::size_t>(part.fileTile[i]);
    const Int3 at = all.nonEmptyTiles[t];
    REQUIRE(some.nonEmptyTiles[i] == at);
    REQUIRE(some.tileAt(at[0], at[1], at[2]) == static_cast<std::int32_t>(i));
    REQUIRE(some.tileFlags[i] == all.tileFlags[t]);
    REQUIRE(std::equal(&some.nodeType[64 * i], &some.nodeType[64 * i] + 64, &all.nodeType[64 * t]));
    const auto same = [&](const auto& ours, const auto& ourStart, const auto& theirs,
                          const auto& theirStart) {
      REQUIRE(ofTile(ours, ourStart, i) == ofTile(theirs, theirStart, t));
    };
    same(some.boundaryLocal, some.boundaryStart, all.boundaryLocal, all.boundaryStart);
    same(some.boundaryMask, some.boundaryStart, all.boundaryMask, all.boundaryStart);
    same(some.boundaryNormal, some.boundaryStart, all.boundaryNormal, all.boundaryStart);
    same(some.linkDistance, some.linkStart, all.linkDistance, all.linkStart);
    same(some.linkPatch, some.linkStart, all.linkPatch, all.linkStart);
    std::uint64_t before = 0;
    for (std::size_t n = 0; n < 64 * t; ++n) before += all.nodeType[n] != 0;
    REQUIRE(part.firstNode[i] == before);
  }
}

std::vector<std::int32_t> someTiles(std::size_t tiles, double share, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution chosen(share);
  std::vector<std::int32_t> out;
  for (std::size_t t = 0; t < tiles; ++t)
    if (chosen(random)) out.push_back(static_cast<std::int32_t>(t));
  return out;
}

// Message of all processes when each reads its own tiles; it has to be the same.
std::string refusalBy(int processes, const fs::path& path) {
  std::vector<std::string> said(static_cast<std::size_t>(processes));
  asProcesses(processes, [&](Processes& all) {
    try {
      const TilesIndex index = readTilesIndex(path, all);
      std::vector<std::int32_t> tiles;
      for (std::size_t t = static_cast<std::size_t>(all.rank()); t < index.outline.tiles();
           t += static_cast<std::size_t>(all.size()))
        tiles.push_back(static_cast<std::int32_t>(t));
      together(all, [&] { (void)readTilesPart(path, index, tiles); });
    } catch (const StageError& error) {
      if (error.code() == ExitCode::BadInput)
        said[static_cast<std::size_t>(all.rank())] = error.what();
    }
  });
  for (const std::string& sentence : said) CHECK(sentence == said.front());
  return said.front();
}

}  // namespace

TEST_CASE("Part of a .tiles file: it has the content of the whole file for these tiles", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  const LatticeGeometry lattice = blobs({61, 43, 37});
  for (const auto& tiled :
       {coverWithTiles(lattice, {1, 3, 2}), coverByMesh(lattice, searchRows(lattice.fluid).mesh),
        coverWithTiles(blobs({97, 66, 1}, 2), {5, 3, 0})}) {
    writeTilesFile(path, tiled, newProvenance("tessera-tiler"));
    const TilesFile whole = readTilesFile(path);
    for (const int processes : {1, 2, 3, 8}) {
      const TilesIndex index = indexBy(processes, path);
      requireIndexOf(whole, index);
      for (const double share : {0.0, 0.1, 0.7, 1.0})
        requirePartOf(whole.geometry,
                      readTilesPart(path, index, someTiles(whole.geometry.tiles(), share, 4)));
    }
  }
}

TEST_CASE(
    "Part of a .tiles file: every altered byte outside the surface is found by one process and "
    "reported by all",
    "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeTilesFile(path, coverWithTiles(blobs({37, 22, 19}), {1, 3, 2}), newProvenance("t"));
  const std::string whole = readWhole(path);
  std::uint64_t surface = 0;
  const ContainerReader reader(path, "tiles", 2);
  for (const SectionInfo& section : reader.sections())
    if (section.name == "surfaceVertex") surface = section.offset;
  for (std::size_t at = 0; at < surface; at += surface / 60) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 4);
    writeWhole(path, altered);
    INFO("byte " << at << " of " << whole.size());
    CHECK_THAT(refusalBy(3, path), Contains("a.tiles"));
  }
  writeWhole(path, whole.substr(0, whole.size() / 2));
  CHECK_THAT(refusalBy(2, path), Contains("truncated"));
}

TEST_CASE("Part of a .tiles file: inconsistent content is refused though its checksums hold",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  const TiledGeometry good = coverWithTiles(blobs({37, 22, 19}), {1, 3, 2});
  const auto refusal = [&](const std::function<void(TiledGeometry&)>& spoil) {
    TiledGeometry bad = good;
    spoil(bad);
    writeTilesFile(path, bad, newProvenance("t"));
    return refusalBy(3, path);
  };
  const auto mixed = static_cast<std::size_t>(
      std::find_if(good.tileFlags.begin(), good.tileFlags.end(),
                   [](std::uint8_t flags) { return (flags & tileAllFluid) == 0; }) -
      good.tileFlags.begin());
  CHECK_THAT(refusal([](auto& g) { std::swap(g.nonEmptyTiles[3], g.nonEmptyTiles[4]); }),
             Contains("nonEmptyTiles"));
  CHECK_THAT(refusal([](auto& g) { g.nonEmptyTiles.back()[2] = g.grid[2]; }),
             Contains("nonEmptyTiles"));
  CHECK_THAT(refusal([](auto& g) { *std::find(g.tileMap.begin(), g.tileMap.end(), 7) = -1; }),
             Contains("tileMap"));
  CHECK_THAT(refusal([](auto& g) { g.tileMap[0] = 1 << 20; }), Contains("tileMap"));
  CHECK_THAT(refusal([](auto& g) { ++g.fluidNodes; }), Contains("fluid nodes"));
  CHECK_THAT(refusal([](auto& g) { g.boundaryStart[2] = ~std::uint64_t{0}; }),
             Contains("boundaryStart"));
  CHECK_THAT(refusal([](auto& g) { ++g.linkStart.back(); }), Contains("linkStart"));
  CHECK_THAT(refusal([&](auto& g) { g.tileFlags[mixed] ^= tileAllFluid; }), Contains("tileFlags"));
  CHECK_THAT(refusal([](auto& g) { g.boundaryMask.back() = 0; }), Contains("boundaryMask"));
  CHECK_THAT(refusal([](auto& g) { g.linkPatch.back() = 999; }), Contains("linkPatch"));
}

TEST_CASE(
    "Part of a .tiles file: processes that find different files, or a replaced file, are refused",
    "[unit]") {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const Int3& offset) {
    writeTilesFile(folder / name, coverWithTiles(blobs({37, 22, 19}), offset), newProvenance("t"));
  };
  write("a.tiles", {1, 3, 2});
  write("b.tiles", {0, 0, 0});
  const auto readTogether = [&](const char* second) {
    return sentenceOfError(ExitCode::BadInput, [&] {
      asProcesses(2, [&](Processes& all) {
        (void)readTilesIndex(folder / (all.rank() == 0 ? "a.tiles" : second), all);
      });
    });
  };
  CHECK_THAT(readTogether("b.tiles"), Contains("a.tiles") && Contains("ranks 0 and"));
  CHECK_THAT(readTogether("none.tiles"), Contains("none.tiles"));
  const TilesIndex index = indexBy(1, folder / "a.tiles");
  write("a.tiles", {0, 0, 0});
  checkError(ExitCode::BadInput,
             [&] {
               (void)readTilesPart(folder / "a.tiles", index, std::vector{0, 1});
             },
             {"a.tiles"});
}
