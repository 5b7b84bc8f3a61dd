// SPDX-License-Identifier: GPL-3.0-or-later
// Poiseuille's flow from an STL tube that is not aligned with the axes, through the whole chain and
// against the closed form: with mean velocity U, radius R, length L and viscosity mu the flow rate
// is pi R^2 U, the pressure drop 8 mu U L / R^2 and the wall shear stress 4 mu U / R.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
using namespace tessera::testing;

namespace {

std::string tubeCase() {
  CaseBuilder flow = tubeFlow("0.05 m/s", "3e-3 Pa.s");
  flow.table("solver").with("equilibrium", "incompressible").with("precision", "f64");
  flow.with("velocity_scale", 0.1).opening(1).with("profile", "parabolic");
  return flow.steps(30000).with("converged", 1e-6).toml();
}

nlohmann::json tubeSummary(const WorkFolder& work, int across) {
  work.write("tube.toml", tubeCase());
  work.mustRun(
      "tessera-sample tube --quiet --diameter '4 mm' --length '20 mm' --direction 1,2,3"
      " -o tube.stl");
  work.mustRun("tessera-preprocess --quiet --unit mm --across " + std::to_string(across) +
               " tube.stl -o tube.vdb");
  work.mustRun("tessera-tiler --quiet tube.vdb -o tube.tiles");
  work.mustRun(
      "tessera-solver --quiet tube.tiles --case tube.toml -o tube.fields"
      " --report solver.json");
  CHECK(work.json("solver.json").at("converged").get<bool>());
  work.mustRun("tessera-postprocess --quiet tube.fields -o tube.out");
  return work.json("tube.out/summary.json");
}

}  // namespace

TEST_CASE("Slanted tube: the flow rate is that of Poiseuille", "[slow]") {
  const double mean = 0.05, radius = 2e-3, length = 20e-3, viscosity = 3e-3;
  const double flowRate = std::numbers::pi * radius * radius * mean;
  const double drop = 8.0 * viscosity * mean * length / (radius * radius);
  const double shear = 4.0 * viscosity * mean / radius;
  const WorkFolder work;
  const auto dropError = [&](const nlohmann::json& summary) {
    return std::abs(summary.at("pressure_drop_pa").get<double>() / drop - 1.0);
  };
  const double coarse = dropError(tubeSummary(work, 12));
  const auto summary = tubeSummary(work, 24);
  INFO(summary.dump(2));

  const auto& openings = summary.at("openings");
  REQUIRE(openings.size() == 2);
  CHECK(openings[0].at("flow_rate_m3_s").get<double>() == Approx(-flowRate).epsilon(1e-3));
  CHECK(openings[1].at("flow_rate_m3_s").get<double>() == Approx(flowRate).epsilon(1e-3));
  CHECK(summary.at("mass_residual").get<double>() < 1e-4);
  CHECK(summary.at("wss_pa").at("p50").get<double>() == Approx(shear).epsilon(0.03));
  CHECK(summary.at("wss_pa").at("mean").get<double>() == Approx(shear).epsilon(0.03));
  // The walls are where the surface is (15 % at 12 nodes across with walls half way between nodes);
  // what is left is the loss next to the openings.
  CHECK(dropError(summary) < 0.02);
  CHECK(coarse < 0.04);
}
