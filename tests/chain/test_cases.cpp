// SPDX-License-Identifier: GPL-3.0-or-later
// The folders of pipelines/cases and the resolution study, as make runs them.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/chain/chain.hpp"

using namespace tessera::chain;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::string makeCase(const std::string& name, const std::string& variables) {
  return "make -C " TESSERA_SOURCE "/pipelines/cases/" + name +
         " TESSERA_BIN=" TESSERA_BIN " OUT=$PWD/out " + variables;
}

}  // namespace

TEST_CASE("every case has a Makefile that says what to run, and a page that says what it shows",
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
      CHECK_THAT(plan, Contains(std::string("/tessera-") + program + " "));
    CHECK_THAT(readWhole(TESSERA_SOURCE "/pipelines/cases/README.md"),
               Contains("| `" + name + "`"));
  }
  CHECK(cases >= 7);
  CHECK_FALSE(fs::exists(work.path("out/cavity.fields")));
}

TEST_CASE("a case runs at the size that is asked for, once", "[pipeline]") {
  const WorkFolder work;
  work.mustRun(makeCase("cavity", "NODES=16 SOLVER_FLAGS='--backend cpu --steps 200'"));
  CHECK(work.json("out/cavity.out/summary.json").at("run").at("fluid_nodes") == 256);
  CHECK_THAT(
      work.mustRun(makeCase("cavity", "NODES=16 SOLVER_FLAGS='--backend cpu --steps 200'")).output,
      !Contains("/bin/tessera-"));
  work.mustRun(makeCase("cavity", "NODES=20 SOLVER_FLAGS='--backend cpu --steps 200'"));
  CHECK(work.json("out/cavity.out/summary.json").at("run").at("fluid_nodes") == 400);
}

TEST_CASE("a case without programs says where to get them", "[pipeline]") {
  const WorkFolder work;
  const Outcome outcome = work.run("make -C " TESSERA_SOURCE
                                   "/pipelines/cases/cavity OUT=$PWD/out TESSERA_BIN=$PWD/none");
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.errors, Contains("tessera-sample is not in") && Contains("build"));
}

TEST_CASE("a resolution study ends with order and error bar", "[slow]") {
  const WorkFolder work;
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '4 mm' -o tube.stl");
  work.write("rest.toml",
             "[fluid]\ndensity = 1000\nviscosity = \"4e-3 Pa.s\"\n[solver]\nvelocity_scale = 0.05\n"
             "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"0.02 m/s\"\n"
             "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n[stop]\nsteps = 500\n");
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
  CHECK_THAT(without.errors, Contains("resolution needs a surface"));
}
