// SPDX-License-Identifier: GPL-3.0-or-later
// The page before a run and the report after it show a geometry from one side.
#include <catch2/catch.hpp>

#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;

namespace {

// Directions of the first view in the data of a page: towards the viewer and upwards.
std::vector<double> firstView(const std::string& page) {
  std::vector<double> numbers;
  for (const std::string key : {"\"toward\":[", "\"up\":["}) {
    const std::size_t at = page.find(key);
    REQUIRE(at != page.npos);
    const nlohmann::json list = nlohmann::json::parse(
        page.substr(at + key.size() - 1, page.find(']', at) - at - key.size() + 2));
    numbers.insert(numbers.end(), list.begin(), list.end());
  }
  return numbers;
}

void checkSide(const std::string& sample, const std::string& file, const std::string& preprocess) {
  INFO(sample << " " << file << " " << preprocess);
  const WorkFolder work;
  work.mustRun("tessera-sample " + sample + " --quiet -o " + file);
  work.mustRun("tessera-preprocess --quiet " + file + " " + preprocess +
               " --page before.html -o geom.vdb");
  work.mustRun("tessera-tiler --quiet geom.vdb -o geom.tiles");
  const std::size_t openings = work.json("before.json")["openings"].size();
  std::string text =
      "[fluid]\ndensity = 1000\nviscosity = \"1e-3 m2/s\"\n[solver]\ntau = 0.8\n"
      "body_force = [1e-3, 0, 0]\n[stop]\nsteps = 4\n";
  for (std::size_t id = 1; id <= openings; ++id)
    text += "[[opening]]\nid = " + std::to_string(id) + "\nkind = \"pressure\"\nvalue = 0\n";
  work.write("case.toml", text);
  work.mustRun("tessera-solver --quiet --backend cpu --case case.toml geom.tiles -o run.fields");
  work.mustRun("tessera-postprocess --quiet --no-pictures run.fields -o out");
  const std::vector<double> before = firstView(readWhole(work.path("before.html")));
  const std::vector<double> after = firstView(readWhole(work.path("out/report.html")));
  REQUIRE(before.size() == 6);
  REQUIRE(after.size() == 6);
  for (std::size_t k = 0; k < 6; ++k) CHECK(after[k] == Approx(before[k]).margin(1e-3));
}

}  // namespace

TEST_CASE("Viewing side: pages before and after a run show a geometry from one side",
          "[pipeline]") {
  const std::string report = " --report before.json ";
  checkSide("aneurysm", "vessel.stl", "--unit mm --across 8" + report);
  checkSide("aneurysm", "vessel.mha", "--pore 1" + report);
  checkSide("tube --diameter '2 mm' --length '8 mm' --direction 1,2,3", "tube.stl",
            "--unit mm --across 8" + report);
  checkSide("spheres --size 60,32,24 --diameter 12 --porosity 0.6 --bounded --free-ends 13",
            "pores.raw", "--voxel 10um --dims 86,32,24 --type u8 --pore 0 --faces x-,x+" + report);
  checkSide("spheres --size 36,36,36 --diameter 12 --porosity 0.4", "rock.raw",
            "--voxel 10um --dims 36,36,36 --type u8 --pore 0 --periodic xyz" + report);
}
