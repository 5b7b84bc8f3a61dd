// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/chain/batch_trial.hpp"
#include "tests/fixtures/case/case_builder.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

namespace tessera::chain {

const std::string batchFolder = TESSERA_SOURCE "/pipelines/batch/";

std::string tubeCase(const std::string& mean, long steps) {
  return testing::tubeFlow(mean).steps(steps).toml();
}

void prepareTube(const WorkFolder& work) {
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '6 mm' -o tube.stl");
  work.write("rest.toml", tubeCase("0.02 m/s", 200));
  work.write("walk.toml", tubeCase("0.04 m/s", 200));
}

void runDirectly(const WorkFolder& work, const std::string& name) {
  work.mustRun(
      "mkdir -p direct && tessera-preprocess tube.stl --unit mm --across 8 -o direct/tube.vdb &&"
      " tessera-tiler direct/tube.vdb -o direct/tube.tiles && tessera-solver "
      "direct/tube.tiles --backend cpu --case " +
      name + ".toml -o direct/" + name + ".fields && tessera-postprocess direct/" + name +
      ".fields -o direct/" + name + ".out");
}

void checkSameAsDirect(const WorkFolder& work, const std::string& name) {
  INFO(name);
  for (const std::string& file : {name + ".fields", name + ".out/summary.json"}) {
    REQUIRE(std::filesystem::exists(work.path(file)));
    CHECK(readWhole(work.path(file)) == readWhole(work.path("direct/" + file)));
  }
}

}  // namespace tessera::chain
