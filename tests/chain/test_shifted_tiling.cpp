// SPDX-License-Identifier: GPL-3.0-or-later
// Shifted tiling through the whole chain against the aligned one.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
using namespace tessera::testing;

namespace {

std::string tubeCase(const std::string& collision) {
  CaseBuilder flow = tubeFlow("0.05 m/s", "3e-3 Pa.s");
  flow.table("solver").with("collision", collision).with("precision", "f64");
  flow.with("velocity_scale", 0.1).with("ramp", "0 s").opening(1).with("profile", "parabolic");
  return flow.steps(500).toml();
}

void makeTube(const WorkFolder& work) {
  work.write("tube.toml", tubeCase("trt"));
  work.mustRun(
      "tessera-sample tube --quiet --diameter '4 mm' --length '20 mm' --direction 1,2,3"
      " -o tube.stl");
  work.mustRun("tessera-preprocess --quiet --unit mm --across 11 tube.stl -o tube.vdb");
}

nlohmann::json summaryOf(const WorkFolder& work, const std::string& placement) {
  work.mustRun("tessera-tiler --quiet tube.vdb --placement " + placement + " -o " + placement +
               ".tiles --report " + placement + ".json");
  work.mustRun("tessera-solver --quiet " + placement + ".tiles --case tube.toml -o " + placement +
               ".fields");
  work.mustRun("tessera-postprocess --quiet --no-pictures " + placement + ".fields -o " +
               placement + ".out");
  return work.json(placement + ".out/summary.json");
}

}  // namespace

TEST_CASE(
    "Shifted tiling in the chain: results equal those of the aligned tiling, with fewer tiles",
    "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  const auto one = summaryOf(work, "global");
  const auto rows = summaryOf(work, "rows");
  CHECK(work.json("rows.json").at("tiles") < work.json("global.json").at("tiles"));
  CHECK(work.json("rows.json").at("fluid_nodes") == work.json("global.json").at("fluid_nodes"));
  // Fields are single precision and are summed in another order.
  const auto same = [&](const nlohmann::json& a, const nlohmann::json& b) {
    CHECK(a.get<double>() == Approx(b.get<double>()).epsilon(1e-5));
  };
  same(rows.at("pressure_drop_pa"), one.at("pressure_drop_pa"));
  for (const std::string statistic : {"mean", "max", "p01", "p50", "p99"})
    same(rows.at("wss_pa").at(statistic), one.at("wss_pa").at(statistic));
  for (std::size_t k = 0; k < 2; ++k)
    same(rows.at("openings")[k].at("flow_rate_m3_s"), one.at("openings")[k].at("flow_rate_m3_s"));
}

TEST_CASE(
    "Shifted tiling in the chain: the solver refuses variants that only the aligned tiling has",
    "[pipeline]") {
  const WorkFolder work;
  makeTube(work);
  work.write("mrt.toml", tubeCase("mrt"));
  work.mustRun("tessera-tiler --quiet tube.vdb --placement rows -o rows.tiles");
  const auto before = work.names();
  const auto refused = [&](const std::string& options, const std::string& words) {
    const Outcome outcome = work.run("tessera-solver rows.tiles -o a.fields " + options);
    INFO(outcome.errors);
    CHECK(outcome.code == 2);
    CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
    CHECK_THAT(outcome.errors, Catch::Contains(words));
    CHECK(work.names() == before);
  };
  refused("--case mrt.toml", "--placement global");
  refused("--case tube.toml --copies 1", "--copies");
  refused("--case tube.toml --state moments", "--state");
}
