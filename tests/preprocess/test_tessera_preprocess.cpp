// SPDX-License-Identifier: GPL-3.0-or-later
// The program, run as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "preprocess/file/lattice_file.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/preprocess/refused.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::test;
using tessera::chain::checkRefused;
using tessera::chain::Outcome;
using tessera::chain::preprocessRefused;
using tessera::chain::WorkFolder;

namespace {

// A closed tube of radius 2 and length 12 along a slanted axis, in the file's unit.
void putTube(const WorkFolder& work, const std::string& name = "tube.stl") {
  work.write(name, binaryStl(soupOf(tubeMesh({0, 0, 0}, {8, 8, 4}, 2.0, 48, true))));
}

std::uint64_t linksTo(const LatticeGeometry& geometry, Patch patch) {
  return static_cast<std::uint64_t>(
      std::count(geometry.boundary.patch.begin(), geometry.boundary.patch.end(), patch));
}

}  // namespace

TEST_CASE("tessera-preprocess: a surface becomes a lattice with the report of the contract",
          "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  const Outcome outcome =
      work.mustRun("tessera-preprocess --unit mm --across 20 tube.stl -o geom.vdb --report r.json");
  const auto report = work.json("r.json");
  const LatticeGeometry geometry = readLatticeFile(work.path("geom.vdb")).geometry;
  CHECK(report.at("nodes") == geometry.fluid.size);
  CHECK(report.at("fluid_nodes") == geometry.fluid.count());
  CHECK(report.at("spacing_m").get<double>() == Approx(2e-4).epsilon(0.01));
  const double volume = report.at("volume_mesh_m3");
  CHECK(volume == Approx(24.0 * std::sin(2 * std::numbers::pi / 48) * 4 * 12 * 1e-9));
  CHECK(report.at("volume_voxels_m3").get<double>() == Approx(volume).epsilon(0.02));
  CHECK(report.at("area_mesh_m2").get<double>() > 0.0);
  CHECK(report.at("repairs").at("holes_closed") == 0);
  CHECK(report.at("warnings").empty());
  CHECK(std::abs(report.at("thinnest_channel").at("nodes").get<int>() - 20) <= 3);
  CHECK(report.at("thinnest_channel").at("at_least") == false);
  const auto& health = report.at("health");
  CHECK(health.at("verdict") == "clean");
  CHECK(health.at("as_read").at("triangles") == 192);
  CHECK(health.at("repaired").at("open_edges") == 0);
  CHECK(health.at("repaired").at("self_intersections") == 0);
  CHECK(health.at("repaired").at("volume_m3").get<double>() == Approx(report.at("volume_mesh_m3")));
  CHECK(health.at("parts").at("count") == 1);
  CHECK_THAT(outcome.output, Catch::Contains("verdict      clean"));
  REQUIRE(report.at("openings").size() == 2);
  CHECK(report.at("openings")[0].at("name") == "opening1");
  CHECK(report.at("openings")[1].at("centre_m")[0].get<double>() == Approx(8e-3));
  CHECK(report.at("openings")[1].at("normal")[2].get<double>() == Approx(1.0 / 3.0));
  CHECK(geometry.openings.size() == 2);
  CHECK(linksTo(geometry, openingPatch(1)) > 100);
  CHECK(linksTo(geometry, openingPatch(2)) > 100);
  CHECK_THAT(outcome.output, Catch::Contains("openings     2"));
  CHECK_THAT(outcome.errors, Catch::Contains("192 triangles, 11.0 x 11.0 x 7.8 mm"));
}

TEST_CASE("tessera-preprocess: the same bytes for any number of threads and any name of the target",
          "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  work.mustRun("tessera-preprocess --unit mm --longest 60 tube.stl -o a.vdb --threads 1");
  work.mustRun("tessera-preprocess tube.stl --longest 60 -o b.vdb --unit mm --threads 4 --quiet");
  CHECK(chain::readWhole(work.path("a.vdb")) == chain::readWhole(work.path("b.vdb")));
  const Provenance provenance = readLatticeFile(work.path("a.vdb")).provenance;
  CHECK(provenance.inputs.at(0).name == "tube.stl");
  CHECK(provenance.inputs.at(0).hash == hashFile(work.path("tube.stl")));
}

