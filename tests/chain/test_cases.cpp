// SPDX-License-Identifier: GPL-3.0-or-later
// The folders of pipelines/cases and the resolution study, as make runs them.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
using namespace tessera::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::string makeCase(const std::string& name, const std::string& variables) {
  return "make -C " TESSERA_SOURCE "/pipelines/cases/" + name +
         " TESSERA_BIN=" TESSERA_BIN " OUT=$PWD/out " + variables;
}

}  // namespace

TEST_CASE("Cases: every case has a Makefile that prints what it runs, and a page that explains it",
          "[pipeline]") {
  const WorkFolder work;
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(TESSERA_SOURCE "/pipelines/cases")) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    INFO(name);
    ++cases;
    CHECK(fs::exists(entry.path() / "README.md"));
    const std::string plan = work.mustRun(makeCase(name, "-n")).output;
    for (const char* program : {"sample", "preprocess", "tiler", "solver", "postprocess"})
      CHECK_THAT(plan, Contains(std::string("/tessera-") + program + "' "));
    CHECK_THAT(readWhole(TESSERA_SOURCE "/pipelines/cases/README.md"),
               Contains("| `" + name + "`"));
  }
  CHECK(cases >= 7);
  CHECK_FALSE(fs::exists(work.path("out/cavity.fields")));
}

TEST_CASE("Cases: a case runs once at the requested size", "[pipeline]") {
  const WorkFolder work;
  work.mustRun(makeCase("cavity", "NODES=16 SOLVER_FLAGS='--backend cpu --steps 200'"));
  CHECK(work.json("out/cavity.out/summary.json").at("run").at("fluid_nodes") == 256);
  CHECK_THAT(
      work.mustRun(makeCase("cavity", "NODES=16 SOLVER_FLAGS='--backend cpu --steps 200'")).output,
      !Contains("/bin/tessera-"));
  CHECK_THAT(readWhole(work.path("out/cavity.ghia.csv")), Contains("largest difference"));
  work.mustRun(makeCase("cavity", "NODES=20 SOLVER_FLAGS='--backend cpu --steps 200'"));
  CHECK(work.json("out/cavity.out/summary.json").at("run").at("fluid_nodes") == 400);
}

TEST_CASE("Cases: the cavity is compared with Ghia's values, the pores have an error bar",
          "[slow]") {
  const WorkFolder work;
  const std::string flags = " SOLVER_FLAGS='--backend cpu --quiet' POSTPROCESS_FLAGS=--quiet";
  work.mustRun(makeCase("cavity", "NODES=32" + flags));
  std::istringstream rows(readWhole(work.path("out/cavity.ghia.csv")));
  std::size_t compared = 0;
  std::string row;
  while (std::getline(rows, row)) {
    if (row.rfind("u,", 0) != 0 && row.rfind("v,", 0) != 0) continue;
    ++compared;
    CHECK(std::abs(std::stod(row.substr(row.rfind(',') + 1))) < 0.02);
  }
  CHECK(compared == 30);

  // A part of an image: a slit of 4 of 8 voxels, whose permeability is known.
  std::string image(10 * 10 * 10, '\1');
  for (std::size_t k = 0; k < image.size(); ++k)
    if (k % 10 > 2 && k % 10 < 7) image[k] = '\0';
  work.write("slit.raw", image);
  const std::string study =
      makeCase("porous", "IMAGE=$PWD/slit.raw DIMS=10,10,10 PART=1,1,1,8 error-bar" + flags);
  const std::string said = work.mustRun(study).output;
  INFO(said);
  const std::size_t at = said.rfind("permeability       (");
  REQUIRE(at != std::string::npos);
  const double found = std::stod(said.substr(at + 20));
  CHECK(found == Approx(12e-6 * 12e-6 / 12.0 * 0.5).epsilon(0.005));
  CHECK_THAT(said, Contains("relaxation times   ("));
  const Outcome outside =
      work.run(makeCase("porous", "IMAGE=$PWD/slit.raw DIMS=10,10,10 PART=4,4,4,8 OUT=$PWD/other"));
  CHECK(outside.code == 2);
  CHECK_THAT(outside.errors, Contains("0 to 9"));
}

TEST_CASE("Cases: missing programs are reported with how to build them", "[pipeline]") {
  const WorkFolder work;
  const Outcome outcome = work.run("make -C " TESSERA_SOURCE
                                   "/pipelines/cases/cavity OUT=$PWD/out TESSERA_BIN=$PWD/none");
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.errors, Contains("tessera-sample") && Contains("build"));
}

TEST_CASE("Cases: a resolution study ends with order and error bar", "[slow]") {
  const WorkFolder work;
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '4 mm' -o tube.stl");
  work.write("rest.toml", tubeFlow("0.02 m/s").steps(500).toml());
  const std::string study =
      "make -C " TESSERA_SOURCE "/pipelines -o build TESSERA_BIN=" TESSERA_BIN
      " resolution STL=tube.stl UNIT=mm CASE=rest.toml ACROSS='6 8 12' "
      "SOLVER_FLAGS='--backend cpu' PREPROCESS_FLAGS='--keep connected' OUT=results";
  work.mustRun(study);
  const auto found = work.json("results/tube/rest.cmp/summary.json");
  CHECK(found.at("mesh_study") == nlohmann::json{"rest-12", "rest-8", "rest-6"});
  CHECK(found.at("quantities").at("pressure_drop_pa").contains("convergence"));
  CHECK_THAT(work.mustRun(study).output, !Contains("/bin/tessera-"));
  const Outcome without = work.run("make -C " TESSERA_SOURCE "/pipelines -o build resolution");
  CHECK(without.code == 2);
  CHECK_THAT(without.errors, Contains("surface"));
}
