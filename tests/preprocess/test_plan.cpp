// SPDX-License-Identifier: GPL-3.0-or-later
// --plan against the files that the same options then make, and against the solver's own plan.
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/lattice/count_offsets.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
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
  std::string solverPlan;
};

// A case for any openings, so that the solver can plan.
std::string caseFor(const LatticeGeometry& geometry) {
  std::string text =
      "[fluid]\ndensity = 1000\nviscosity = \"3e-6 m2/s\"\n[solver]\ntau = 0.8\n"
      "precision = \"f64\"\nbody_force = [1, 0, 0]\n[stop]\nsteps = 10\n";
  text.insert(text.find("precision"),
              geometry.dimensions == 2 ? "lattice = \"D2Q9\"\n" : "lattice = \"D3Q19\"\n");
  for (const Opening& opening : geometry.openings)
    text += "[[opening]]\nid = " + std::to_string(opening.id) +
            "\nkind = \"pressure\"\nvalue = \"0 Pa\"\n";
  return text;
}

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
  work.write("plan.toml", caseFor(chain.geometry));
  chain.solverPlan =
      work.mustRun("tessera-solver --quiet --backend cpu --plan --case plan.toml geom.tiles")
          .output;
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

// Nodes, tiles and links are counted on the lattice that is made. Files agree within 5 % or the
// variation of their metadata, the solver's memory within 5 % or the rounding of its plan.
void checkPlan(const Chain& chain) {
  checkBox(chain);
  const BoundaryNodes& boundary = chain.geometry.boundary;
  INFO(chain.plan << "\nand\n" << chain.solverPlan);
  const auto agrees = [&](const std::string& before, double truth, double within, double margin) {
    INFO(before);
    CHECK(numberIn(chain.plan, before) == Approx(truth).epsilon(within).margin(margin));
  };
  constexpr double metaBytes = 4e3, halfMegabyte = 0.51e6;
  constexpr double exactly = 1e-12;
  agrees("non-solid    ", static_cast<double>(chain.geometry.fluid.count()), exactly, 0.0);
  agrees("boundary     ", static_cast<double>(boundary.node.size()), exactly, 0.0);
  agrees("nodes with ", static_cast<double>(boundary.patch.size()), exactly, 0.0);
  agrees("tiles        ", chain.tiles, exactly, 0.0);
  agrees("utilisation [0-9.]+; ", numberIn(chain.solverPlan, "utilisation [0-9.]+\\), "), exactly,
         0.0);
  agrees("geom.vdb ", chain.vdbBytes, 0.05, metaBytes);
  agrees("geom.tiles ", chain.tilesBytes, 0.05, metaBytes);
  agrees("solver       ", numberIn(chain.solverPlan, "memory       "), 0.05, halfMegabyte);
}

}  // namespace

TEST_CASE("Plan: that of a sample equals the run", "[pipeline]") {
  const WorkFolder work;
  const auto [kind, options] =
      GENERATE(std::pair("tube", "--across 24"), std::pair("tube", "--across 7"),
               std::pair("bent-tube", "--across 10"), std::pair("expansion", "--across 20"),
               std::pair("aneurysm --triangles 20000", "--longest 120"),
               std::pair("aorta --triangles 40000", "--longest 150"));
  INFO(kind);
  work.mustRun(std::string("tessera-sample ") + kind + " --quiet -o sample.stl");
  checkPlan(planAndRun(work, std::string("--unit mm ") + options + " sample.stl"));
}

TEST_CASE("Plan: that of pores among spheres equals the run", "[pipeline]") {
  const WorkFolder work;
  work.mustRun(
      "tessera-sample spheres --quiet --size 32,32,32 --diameter 16 --porosity 0.6 --voxel 1mm -o "
      "pores.stl");
  for (const std::string options : {"0.5mm", "0.4mm --faces x-,x+", "0.25mm --periodic yz"})
    checkPlan(planAndRun(work, "--unit mm --keep all --spacing " + options + " pores.stl"));
}