TEST_CASE("tessera-preprocess: the case supplies what the command line leaves out", "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  work.write("case.toml", "[preprocess]\nunit = \"cm\"\nlongest = 40\n");
  work.mustRun("tessera-preprocess --quiet --case case.toml tube.stl -o a.vdb --report a.json");
  CHECK(work.json("a.json").at("nodes")[0].get<int>() == 40);
  CHECK(work.json("a.json").at("spacing_m").get<double>() > 2e-3);
  work.mustRun(
      "tessera-preprocess --quiet --case case.toml --unit mm --spacing \"0.5 mm\" "
      "tube.stl -o b.vdb --report b.json");
  CHECK(work.json("b.json").at("spacing_m") == 5e-4);

  work.write("wrong.toml", "[preprocess]\nunit = \"mm\"\nlongset = 40\n");
  preprocessRefused(work, "--case wrong.toml tube.stl -o c.vdb", 2, "wrong.toml:3");
}

TEST_CASE("tessera-preprocess: a bad value of the case is refused with its file and line",
          "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  for (const std::string value :
       {"keep = \"none\"", "spacing = 0", "weld = \"-1 mm\"", "cut = \"1,2\"", "extend = \"a=b=c\"",
        "name = [\"1=a\", \"2\"]", "periodic = \"w\"", "faces = \"x\"", "mirror = \"q\"",
        "dims = \"1,2\"", "type = \"c64\"", "pore = \"1-\"", "threshold = \"1\"", "voxel = 0"}) {
    work.write("wrong.toml", "[preprocess]\nlongest = 40\n\n" + value + "\n");
    preprocessRefused(work, "--case wrong.toml --unit mm tube.stl -o c.vdb", 2, "wrong.toml:4");
  }
  work.write("wrong.toml", "[preprocess]\nlongest = 40\nunit = \"inch\"\n");
  preprocessRefused(work, "--case wrong.toml tube.stl -o c.vdb", 2, "wrong.toml:3");
}

TEST_CASE("tessera-preprocess: a periodic tube has no openings and wraps around", "[pipeline]") {
  const WorkFolder work;
  work.write("tube.stl", binaryStl(soupOf(tubeMesh({0, 0, 0}, {0, 0, 6}, 2, 48, true))));
  const Outcome outcome = work.mustRun(
      "tessera-preprocess --unit mm --longest 33 --periodic z "
      "tube.stl -o geom.vdb --report r.json");
  const LatticeGeometry geometry = readLatticeFile(work.path("geom.vdb")).geometry;
  CHECK(geometry.openings.empty());
  CHECK(geometry.fluid.size[2] == 33);
  CHECK(geometry.frame.spacing * 33 == Approx(6e-3));
  const Int3& size = geometry.fluid.size;
  for (int z = 1; z < 33; ++z)  // every plane is the same, so none ends on a cap
    for (int y = 0; y < size[1]; ++y)
      for (int w = 0; w < geometry.fluid.rowWords(); ++w)
        REQUIRE(geometry.fluid.word(w, y, z) == geometry.fluid.word(w, y, 0));
  CHECK(geometry.boundary.node.size() % 33 == 0);
  CHECK(work.json("r.json").at("volume_voxels_m3").get<double>() ==
        Approx(work.json("r.json").at("volume_mesh_m3").get<double>()).epsilon(0.02));
}

TEST_CASE("tessera-preprocess: sides of a box become openings, named after them", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box -o box.stl");
  const Outcome plain = work.mustRun("tessera-preprocess --unit mm --longest 12 box.stl -o a.vdb");
  CHECK_THAT(plain.errors, Catch::Contains("--faces"));
  work.mustRun("tessera-preprocess --unit mm --longest 12 --faces x-,x+ box.stl -o b.vdb");
  const LatticeGeometry geometry = readLatticeFile(work.path("b.vdb")).geometry;
  REQUIRE(geometry.openings.size() == 2);
  CHECK(geometry.openings[0].name == "x-");
  CHECK(geometry.openings[1].name == "x+");
  CHECK(linksTo(geometry, openingPatch(1)) == linksTo(geometry, openingPatch(2)));
}

