// SPDX-License-Identifier: GPL-3.0-or-later
// The next command that tessera-postprocess suggests, executed.
#include <catch2/catch.hpp>
#include <regex>

#include "tests/chain/batch_trial.hpp"

using namespace tessera::chain;

TEST_CASE("Advice: the suggested command continues a run from its last step", "[pipeline]") {
  const WorkFolder work;
  prepareTube(work);
  work.mustRun(
      "tessera-preprocess tube.stl --unit mm --across 6 -o tube.vdb &&"
      " tessera-tiler tube.vdb -o tube.tiles");
  const std::string solve = "tessera-solver tube.tiles --backend cpu --case ";
  const auto advised = [&] {
    const std::string said =
        work.mustRun("tessera-postprocess --no-pictures rest.fields -o out").output;
    std::smatch option;
    REQUIRE(std::regex_search(said, option, std::regex("\\((--(?:resume|initial))")));
    return option[1].str();
  };
  work.mustRun(solve + "rest.toml -o rest.fields");
  REQUIRE(advised() == "--initial");
  CHECK_THAT(work.mustRun(solve + "rest.toml --initial rest.fields -o more.fields").errors,
             Catch::Contains("rest.fields"));
  work.write("rest.toml", tubeCase("0.02 m/s", 200) + "converged = 1e-12\n");
  work.mustRun(solve + "rest.toml -o rest.fields");
  REQUIRE(advised() == "--resume");
  CHECK_THAT(work.mustRun(solve + "rest.toml --resume --steps 300 -o rest.fields").errors,
             Catch::Contains("step 199"));
}