TEST_CASE("Plan: that of a periodic box without walls has its nodes and tiles", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box --quiet -o box.stl");
  for (const std::string nodes : {"20", "22"}) {  // whole tiles, and none that meet
    const Chain chain = planAndRun(work, "--unit mm --periodic xyz box.stl --longest " + nodes);
    checkPlan(chain);
    CHECK_THAT(chain.plan, !Catch::Contains("nan") && !Catch::Contains("inf"));
  }
}

TEST_CASE("Plan: that of an image equals the run", "[pipeline]") {
  const WorkFolder work;
  work.mustRun(
      "tessera-sample spheres --quiet --size 50,40,37 --diameter 12 --porosity 0.3 -o pores.raw");
  const std::string image = "--voxel 10um --type u8 --pore 0 --dims 50,40,37 pores.raw ";
  for (const std::string options :
       {"", "--faces x-,x+ --keep connected", "--periodic xyz", "--longest 77", "--mirror y",
        "--smooth", "--smooth --longest 77", "--smooth --faces x-,x+ --keep connected"}) {
    INFO(options);
    checkPlan(planAndRun(work, image + options));
  }
  work.mustRun("tessera-sample network2d --quiet -o net.pgm");
  checkPlan(planAndRun(work, "--voxel 10um --pore 0 net.pgm"));
}

TEST_CASE("Plan: that of vessels with sheets and thin walls equals the run", "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh tube = test::tubeMesh({0, 0, 0}, {1, 0, 12}, 2.0, 48, true);
  TriangleMesh plate = test::tubeMesh({0.3, 0.1, 6}, {0.31, 0.1, 6.05}, 1.3, 48, true);
  for (stage::Triangle& t : plate.triangle) std::swap(t[1], t[2]);  // solid within the vessel
  TriangleMesh leaflet = test::tubeMesh({0, 0, 4}, {0.05, 0.02, 5}, 1.4, 40, true);
  dropTriangles(leaflet, [&](std::size_t t) { return leaflet.label[t] != openingPatch(1); });
  // Two that shut the vessel: the fluid between them is dead.
  TriangleMesh shut = test::joined(test::tubeMesh({0.25, 0, 3}, {0.3, 0.02, 4}, 2.02, 40, true),
                                   test::tubeMesh({0.75, 0, 9}, {0.8, 0.02, 10}, 2.02, 40, true));
  dropTriangles(shut, [&](std::size_t t) { return shut.label[t] != openingPatch(1); });
  const auto put = [&](const std::string& name, const TriangleMesh& mesh) {
    work.write(name, test::binaryStl(test::soupOf(mesh)));
  };
  put("tube.stl", tube);
  put("plate.stl", test::joined(tube, plate));
  put("leaflet.stl", leaflet);
  put("shut.stl", shut);
  for (const std::string what : {"tube.stl leaflet.stl", "plate.stl", "tube.stl shut.stl"})
    for (const std::string spacing : {"0.4mm", "0.13mm"}) {
      INFO(what << " " << spacing);
      const Chain chain = planAndRun(work, "--unit mm --spacing " + spacing + " " + what);
      const bool isPlate = what == "plate.stl";  // a wall between two surfaces, not a sheet
      CHECK((chain.geometry.surface.sheetTriangles > 50) == !isPlate);
      // Between the two that shut the vessel nothing is fluid, so no link there is cut.
      CHECK((chain.geometry.cutLinks > 50) == (what != "tube.stl shut.stl"));
      checkPlan(chain);
    }
}