TEST_CASE("tessera-preprocess: nodes not connected to an opening are dropped unless kept",
          "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh pair =
      joined(tubeMesh({0, 0, 0}, {0, 0, 8}, 1, 24, true), sphereMesh({4, 0, 4}, 1.5, 24, 12));
  work.write("pair.stl", binaryStl(soupOf(pair)));
  const std::string command = "tessera-preprocess --unit mm --longest 40 pair.stl --report r.json ";
  const Outcome outcome = work.mustRun(command + "-o a.vdb");
  CHECK_THAT(outcome.output, Catch::Contains("dead volume"));
  const auto dropped = work.json("r.json");
  work.mustRun(command + "--keep all -o b.vdb");
  const auto kept = work.json("r.json");
  const std::uint64_t dead = dropped.at("dead_nodes");
  CHECK(dead > 1000);
  CHECK(kept.at("fluid_nodes").get<std::uint64_t>() ==
        dropped.at("fluid_nodes").get<std::uint64_t>() + dead);
  CHECK(dropped.at("dead_volume_m3").get<double>() ==
        Approx(static_cast<double>(dead) * std::pow(dropped.at("spacing_m").get<double>(), 3)));
  CHECK(kept.at("dead_nodes") == dead);
  REQUIRE(kept.at("warnings").size() == 1);
  CHECK_THAT(kept.at("warnings")[0], Catch::Contains(std::to_string(dead) + " nodes"));
}

TEST_CASE("tessera-preprocess: the voxels' volume is compared with the surface's", "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  const std::string command = "tessera-preprocess --unit mm tube.stl --report r.json -o a.vdb ";
  CHECK_THAT(work.mustRun(command + "--across 24").output, Catch::Contains("; voxelised "));
  CHECK(std::abs(work.json("r.json").at("volume_error").get<double>()) < 0.02);
  CHECK(work.json("r.json").at("warnings").empty());
  // The middle of 3 x 3 x 3 nodes and its six neighbours are in the sphere.
  work.write("tube.stl", binaryStl(soupOf(sphereMesh({0, 0, 0}, 1.0, 64, 32))));
  const Outcome coarse = work.mustRun(command + "--spacing 0.8mm");
  const double sphere = 4.0 / 3.0 * std::numbers::pi;
  CHECK(work.json("r.json").at("volume_error").get<double>() ==
        Approx(7 * 0.512 / sphere - 1.0).margin(0.01));
  CHECK_THAT(coarse.errors, Catch::Contains("at most 2 %"));
}

TEST_CASE("tessera-preprocess: overlapping parts are distinguished from a wrong volume",
          "[pipeline]") {
  const WorkFolder work;
  work.write("pair.stl", binaryStl(soupOf(joined(sphereMesh({0, 0, 0}, 2, 48, 24),
                                                 sphereMesh({1.5, 0, 0}, 2, 48, 24)))));
  const Outcome outcome =
      work.mustRun("tessera-preprocess --unit mm --longest 60 pair.stl --report r.json -o a.vdb");
  CHECK(std::abs(work.json("r.json").at("volume_error").get<double>()) < 0.02);
  CHECK_THAT(outcome.errors, Catch::Contains("volume"));
  CHECK_THAT(outcome.errors, !Catch::Contains("at most 2 %"));
}

