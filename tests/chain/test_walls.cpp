// SPDX-License-Identifier: GPL-3.0-or-later
// Walls through the whole chain: a side of a picture is named, moves or reflects, and postprocess
// finds the force on it.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;

namespace {

const std::string fluid =
    "[fluid]\ndensity = 1000\nviscosity = \"1e-3 Pa.s\"\n"
    "[solver]\nlattice = \"D2Q9\"\nprecision = \"f64\"\ntau = 0.9\n";
const std::string lid =
    "[[wall]]\nname = \"lid\"\nkind = \"moving\"\nvelocity = [\"1 mm/s\", 0, 0]\n";

// From the picture box.pgm to out/summary.json.
nlohmann::json chained(const WorkFolder& work, const std::string& walls, const std::string& text) {
  work.write("case.toml", fluid + text);
  work.mustRun("tessera-preprocess --voxel 0.1mm --pore 0 " + walls +
               " box.pgm -o geom.vdb && tessera-tiler geom.vdb -o geom.tiles");
  work.mustRun("tessera-solver --backend cpu geom.tiles --case case.toml -o run.fields");
  work.mustRun("tessera-postprocess run.fields geom.tiles -o out");
  return work.json("out/summary.json");
}

double dragOn(const nlohmann::json& summary, const std::string& wall) {
  return summary.at("forces_n").at(wall).at("viscous").at(0).get<double>();
}

}  // namespace

TEST_CASE(
    "Walls in the chain: the drag of two plates is that of Couette's flow, from picture to summary",
    "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box2d --size 16,20 -o box.pgm");
  const auto summary = chained(work, "--periodic x --wall y+=lid", lid + "[stop]\nsteps = 8000\n");
  // mu U / H on 16 x 1 faces of 0.1 mm.
  const double drag = 1e-3 * 1e-3 / 2e-3 * 16e-8;
  CHECK(dragOn(summary, "lid") == Approx(-drag).epsilon(1e-4));
  CHECK(dragOn(summary, "wall") == Approx(drag).epsilon(1e-4));
}

TEST_CASE("Walls in the chain: a symmetry plane with half a channel equals the whole channel",
          "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box2d --size 8,12 -o box.pgm");
  const auto summary =
      chained(work, "--periodic x --wall y+=middle",
              "pressure_difference = [\"0.01 Pa\", 0, 0]\n"
              "[[wall]]\nname = \"middle\"\nkind = \"symmetry\"\n[stop]\nsteps = 12000\n");
  // All of the pressure on 12 x 1 faces is the drag of the one wall.
  const double drag = 0.01 * 12e-8;
  CHECK(dragOn(summary, "wall") == Approx(drag).epsilon(1e-3));
  CHECK(std::abs(dragOn(summary, "middle")) < 1e-3 * drag);
}

TEST_CASE("Walls in the chain: --wall is refused where there is no such wall", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample box2d --size 8,8 -o box.pgm");
  work.mustRun("tessera-sample tube -o tube.stl");
  const std::string image = "tessera-preprocess --voxel 0.1mm --pore 0 box.pgm -o geom.vdb ";
  checkRefused(work, image + "--wall y=lid", 2, "y+=lid");
  checkRefused(work, image + "--wall y+=7", 2, "7");
  checkRefused(work, image + "--wall z+=lid", 2, "z+");
  checkRefused(work, image + "--periodic y --wall y+=lid", 2, "periodic");
  checkRefused(work, image + "--faces y+,y- --wall y+=lid", 2, "--faces");
  checkRefused(work, image + "--wall y+=lid --wall y+=top", 2, "y+");
  checkRefused(work, image + "--smooth --wall y+=lid", 2, "--smooth");
  checkRefused(work, "tessera-preprocess --unit mm --longest 20 tube.stl -o geom.vdb --wall x+=a",
               2, "--wall");
  work.mustRun("tessera-sample channel2d --size 8,8 -o box.pgm");
  checkRefused(work, image + "--wall y+=lid", 2, "y+");
}
