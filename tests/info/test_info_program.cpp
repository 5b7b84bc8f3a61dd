// SPDX-License-Identifier: GPL-3.0-or-later
// The program tessera-info: what it prints and its exit status.
#include <sys/wait.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/info/sample_files.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/tiler/plain_tiling.hpp"
#include "tiler/tile.hpp"
#include "tiler/tiles_file.hpp"

namespace tessera {
namespace {

using Catch::Matchers::Contains;

struct Answer {
  int status = -1;
  std::string out;
  std::string err;
};

TiledGeometry tiledSphere() {
  BitLattice fluid({13, 13, 13});
  for (int z = 0; z < 13; ++z)
    for (int y = 0; y < 13; ++y)
      for (int x = 0; x < 13; ++x)
        if ((x - 6) * (x - 6) + (y - 6) * (y - 6) + (z - 6) * (z - 6) < 40) fluid.set(x, y, z);
  return coverWithTiles(plain::geometryOf(std::move(fluid), {false, false, false}), {1, 0, 2});
}

Answer info(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string command = "cd '" + folder.path().string() +
                              "' && '" TESSERA_BIN "/tessera-info' " + arguments +
                              " >out 2>err </dev/null";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), readWhole(folder / "out"), readWhole(folder / "err")};
}

TEST_CASE("tessera-info describes every kind of file", "[pipeline]") {
  const TemporaryFolder folder;
  writeSampleTiles(folder / "geom.tiles");
  writeSampleVdb(folder / "geom.vdb");
  const Answer answer = info(folder, "geom.vdb geom.tiles");
  CHECK(answer.status == 0);
  CHECK(answer.err.empty());
  CHECK_THAT(answer.out, Contains("geom.vdb\n") && Contains("geom.tiles\n"));
  const Answer json = info(folder, "--json geom.vdb geom.tiles");
  CHECK(json.status == 0);
  CHECK(nlohmann::json::parse(json.out).size() == 2);
}

TEST_CASE("--check answers by exit status alone", "[pipeline]") {
  const TemporaryFolder folder;
  writeTilesFile(folder / "geom.tiles", tiledSphere(), sampleProvenance());
  writeSampleVdb(folder / "geom.vdb");
  const auto silent = [&](const std::string& arguments) {
    const Answer answer = info(folder, "--check " + arguments);
    CHECK(answer.out.empty());
    CHECK(answer.err.empty());
    return answer.status;
  };
  CHECK(silent("geom.vdb geom.tiles") == 0);
  CHECK(silent("absent") == 3);
  CHECK_THAT(info(folder, "--check --verbose geom.tiles").err, Contains("geom.tiles is whole"));

  for (const std::string name : {"geom.tiles", "geom.vdb"}) {
    const std::string bytes = readWhole(folder / name);
    for (const std::size_t at :
         {std::size_t{3}, bytes.size() / 2, bytes.size() - 60, bytes.size() - 1}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 4);
      writeWhole(folder / "altered", changed);
      INFO(name << " altered at " << at);
      CHECK(silent("altered") == 3);
    }
    writeWhole(folder / "cut", bytes.substr(0, bytes.size() - 10));
    CHECK(silent("cut") == 3);
    CHECK(silent(name + " cut") == 3);
    CHECK_THAT(info(folder, "--check --verbose cut").err, Contains("cut") && Contains("truncated"));
  }
}

TEST_CASE("--check finds a link that goes one way in a file whose bytes are whole", "[pipeline]") {
  const TemporaryFolder folder;
  TiledGeometry tiled = tiledSphere();
  const std::uint32_t first = tiled.boundaryMask[0];
  std::size_t other = 1;  // of another mask with as many links, so that only directions are wrong
  while (tiled.boundaryMask[other] == first ||
         std::popcount(tiled.boundaryMask[other]) != std::popcount(first))
    ++other;
  tiled.boundaryMask[0] = tiled.boundaryMask[other];
  writeTilesFile(folder / "geom.tiles", tiled, sampleProvenance());
  CHECK(info(folder, "--check geom.tiles").status == 3);
  CHECK_THAT(info(folder, "--check --verbose geom.tiles").err,
             Contains("boundaryMask") && Contains("tessera-tiler"));
}

TEST_CASE("tessera-info tells how full the tiles are", "[pipeline]") {
  const TemporaryFolder folder;
  writeTilesFile(folder / "geom.tiles", tiledSphere(), sampleProvenance());
  const Answer answer = info(folder, "--json geom.tiles");
  const auto meta = nlohmann::json::parse(answer.out).at("meta");
  CHECK(meta.at("utilisation").get<double>() == Approx(tiledSphere().utilisation()));
  std::uint64_t tiles = 0;
  for (const auto& count : meta.at("tiles_by_fluid_nodes")) tiles += count.get<std::uint64_t>();
  CHECK(tiles == tiledSphere().tiles());
  CHECK(meta.at("tiles_by_fluid_nodes").at("57-64") >= 1);
  CHECK_THAT(info(folder, "geom.tiles").out, Contains("utilisation") && Contains("57-64"));
}

TEST_CASE("what is not ours is refused in one sentence", "[pipeline]") {
  const TemporaryFolder folder;
  writeWhole(folder / "a.txt", "a text that is long enough to be something");
  const Answer answer = info(folder, "a.txt");
  CHECK(answer.status == 3);
  CHECK(answer.out.empty());
  CHECK_THAT(answer.err, Contains("tessera-info: a.txt is not a Tessera file"));
  CHECK(info(folder, "absent").status == 3);
  CHECK(info(folder, ".").status == 3);
}

TEST_CASE("tessera-info keeps the manners of the command line", "[pipeline]") {
  const TemporaryFolder folder;
  writeSampleTiles(folder / "geom.tiles");
  CHECK(info(folder, "").status == 2);
  CHECK_THAT(info(folder, "--jsn geom.tiles").err, Contains("nearest is --json"));
  CHECK(info(folder, "--json --check geom.tiles").status == 2);
  CHECK(info(folder, "-o x geom.tiles").status == 2);
  const Answer help = info(folder, "--help");
  CHECK(help.status == 0);
  CHECK(help.err.empty());
  CHECK_THAT(help.out, Contains("--check"));
  CHECK_THAT(info(folder, "--version").out, Contains("commit") && Contains("devices"));
}

TEST_CASE("results that cannot be written are exit code 4", "[pipeline]") {
  const TemporaryFolder folder;
  writeSampleTiles(folder / "geom.tiles");
  const std::string run =
      "'" TESSERA_BIN "/tessera-info' '" + (folder / "geom.tiles").string() + "'";
  const int full = std::system((run + " >/dev/full 2>/dev/null").c_str());
  CHECK(WEXITSTATUS(full) == 4);
  // A reader that leaves wanted no more: no complaint. $? of the program, by a file.
  const std::string status = "'" + (folder / "status").string() + "'";
  const int left =
      std::system(("(sleep 0.2; " + run + "; echo $? >" + status + ") | true").c_str());
  CHECK(WEXITSTATUS(left) == 0);
  CHECK(readWhole(folder / "status") == "0\n");
}

}  // namespace
}  // namespace tessera