TEST_CASE("tessera-preprocess: an image has one node per voxel", "[pipeline]") {
  const WorkFolder work;
  std::string voxels(6 * 5 * 4, '\1');
  for (std::size_t x = 0; x < 6; ++x) voxels[x + 6 * (2 + 5 * 1)] = '\0';
  work.write("rock.raw", voxels);
  const std::string command =
      "tessera-preprocess --voxel \"3 um\" --dims 6,5,4 --type u8 --pore 0 rock.raw ";
  work.mustRun(command + "--faces x-,x+ -o a.vdb --report r.json");
  const LatticeGeometry geometry = readLatticeFile(work.path("a.vdb")).geometry;
  CHECK(geometry.fluid.size == Int3{6, 5, 4});
  CHECK(geometry.frame.spacing == 3e-6);
  CHECK(geometry.frame.origin == Double3{0, 0, 0});
  REQUIRE(geometry.openings.size() == 2);
  CHECK(geometry.openings[0].name == "x-");
  CHECK(geometry.openings[1].centre[0] == Approx(5.5 * 3e-6));
  CHECK(geometry.openings[1].centre[1] == Approx(2.0 * 3e-6));
  CHECK(geometry.openings[1].area == Approx(9e-12));
  CHECK(work.json("r.json").at("porosity").get<double>() == Approx(6.0 / 120.0));
  CHECK(work.json("r.json").at("volume_mesh_m3").is_null());

  work.write("channel.pgm", "P2 4 3 1\n1 1 1 1\n0 0 0 0\n1 1 1 1\n");
  work.mustRun("tessera-preprocess --voxel 1e-3 --pore 0 --periodic x channel.pgm -o b.vdb");
  const LatticeGeometry plane = readLatticeFile(work.path("b.vdb")).geometry;
  CHECK(plane.dimensions == 2);
  CHECK(plane.periodic == std::array<bool, 3>{true, false, true});
  CHECK(plane.fluid.count() == 4);
}

TEST_CASE("tessera-preprocess: a plan prints sizes and writes nothing", "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  const auto before = work.names();
  const Outcome outcome =
      work.mustRun("tessera-preprocess --plan --unit mm --longest 200 tube.stl -o geom.vdb");
  CHECK_THAT(outcome.output, Catch::Contains("200 x") && Catch::Contains("memory") &&
                                 Catch::Contains("time") && Catch::Contains("verdict      clean"));
  CHECK(work.names() == before);
}

TEST_CASE("tessera-preprocess: a plan refuses what the run refuses, and a report", "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  const std::string tube = "tube.stl -o a.vdb --unit mm ";
  for (const std::string plan : {"", " --plan"}) {
    preprocessRefused(work, tube + "--spacing 100mm" + plan, 2, "100 mm");
    preprocessRefused(work, tube + "--across 1" + plan, 2, "1 (opening1)");
    work.write("long.raw", std::string(8193, '\0'));
    preprocessRefused(
        work, "long.raw -o a.vdb --dims 8193,1,1 --type u8 --voxel 1um --pore 0" + plan, 5, "8192");
  }
  preprocessRefused(work, tube + "--longest 8193 --plan", 5, "8192");
  preprocessRefused(work, tube + "--longest 20 --plan --report r.json", 2, "--report");
}

TEST_CASE(
    "tessera-preprocess: a lattice that differs from its surface or image is refused or warned "
    "about",
    "[pipeline]") {
  const WorkFolder work;
  // All eight nodes of a 2 x 2 x 2 lattice are inside the sphere.
  work.write("sphere.stl", binaryStl(soupOf(sphereMesh({0, 0, 0}, 1.0, 64, 32))));
  preprocessRefused(work, "sphere.stl -o a.vdb --unit mm --spacing 1mm --keep all", 2, "spacing");
  std::string voxels(16 * 16 * 16, '\1');
  for (std::size_t k = 0; k < voxels.size(); ++k)
    if ((k / 8 + k / 128 + k / 2048) % 2 == 1) voxels[k] = '\0';
  work.write("rock.raw", voxels);
  const std::string rock =
      "tessera-preprocess --voxel 3um --dims 16,16,16 --type u8 --pore 0 rock.raw -o a.vdb ";
  CHECK_THAT(work.mustRun(rock + "--spacing 48um").errors, Catch::Contains("100.0 %"));
  CHECK(work.mustRun(rock + "--spacing 1.5um").errors.find("voxels") == std::string::npos);
}

TEST_CASE("tessera-preprocess: no report is left behind where the lattice could not be written",
          "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  const Outcome outcome = work.run(
      "ulimit -f 4; tessera-preprocess --quiet --unit mm --longest 60 tube.stl -o a.vdb "
      "--report r.json");
  CHECK(outcome.code == 4);
  CHECK(work.names() == std::vector<std::string>{"tube.stl"});
}

