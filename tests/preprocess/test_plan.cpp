// SPDX-License-Identifier: GPL-3.0-or-later
// What --plan tells against what then comes out.
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "preprocess/lattice/count_offsets.hpp"
#include "preprocess/lattice/lattice_file.hpp"
#include "tests/chain/chain.hpp"
#include "tests/preprocess/lattice_meshes.hpp"
#include "tests/preprocess/surface_files.hpp"

using namespace tessera;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

// The number behind a word; a size in bytes.
double numberIn(const std::string& text, const std::string& before) {
  std::smatch found;
  INFO(text);
  REQUIRE(
      std::regex_search(text, found, std::regex(before + "(?:about )?([0-9.e+]+) ?([kMGT]?B)?")));
  const std::string unit = found[2];
  const double factor = unit == "kB" ? 1e3 : unit == "MB" ? 1e6 : unit == "GB" ? 1e9 : 1.0;
  return std::stod(found[1]) * factor;
}

struct Chain {
  std::string plan;
  LatticeGeometry geometry;
  double tiles = 0.0, vdbBytes = 0.0, tilesBytes = 0.0;
};

Chain planAndRun(const WorkFolder& work, const std::string& what) {
  const std::string command = "tessera-preprocess --quiet " + what;
  Chain chain;
  chain.plan = work.mustRun(command + " --plan -o planned.vdb").output;
  CHECK_FALSE(std::filesystem::exists(work.path("planned.vdb")));
  work.mustRun(command + " -o geom.vdb && tessera-tiler --quiet geom.vdb -o geom.tiles");
  chain.geometry = readLatticeFile(work.path("geom.vdb")).geometry;
  const OffsetCounts counts =
      countTilesAtAllOffsets(chain.geometry.fluid, chain.geometry.dimensions);
  chain.tiles = static_cast<double>(counts.at(chooseOffset(counts, chain.geometry)));
  chain.vdbBytes = static_cast<double>(std::filesystem::file_size(work.path("geom.vdb")));
  chain.tilesBytes = static_cast<double>(std::filesystem::file_size(work.path("geom.tiles")));
  return chain;
}

void checkBox(const Chain& chain) {
  const Int3& n = chain.geometry.fluid.size;
  CHECK_THAT(chain.plan,
             Catch::Contains("box          " + std::to_string(n[0]) + " x " + std::to_string(n[1]) +
                             " x " + std::to_string(n[2]) + " nodes"));
  CHECK(numberIn(chain.plan, "nodes of [^,]+, ") ==
        static_cast<double>(n[0]) * static_cast<double>(n[1]) * n[2]);
}

// All but the tiles, whose tolerance is given.
void checkNumbers(const Chain& chain, double tolerance, double ofTiles) {
  checkBox(chain);
  const BoundaryNodes& boundary = chain.geometry.boundary;
  const auto agrees = [&](const std::string& before, double truth, double within) {
    INFO(before << "in\n" << chain.plan);
    CHECK(numberIn(chain.plan, before) == Approx(truth).epsilon(within));
  };
  agrees("non-solid    ", static_cast<double>(chain.geometry.fluid.count()), tolerance);
  agrees("boundary     ", static_cast<double>(boundary.node.size()), tolerance);
  agrees("nodes with ", static_cast<double>(boundary.patch.size()), tolerance);
  agrees("tiles        ", chain.tiles, ofTiles);
  agrees("geom.vdb ", chain.vdbBytes, std::max(tolerance, 0.05));
  agrees("geom.tiles ", chain.tilesBytes, std::max(ofTiles, 0.05));
}

}  // namespace

TEST_CASE("A plan of a sample tells nodes, links, tiles and files within 5 %", "[pipeline]") {
  const WorkFolder work;
  const auto [kind, options] =
      GENERATE(std::pair("tube", "--across 24"), std::pair("bent-tube", "--across 24"),
               std::pair("expansion", "--across 20"),
               std::pair("aneurysm --triangles 20000", "--longest 120"),
               std::pair("aorta --triangles 40000", "--longest 150"));
  INFO(kind);
  work.mustRun(std::string("tessera-sample ") + kind + " --quiet -o sample.stl");
  checkNumbers(planAndRun(work, std::string("--unit mm ") + options + " sample.stl"), 0.05, 0.05);
}

TEST_CASE("A plan of pores among spheres tells them within 5 %", "[pipeline]") {
  const WorkFolder work;
  work.mustRun(
      "tessera-sample spheres --quiet --size 32,32,32 --diameter 16 --porosity 0.6 --voxel 1mm -o "
      "pores.stl");
  checkNumbers(planAndRun(work, "--unit mm --spacing 0.25mm --keep all pores.stl"), 0.05, 0.05);
  checkNumbers(planAndRun(work, "--unit mm --spacing 0.25mm --periodic yz --keep all pores.stl"),
               0.05, 0.05);
}

TEST_CASE("A plan of narrow channels says that their tiles are uncertain", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample bent-tube --quiet -o bent.stl");
  work.mustRun("tessera-sample tube --quiet -o straight.stl");
  work.write("slanted.stl",
             test::binaryStl(test::soupOf(test::tubeMesh({0, 0, 0}, {9, 17, 5}, 2.0, 64, true))));
  for (const std::string file : {"bent.stl", "straight.stl", "slanted.stl"})
    for (const std::string across : {"7", "8", "10"}) {
      const Chain chain = planAndRun(work, "--unit mm --across " + across + " " + file);
      checkNumbers(chain, 0.40, 0.40);
      CHECK_THAT(chain.plan, Catch::Contains("links and tiles may be up to 40 % off"));
    }
  const Chain least = planAndRun(work, "--unit mm --across 4 slanted.stl");
  checkNumbers(least, 0.50, 0.50);
  CHECK_THAT(least.plan, Catch::Contains("links and tiles may be up to 50 % off"));
}

