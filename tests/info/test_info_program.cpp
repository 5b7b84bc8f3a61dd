// SPDX-License-Identifier: GPL-3.0-or-later
// The program tessera-info: output and exit status.
#include <sys/wait.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "preprocess/read/formats.hpp"
#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/info/run_info.hpp"
#include "tests/info/sample_files.hpp"
#include "tiler/file/tiles_file.hpp"
#include "tiler/tile.hpp"

namespace tessera {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
namespace {

using Catch::Matchers::Contains;

TiledGeometry tiledSphere() {
  BitLattice fluid({13, 13, 13});
  for (int z = 0; z < 13; ++z)
    for (int y = 0; y < 13; ++y)
      for (int x = 0; x < 13; ++x)
        if ((x - 6) * (x - 6) + (y - 6) * (y - 6) + (z - 6) * (z - 6) < 40) fluid.set(x, y, z);
  return coverWithTiles(plain::geometryOf(std::move(fluid), {false, false, false}), {1, 0, 2});
}

TEST_CASE("tessera-info: every kind of file is described", "[pipeline]") {
  const TemporaryFolder folder;
  writeSampleTiles(folder / "geom.tiles");
  writeSampleVdb(folder / "geom.vdb");
  const InfoAnswer answer = runInfo(folder, "geom.vdb geom.tiles");
  CHECK(answer.status == 0);
  CHECK(answer.err.empty());
  CHECK_THAT(answer.out, Contains("geom.vdb\n") && Contains("geom.tiles\n"));
  const InfoAnswer json = runInfo(folder, "--json geom.vdb geom.tiles");
  CHECK(json.status == 0);
  CHECK(nlohmann::json::parse(json.out).size() == 2);
}

TEST_CASE("tessera-info: --check answers by exit status alone", "[pipeline]") {
  const TemporaryFolder folder;
  writeTilesFile(folder / "geom.tiles", tiledSphere(), sampleProvenance());
  writeSampleVdb(folder / "geom.vdb");
  const auto silent = [&](const std::string& arguments) {
    const InfoAnswer answer = runInfo(folder, "--check " + arguments);
    CHECK(answer.out.empty());
    CHECK(answer.err.empty());
    return answer.status;
  };
  CHECK(silent("geom.tiles") == 0);
  CHECK(silent("geom.tiles geom.vdb") ==
        3);  // whole bytes, but no lattice that the tiler could read
  CHECK(silent("absent") == 3);
  CHECK_THAT(runInfo(folder, "--check --verbose geom.tiles").err, Contains("geom.tiles"));

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
    CHECK_THAT(runInfo(folder, "--check --verbose cut").err,
               Contains("cut") && Contains("truncated"));
  }
}

TEST_CASE("tessera-info: --check finds one-directional links in a file whose bytes are intact",
          "[pipeline]") {
  const TemporaryFolder folder;
  TiledGeometry tiled = tiledSphere();
  const std::uint32_t first = tiled.boundaryMask[0];
  std::size_t other = 1;  // of another mask with as many links, so that only directions are wrong
  while (tiled.boundaryMask[other] == first ||
         std::popcount(tiled.boundaryMask[other]) != std::popcount(first))
    ++other;
  tiled.boundaryMask[0] = tiled.boundaryMask[other];
  writeTilesFile(folder / "geom.tiles", tiled, sampleProvenance());
  CHECK(runInfo(folder, "--check geom.tiles").status == 3);
  CHECK_THAT(runInfo(folder, "--check --verbose geom.tiles").err,
             Contains("boundaryMask") && Contains("tessera-tiler"));
}

TEST_CASE("tessera-info: the utilisation of tiles is printed", "[pipeline]") {
  const TemporaryFolder folder;
  writeTilesFile(folder / "geom.tiles", tiledSphere(), sampleProvenance());
  const InfoAnswer answer = runInfo(folder, "--json geom.tiles");
  const auto meta = nlohmann::json::parse(answer.out).at("meta");
  CHECK(meta.at("utilisation").get<double>() == Approx(tiledSphere().utilisation()));
  std::uint64_t tiles = 0;
  for (const auto& count : meta.at("tiles_by_fluid_nodes")) tiles += count.get<std::uint64_t>();
  CHECK(tiles == tiledSphere().tiles());
  CHECK(meta.at("tiles_by_fluid_nodes").at("57-64") >= 1);
  CHECK_THAT(runInfo(folder, "geom.tiles").out, Contains("utilisation") && Contains("57-64"));
}

TEST_CASE("tessera-info: foreign files are refused in one sentence", "[pipeline]") {
  const TemporaryFolder folder;
  writeWhole(folder / "a.txt", "a text that is long enough to be something");
  const InfoAnswer answer = runInfo(folder, "a.txt");
  CHECK(answer.status == 3);
  CHECK(answer.out.empty());
  CHECK_THAT(answer.err, Contains("tessera-info: a.txt"));
  CHECK(runInfo(folder, "absent").status == 3);
  CHECK(runInfo(folder, ".").status == 3);
}

TEST_CASE("tessera-info: monitors and input files are identified with the next command",
          "[pipeline]") {
  const TemporaryFolder folder;
  std::string binary(84, ' ');
  binary[80] = 2;
  binary[81] = binary[82] = binary[83] = 0;
  writeWhole(folder / "a.stl", binary + std::string(100, '\0'));
  writeWhole(folder / "b.stl", "solid b\nfacet normal 0 0 1\nendfacet\nendsolid\n");
  writeWhole(folder / "c.toml", "[fluid]\ndensity = 1\n[[opening]]\nid = 1\n");
  writeWhole(folder / "d.monitor.csv", "step,time[s],flow_rate_1[m3/s]\n1,0.5,2\n2,1,3\n");
  writeWhole(folder / "e.nii.gz", "\x1f\x8b and so on");
  std::filesystem::create_directory(folder / "f.out");
  writeWhole(folder / "f.out/summary.json", R"({"schema_version":1,"run":{}})");
  const auto one = [&](const std::string& name) {
    const InfoAnswer answer = runInfo(folder, "--json " + name);
    INFO(answer.err);
    REQUIRE(answer.status == 0);
    return nlohmann::json::parse(answer.out);
  };
  CHECK(one("a.stl").at("meta").at("triangles") == 2);
  CHECK(one("a.stl").at("meta").at("encoding") == "binary");
  CHECK(one("a.stl").at("hash") == hashFile(folder / "a.stl"));
  CHECK(one("b.stl").at("meta").at("triangles") == 1);
  CHECK(one("c.toml").at("meta").at("tables") == nlohmann::json{"[fluid]", "[[opening]]"});
  CHECK(one("d.monitor.csv").at("meta").at("rows") == 2);
  CHECK(one("d.monitor.csv").at("meta").at("of") == "monitor of a run");
  CHECK(one("e.nii.gz").at("format") == "NIfTI, compressed");
  CHECK(one("f.out").at("kind") == "results");
  CHECK_THAT(
      runInfo(folder, "a.stl e.nii.gz").out,
      Contains("tessera-preprocess a.stl --unit mm --across 30 -o a.vdb") && Contains("-o e.vdb"));

  writeWhole(folder / "g.stl", "neither one nor the other");
  CHECK(runInfo(folder, "g.stl").status == 3);
  writeWhole(folder / "g.png", "not a picture");
  CHECK_THAT(runInfo(folder, "g.png").err, Contains("g.png") && Contains("PNG"));
  writeWhole(folder / "g.toml", "[fluid\n");
  CHECK(runInfo(folder, "g.toml").status == 2);
  CHECK(runInfo(folder, "--check a.stl").status == 3);
}

TEST_CASE("tessera-info: --formats lists what preprocess reads and what the stages write",
          "[pipeline]") {
  const TemporaryFolder folder;
  const InfoAnswer plain = runInfo(folder, "--formats");
  CHECK(plain.status == 0);
  CHECK(plain.err.empty());
  CHECK_THAT(plain.out, Contains("nii.gz       image    NIfTI, compressed\n") &&
                            Contains("stl          surface  STL\n") &&
                            Contains("tiles        tiles") && Contains("-            results"));
  const auto list = nlohmann::json::parse(runInfo(folder, "--formats --json").out);
  std::set<std::string> extensions;
  std::string inputs;
  for (const auto& format : list) {
    const std::string kind = format.at("kind"), extension = format.at("extension");
    CHECK(extensions.insert(extension).second);
    CHECK_FALSE(format.at("about").get<std::string>().empty());
    if (kind == "surface" || kind == "image") inputs += (inputs.empty() ? "" : " ") + extension;
  }
  CHECK(list.size() == inputFormats().size() + ownFormats().size());

  // The rules of make go by the same list, in the same order.
  writeWhole(folder / "Makefile",
             "include " TESSERA_SOURCE "/pipelines/rules.mk\nall: ; @echo '$(TESSERA_FORMATS)'\n");
  const std::string make = "make --no-print-directory -s -C '" + folder.path().string() +
                           "' all >'" + (folder / "made").string() + "'";
  REQUIRE(std::system(make.c_str()) == 0);
  CHECK(readWhole(folder / "made") == inputs + "\n");

  CHECK(runInfo(folder, "--formats geom.tiles").status == 2);
  CHECK(runInfo(folder, "--formats --check").status == 2);
  CHECK(runInfo(folder, "--formats --plan").status == 2);
}

TEST_CASE("tessera-info: --plan reads nothing, --report writes what --json prints", "[pipeline]") {
  const TemporaryFolder folder;
  writeSampleTiles(folder / "geom.tiles");
  const InfoAnswer plan = runInfo(folder, "--plan geom.tiles absent");
  CHECK(plan.status == 0);
  CHECK_THAT(plan.out, Contains(" bytes") && Contains("absent"));
  CHECK(runInfo(folder, "--quiet --report report.json geom.tiles").status == 0);
  CHECK(readWhole(folder / "report.json") == runInfo(folder, "--json geom.tiles").out);
  CHECK(runInfo(folder, "--plan --report r.json geom.tiles").status == 2);
  CHECK(runInfo(folder, "--check --report r.json geom.tiles").status == 2);
  CHECK(runInfo(folder, "--report geom.tiles geom.tiles").status == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "r.json"));
}

TEST_CASE("tessera-info: the common command-line options work", "[pipeline]") {
  const TemporaryFolder folder;
  writeSampleTiles(folder / "geom.tiles");
  CHECK(runInfo(folder, "").status == 2);
  CHECK_THAT(runInfo(folder, "--jsn geom.tiles").err, Contains("--json"));
  CHECK(runInfo(folder, "--json --check geom.tiles").status == 2);
  CHECK(runInfo(folder, "-o x geom.tiles").status == 2);
  const InfoAnswer help = runInfo(folder, "--help");
  CHECK(help.status == 0);
  CHECK(help.err.empty());
  CHECK_THAT(help.out, Contains("--check"));
  CHECK_THAT(runInfo(folder, "--version").out, Contains("commit") && Contains("devices"));
}

TEST_CASE("tessera-info: results that cannot be written give exit code 4", "[pipeline]") {
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