TEST_CASE(
    "tessera-preprocess: a surface too large for the self-intersection check is not plainly clean",
    "[pipeline]") {
  const WorkFolder work;
  work.write("fine.stl", binaryStl(soupOf(sphereMesh({0, 0, 0}, 2.0, 320, 321))));
  const std::string command = "tessera-preprocess --quiet --unit mm --longest 60 fine.stl ";
  for (const std::string rest : {"--plan", "-o a.vdb --report r.json"}) {
    const Outcome outcome = work.mustRun(command + rest);
    CHECK_THAT(outcome.output, Catch::Contains("self-intersections") && Catch::Contains("200000"));
  }
  CHECK(work.json("r.json").at("health").at("self_intersections_counted") == false);
}

TEST_CASE("tessera-preprocess: openings have the given names, and keep their ids", "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  work.mustRun(
      "tessera-preprocess --unit mm --longest 30 --name 1=opening2 --name opening2=outlet "
      "tube.stl -o geom.vdb");
  const LatticeGeometry geometry = readLatticeFile(work.path("geom.vdb")).geometry;
  REQUIRE(geometry.openings.size() == 2);
  CHECK(geometry.openings[0].id == 1);
  CHECK(geometry.openings[0].name == "opening2");
  CHECK(geometry.openings[1].name == "outlet");
}

TEST_CASE("tessera-preprocess: mistakes are refused in one sentence, before any work",
          "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  work.write("rock.raw", std::string(24, '\0'));
  const std::string tube = "tube.stl -o a.vdb ";
  preprocessRefused(work, tube + "--longest 20", 2, "unit");
  preprocessRefused(work, tube + "--unit inch --longest 20", 2, "inch");
  preprocessRefused(work, tube + "--unit mm", 2, "spacing");
  preprocessRefused(work, tube + "--unit mm --longest 20 --across 10", 2, "spacing");
  preprocessRefused(work, tube + "--unit mm --spacing 0", 2, "--spacing");
  preprocessRefused(work, tube + "--unit mm --longest 0", 2, "--longest");
  preprocessRefused(work, tube + "--unit mm --longest 20 --pore 0", 2, "--pore");
  preprocessRefused(work, tube + "--unit mm --longest 20 --keep some", 2, "some");
  preprocessRefused(work, tube + "--unit mm --longest 20 --periodic w", 2, "--periodic");
  preprocessRefused(work, tube + "--unit mm --longest 20 --faces x", 2, "--faces");
  preprocessRefused(work, tube + "--unit mm --longest 20 --faces y+", 2, "--faces y+");
  preprocessRefused(work, tube + "--unit mm --longest 20 --periodic x --faces x-", 2, "periodic");
  preprocessRefused(work, tube + "--unit mm --longest 20 --name 3=outlet", 2,
                    "1 (opening1), 2 (opening2)");
  preprocessRefused(work, tube + "--unit mm --longest 20 --name 1=end --name 2=end", 2, "\"end\"");
  preprocessRefused(work, tube + "--unit mm --longest 20 --name 1=a --name opening1=b", 2, "\"a\"");
  preprocessRefused(work, tube + "--unit mm --longest 20 --name inlet", 2, "OPENING=NAME");
  preprocessRefused(work, tube + "--unit mm --longest 20 --name 1=2 --extend 2=3", 2, "1=2");
  preprocessRefused(work, tube + "--unit mm --spacing \"1 nm\"", 2, "nm");
  preprocessRefused(work, tube + "--unit mm --spacing 1e-9", 5, "8192");
  work.write("thin.stl", binaryStl(soupOf(tubeMesh({0, 0, 0}, {8, 8, 4}, 0.2, 48, true))));
  preprocessRefused(work, "thin.stl -o a.vdb --unit mm --longest 1", 2, "spacing");
  preprocessRefused(work, "tube.stl --unit mm --longest 20 -o tube.stl", 2, "tube.stl");
  preprocessRefused(work, tube + "--unit mm --longest 20 --report ./a.vdb", 2, "--report");
  preprocessRefused(work, tube + "--unit mm --longest 20 --report no/such/r.json", 4, "no/such");
  preprocessRefused(work, "tube.stl --unit mm --longest 20 -o no/such/a.vdb", 4, "no/such");
  preprocessRefused(work, "tube.ply --unit mm --longest 20 -o a.vdb", 3, "tube.ply");
  const std::string rock = "rock.raw -o a.vdb ";
  preprocessRefused(work, rock + "--dims 2,3,4 --type u8 --pore 0", 2, "--voxel");
  preprocessRefused(work, rock + "--voxel 1e-6 --type u8 --pore 0", 2, "--dims");
  preprocessRefused(work, rock + "--voxel 1e-6 --dims 2,3,4 --pore 0", 2, "--type");
  preprocessRefused(work, rock + "--voxel 1e-6 --dims 2,3,4 --type u8", 2, "--pore");
  preprocessRefused(work, rock + "--voxel 1e-6 --dims 2,3,4 --type c64 --pore 0", 2, "c64");
  preprocessRefused(work, rock + "--voxel 1e-6 --dims 2,3 --type u8 --pore 0", 2, "--dims");
  preprocessRefused(work, rock + "--voxel 1e-6 --dims 2,3,5 --type u8 --pore 0", 3, "24 bytes");
  preprocessRefused(work, rock + "--voxel 1e-6 --dims 2,3,4 --type u8 --pore 9", 2, "--pore");
  preprocessRefused(work, rock + "--voxel 1e-6 --dims 2,3,4 --type u8 --threshold 5,1", 2,
                    "--threshold");
  preprocessRefused(work, rock + "--voxel 1e-6 --dims 2,3,4 --type u8 --pore 0 --unit mm", 2,
                    "--unit");
}

