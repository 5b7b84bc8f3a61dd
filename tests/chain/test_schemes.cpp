// SPDX-License-Identifier: GPL-3.0-or-later
// Storage schemes by name, --scheme and [solver] scheme: the runs of --state and --copies, and
// refusals that list the schemes that can.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
using namespace tessera::testing;

namespace {

std::string tubeCase(const std::string& key, const std::string& value) {
  CaseBuilder flow = tubeFlow("0.05 m/s", "3e-3 Pa.s");
  flow.table("solver").with(key, value).with("precision", "f64");
  flow.with("velocity_scale", 0.1).with("ramp", "0 s").opening(1).with("profile", "parabolic");
  return flow.steps(20).toml();
}

void makeTube(const WorkFolder& work) {
  work.mustRun(
      "tessera-sample tube --quiet --diameter '4 mm' --length '10 mm' --direction 1,2,3"
      " -o tube.stl");
  work.mustRun("tessera-preprocess --quiet --unit mm --across 8 tube.stl -o tube.vdb");
  work.mustRun("tessera-tiler --quiet tube.vdb -o tube.tiles");
  work.write("tube.toml", tubeCase("walls", "halfway"));
}

}  // namespace

TEST_CASE("Schemes: a name is state and copies", "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  work.write("moments.toml", tubeCase("scheme", "tile-moments"));
  const auto fieldsOf = [&](const std::string& name, const std::string& options) {
    work.mustRun("tessera-solver --quiet --backend cpu tube.tiles " + options + " --report " +
                 name + ".json -o " + name + ".fields");
    return work.json(name + ".json").at("scheme").get<std::string>();
  };
  CHECK(fieldsOf("plain", "--case tube.toml") == "tile-populations");
  CHECK(fieldsOf("named", "--case tube.toml --scheme tile-populations") == "tile-populations");
  CHECK(fieldsOf("state", "--case tube.toml --state moments --copies 2") == "tile-moments");
  CHECK(fieldsOf("scheme", "--case tube.toml --scheme tile-moments") == "tile-moments");
  CHECK(fieldsOf("key", "--case moments.toml") == "tile-moments");
  CHECK(fieldsOf("wins", "--case moments.toml --scheme tile-populations") == "tile-populations");
  const auto same = [&](const std::string& a, const std::string& b) {
    return work.run("cmp -s " + a + ".fields " + b + ".fields").code == 0;
  };
  CHECK(same("plain", "named"));
  CHECK(same("state", "scheme"));
  CHECK_FALSE(same("plain", "scheme"));
  const Outcome plan = work.mustRun(
      "tessera-solver --backend cpu tube.tiles --case tube.toml --scheme tile-moments --plan");
  CHECK_THAT(plan.output, Catch::Contains("\nscheme       tile-moments\n"));
}

TEST_CASE("Schemes: a run that is resumed without a state goes on with its own", "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  work.write("regularised.toml", tubeCase("collision", "regularised"));
  const auto run = [&](const std::string& name, const std::string& options) {
    return work.run("tessera-solver --backend cpu tube.tiles --case regularised.toml -o " + name +
                    ".fields " + options);
  };
  CHECK(run("straight", "--state moments").code == 0);
  work.write("STOP", "");
  CHECK(run("stopped", "--state moments").code == 75);
  std::filesystem::remove(work.path("STOP"));
  const Outcome resumed = run("stopped", "--resume --state auto");
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.errors + resumed.output,
             Catch::Contains("state        moments: that of the checkpoint"));
  CHECK(work.run("cmp -s straight.fields stopped.fields").code == 0);
  // Another collision is another run, whatever the state of the checkpoint.
  work.write("STOP", "");
  CHECK(run("stopped", "--state moments").code == 75);
  std::filesystem::remove(work.path("STOP"));
  work.write("regularised.toml", tubeCase("collision", "trt"));
  const Outcome refused = run("stopped", "--resume");
  CHECK(refused.code == 3);
  CHECK_THAT(refused.errors, Catch::Contains("regularised") && Catch::Contains("trt"));
}

TEST_CASE("Schemes: what one cannot do is refused with those that can", "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  work.write("both.toml",
             "[fluid]\nfluid = \"water\"\n[solver]\ntau = 0.8\nstate = \"moments\"\n"
             "scheme = \"tile-moments\"\n[[opening]]\nid = 1\nkind = \"pressure\"\nvalue = 0\n"
             "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n");
  work.write("single-node.toml", tubeCase("walls", "single-node"));
  const auto before = work.names();
  const auto refused = [&](const std::string& options, const std::vector<std::string>& words) {
    const Outcome outcome = work.run("tessera-solver tube.tiles " + options);
    INFO(outcome.errors);
    CHECK(outcome.code == 2);
    CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
    for (const std::string& word : words) CHECK_THAT(outcome.errors, Catch::Contains(word));
    CHECK(work.names() == before);
  };
  const std::string run = "--backend cpu -o a.fields --case tube.toml ";
  refused(run + "--scheme lists",
          {"lists", "tile-populations", "tile-populations-in-place", "tile-moments"});
  refused(run + "--scheme tile-moments --state moments", {"--scheme tile-moments", "--state"});
  refused(run + "--scheme tile-moments --copies 2", {"--scheme tile-moments", "--copies"});
  refused(run + "--scheme tile-populations-in-place",
          {"CUDA", "--scheme tile-populations, tile-moments"});
  refused("--backend cpu -o a.fields --case single-node.toml --scheme tile-moments",
          {"walls", "--scheme tile-populations, tile-populations-in-place"});
  refused("--backend cpu -o a.fields --case both.toml", {"both.toml:6", "state"});
  refused("--bench step --scheme tile-moments", {"--bench", "--scheme"});
}