TEST_CASE("A plan of narrow vessels tells their tiles as well as it says", "[pipeline]") {
  if (!std::filesystem::exists(TESSERA_SHARED_DATA "/vessels")) {
    WARN("skipped: the shared vessels are not beside this checkout");
    return;
  }
  const WorkFolder work;
  for (const std::string file : {"SixBranch.stl", "aneurysm_vascular_model.stl", "artery.stl"}) {
    INFO(file);
    const Chain chain =
        planAndRun(work, "--unit mm --across 8 " TESSERA_SHARED_DATA "/vessels/" + file);
    checkNumbers(chain, 0.40, 0.40);
    CHECK_THAT(chain.plan, Catch::Contains("up to 40 % off"));
  }
}

TEST_CASE("A plan of vessels tells them within 5 %", "[pipeline]") {
  if (!std::filesystem::exists(TESSERA_SHARED_DATA "/vessels")) {
    WARN("skipped: the shared vessels are not beside this checkout");
    return;
  }
  const WorkFolder work;
  const auto [file, options] =
      GENERATE(std::pair("SixBranch.stl", "--unit mm --across 18"),
               std::pair("aneurysm-showcase.stl", "--unit m --across 10"),
               std::pair("aneurysm_vascular_model.stl", "--unit mm --across 20"),
               std::pair("aorta3d.stl", "--unit mm --across 12"),
               std::pair("artery.stl", "--unit mm --across 16"),
               std::pair("caput-AlsterAY.stl", "--unit mm --across 16"),
               std::pair("caput-sidewall-4.stl", "--unit mm --across 16"));
  INFO(file);
  checkNumbers(planAndRun(work, std::string(options) + " " TESSERA_SHARED_DATA "/vessels/" + file),
               0.05, 0.05);
}

TEST_CASE("A plan of a periodic box without walls tells its nodes and tiles", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box --quiet -o box.stl");
  const Chain chain = planAndRun(work, "--unit mm --longest 20 --periodic xyz box.stl");
  checkBox(chain);
  CHECK(chain.tiles == 125);
  CHECK_THAT(chain.plan, Catch::Contains("non-solid    about 8000 nodes, 100.0 % of the box"));
  CHECK_THAT(chain.plan, Catch::Contains("tiles        about 125 of 4x4x4 nodes"));
  CHECK_THAT(chain.plan, !Catch::Contains("nan") && !Catch::Contains("inf"));
}

TEST_CASE("A plan of an image is exact", "[pipeline]") {
  const WorkFolder work;
  work.mustRun(
      "tessera-sample spheres --quiet --size 50,40,37 --diameter 12 --porosity 0.3 -o pores.raw");
  const std::string image = "--voxel 10um --type u8 --pore 0 --dims 50,40,37 pores.raw ";
  for (const std::string options : {"", "--faces x-,x+ --keep connected", "--periodic xyz",
                                    "--longest 77", "--mirror y", "--smooth"}) {
    INFO(options);
    checkNumbers(planAndRun(work, image + options), 1e-12, 1e-12);
  }
}

TEST_CASE("A plan of a 2D image is exact", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample network2d --quiet -o net.pgm");
  checkNumbers(planAndRun(work, "--voxel 10um --pore 0 net.pgm"), 1e-12, 1e-12);
}

TEST_CASE("A plan leaves out what --keep connected will", "[pipeline]") {
  const WorkFolder work;
  TriangleMesh mesh = test::tubeMesh({0, 0, 0}, {30, 3, 5}, 5.0, 64, true);
  mesh = test::joined(mesh, test::sphereMesh({12, 30, 12}, 9.0, 48, 24));
  work.write("both.stl", test::binaryStl(test::soupOf(mesh)));
  const Chain chain = planAndRun(work, "--unit mm --across 24 both.stl");
  checkNumbers(chain, 0.05, 0.05);
  const Chain all = planAndRun(work, "--unit mm --across 24 --keep all both.stl");
  checkNumbers(all, 0.05, 0.05);
  CHECK(all.geometry.fluid.count() > chain.geometry.fluid.count() * 3 / 2);
}

TEST_CASE("Too much is refused in a sentence before the work begins", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample tube --quiet -o tube.stl");
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses for itself
  const Outcome outcome = work.run(
      "ulimit -v 4000000; tessera-preprocess --quiet --unit mm --longest 8000 tube.stl -o g.vdb");
  CHECK(outcome.code == 5);
  CHECK_THAT(outcome.errors, Catch::Contains("needs about") && Catch::Contains("are free"));
#endif
  work.write("small.raw", std::string(64, '\0'));
  const Outcome image = work.run(
      "tessera-preprocess --quiet --voxel 1mm --type u8 --pore 0 --dims 4,4,4 --longest 200000 "
      "small.raw -o g.vdb");
  CHECK(image.code == 5);
  CHECK_THAT(image.errors, Catch::Contains("choose a larger node spacing"));
  CHECK_FALSE(std::filesystem::exists(work.path("g.vdb")));
}