TEST_CASE("tessera-preprocess: shared meshes come out right or are refused", "[pipeline]") {
  const std::filesystem::path data = TESSERA_SHARED_DATA;
  if (!std::filesystem::exists(data / "vessels")) {
    WARN("skipped: the shared meshes are not beside this checkout");
    return;
  }
  const WorkFolder work;
  for (const char* folder : {"vessels", "dirty"})
    for (const auto& entry : std::filesystem::directory_iterator(data / folder)) {
      INFO(entry.path().string());
      const Outcome outcome = work.run(
          "tessera-preprocess --quiet --unit mm --longest 160 --keep all --report r.json "
          "-o geom.vdb " +
          entry.path().string());
      if (outcome.code == 0) {
        const double mesh = work.json("r.json").at("volume_mesh_m3");
        CHECK(work.json("r.json").at("volume_voxels_m3").get<double>() ==
              Approx(mesh).epsilon(0.02));
        std::filesystem::remove(work.path("geom.vdb"));
        continue;
      }
      CHECK(std::string(folder) == "dirty");
      CHECK(outcome.code == 3);
      CHECK_FALSE(std::filesystem::exists(work.path("geom.vdb")));
    }
}

TEST_CASE("tessera-preprocess: Python's module of OpenVDB opens geom.vdb", "[pipeline]") {
  const WorkFolder work;
  putTube(work);
  work.mustRun("tessera-preprocess tube.stl --unit mm --spacing 0.5mm --report r.json -o a.vdb");
  // Debian calls the module pyopenvdb, conda openvdb.
  work.write("read.py",
             "import sys\n"
             "try:\n    import openvdb as vdb\n"
             "except ImportError:\n"
             "    try:\n        import pyopenvdb as vdb\n"
             "    except ImportError:\n        sys.exit(77)\n"
             "grid = vdb.read('a.vdb', 'fluid')\n"
             "assert not grid.background\n"
             "print(grid.valueTypeName, grid.activeVoxelCount(), grid['units'])\n");
  const Outcome read = work.run("PATH=/usr/bin:$PATH python3 read.py");
  INFO(read.errors);
  if (read.code == 77 || read.code == 127) return;  // no such module here
  REQUIRE(read.code == 0);
  CHECK(read.output ==
        "bool " + std::to_string(work.json("r.json").at("fluid_nodes").get<std::uint64_t>()) +
            " metres\n");
}