TEST_CASE("Plan: it leaves out what --keep connected removes", "[pipeline]") {
  const WorkFolder work;
  TriangleMesh mesh = test::tubeMesh({0, 0, 0}, {30, 3, 5}, 5.0, 64, true);
  mesh = test::joined(mesh, test::sphereMesh({12, 30, 12}, 9.0, 48, 24));
  work.write("both.stl", test::binaryStl(test::soupOf(mesh)));
  const Chain chain = planAndRun(work, "--unit mm --across 24 both.stl");
  checkPlan(chain);
  const Chain all = planAndRun(work, "--unit mm --across 24 --keep all both.stl");
  checkPlan(all);
  CHECK(all.geometry.fluid.count() > chain.geometry.fluid.count() * 3 / 2);
}

namespace {

struct SharedGeometry {
  std::string file, options;
  std::vector<std::string> spacings;
};

const std::vector<SharedGeometry> sharedGeometries{
    {"vessels/SixBranch.stl", "--unit mm", {"--across 8", "--across 18", "--across 31"}},
    {"vessels/aneurysm-showcase.stl", "--unit m", {"--across 6", "--across 10", "--across 19"}},
    {"vessels/aneurysm_vascular_model.stl", "--unit mm", {"--across 8", "--across 20"}},
    {"vessels/aorta3d.stl", "--unit mm", {"--across 5", "--across 12", "--across 27"}},
    {"vessels/artery.stl", "--unit mm", {"--across 8", "--across 16", "--across 37"}},
    {"vessels/caput-AlsterAY.stl", "--unit mm", {"--across 7", "--across 16"}},
    {"vessels/caput-sidewall-4.stl", "--unit mm", {"--across 7", "--across 16", "--across 33"}},
    {"dirty/7_8ths_cube.stl", "--unit mm", {"--longest 21", "--longest 60"}},
    {"dirty/busted.STL", "--unit mm", {"--longest 71", "--longest 160"}},
    {"dirty/multibody.stl", "--unit mm --keep all", {"--longest 77", "--longest 160"}},
    {"dirty/mixed-winding-aneurysm.stl", "--unit mm", {"--longest 50", "--longest 160"}},
    {"dirty/fuze_ascii.ply", "--unit mm", {"--longest 50", "--longest 160"}},
    {"dirty/negative_indices.obj", "--unit mm", {"--longest 30", "--longest 61"}},
    {"porous/berea_pore.raw",
     "--voxel 3um --dims 110,110,110 --type u8 --pore 0 --faces x-,x+",
     {"", "--longest 77", "--smooth"}},
    {"porous/35_1.tiff", "--voxel 3um --pore 1", {"", "--longest 377"}},
    {"images/anatomical.nii", "--threshold 1000,30000", {"", "--longest 111"}}};

}  // namespace

TEST_CASE("Plan: that of every shared geometry equals the run", "[slow]") {
  if (!std::filesystem::exists(TESSERA_SHARED_DATA "/vessels")) {
    WARN("skipped: the shared data is not beside this checkout");
    return;
  }
  const WorkFolder work;
  for (const SharedGeometry& shared : sharedGeometries)
    for (const std::string& spacing : shared.spacings) {
      INFO(shared.file << " " << shared.options << " " << spacing);
      checkPlan(planAndRun(
          work, shared.options + " " + spacing + " " TESSERA_SHARED_DATA "/" + shared.file));
    }
}

TEST_CASE("Plan: too large a lattice is refused before the work begins", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample tube --quiet -o tube.stl");
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses for itself
  const Outcome outcome = work.run(
      "ulimit -v 4000000; tessera-preprocess --quiet --unit mm --longest 8000 --max-nodes 30G "
      "tube.stl -o g.vdb");
  CHECK(outcome.code == 5);
  CHECK_THAT(outcome.errors, Catch::Contains("memory"));
#endif
  work.write("small.raw", std::string(64, '\0'));
  const Outcome image = work.run(
      "tessera-preprocess --quiet --voxel 1mm --type u8 --pore 0 --dims 4,4,4 --longest 200000 "
      "small.raw -o g.vdb");
  CHECK(image.code == 5);
  CHECK_THAT(image.errors, Catch::Contains("spacing"));
  CHECK_FALSE(std::filesystem::exists(work.path("g.vdb")));
}
