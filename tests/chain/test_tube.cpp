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

TEST_CASE("Slanted tube: the error that a single run states covers the truth", "[pipeline]") {
  const double mean = 1e-3, diameter = 2e-3, length = 3e-3, viscosity = 1e-3;
  const double drop = 32.0 * viscosity * mean * length / (diameter * diameter);
  const double shear = 8.0 * viscosity * mean / diameter;
  const WorkFolder work;
  work.write("tube.toml",
             "[fluid]\ndensity = 1000\nviscosity = \"1e-6 m2/s\"\n[solver]\ntau = 0.8\n"
             "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"1 mm/s\"\n"
             "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n"
             "[stop]\nsteps = 20000\nconverged = 1e-5\n");
  work.mustRun(
      "tessera-sample tube --quiet --diameter '2 mm' --length '3 mm' --direction 2,1,3 -o t.stl && "
      "tessera-preprocess --quiet --unit mm --across 10 t.stl -o t.vdb && "
      "tessera-tiler --quiet t.vdb -o t.tiles && "
      "tessera-solver --quiet --backend cpu t.tiles --case tube.toml -o t.fields");
  const std::string said = work.mustRun("tessera-postprocess t.fields -o out").output;
  CHECK_THAT(said, Catch::Contains(" +- ") && Catch::Contains("errors +- are expected ones"));
  CHECK_THAT(readWhole(work.path("out/report.html")),
             Catch::Contains("\u00b1") && !Catch::Contains("No warnings"));
  // The solver's report next to the fields says when and where the run was computed.
  const std::string machine = work.json("t.solver.json").at("machine");
  CHECK_THAT(readWhole(work.path("out/report.html")),
             Catch::Contains("Computed in ") && Catch::Contains(" UTC.</p>"));
  CHECK_FALSE(machine.empty());
  CHECK(readWhole(work.path("out/summary.json")).find(machine) == std::string::npos);
  const auto summary = work.json("out/summary.json");
  const auto covers = [&](double value, const char* path, double truth) {
    const double stated = summary.at("expected_error").at(path).get<double>();
    INFO(path << ": " << value << ", " << truth << ", stated " << stated);
    CHECK(std::abs(value - truth) <= stated * std::abs(value));
    CHECK(stated < 0.05);
  };
  covers(summary.at("pressure_drop_pa"), "pressure_drop_pa", drop);
  covers(summary.at("wss_pa").at("mean"), "wss_pa.mean", shear);
  covers(summary.at("wss_pa").at("p95"), "wss_pa.p95", shear);
}

TEST_CASE("The page has what preprocess warned of, when, where and how long, by plain commands",
          "[pipeline]") {
  const WorkFolder work;
  work.write("tube.toml", tubeFlow("0.01 m/s", "1e-3 Pa.s").steps(20).toml());
  const std::string preprocess =
      "tessera-preprocess --quiet --unit mm --across 5 t.stl -o t.vdb --report r.json && ";
  const std::string rest =
      "tessera-tiler --quiet t.vdb -o t.tiles && "
      "tessera-solver --quiet t.tiles --case tube.toml -o t.fields && "
      "tessera-postprocess --quiet --no-pictures t.fields -o out";
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '3 mm' -o t.stl && " +
               preprocess + rest);
  const auto warnings = work.json("r.json").at("warnings");
  REQUIRE_FALSE(warnings.empty());
  const std::string warning = warnings.back();
  const std::string page = readWhole(work.path("out/report.html"));
  CHECK_THAT(page, Catch::Contains(warning + " <small>(tessera-preprocess)") &&
                       Catch::Contains("Computed in ") && Catch::Contains("finished 2"));
  CHECK_THAT(work.mustRun("tessera-info t.fields").output, Catch::Contains(warning));
  // A report that is given takes the place of what the files keep, which is said once.
  work.mustRun(
      "tessera-postprocess --quiet --no-pictures --geometry-report r.json t.fields -o out");
  const std::string given = readWhole(work.path("out/report.html"));
  CHECK(given.find(warning + " <small>") == given.rfind(warning + " <small>"));
}

TEST_CASE("Slanted openings: bi-parabolic takes square ones at any spacing, round ones never",
          "[pipeline]") {
  const WorkFolder work;
  CaseBuilder flow = tubeFlow("0.01 m/s", "1e-3 Pa.s");
  flow.opening(1).with("profile", "bi-parabolic");
  work.write("flow.toml", flow.steps(2).toml());
  const std::string solve = "tessera-solver --quiet conduit.tiles --case flow.toml -o run.fields";
  const auto conduit = [&](const std::string& kind, const std::string& spacing) {
    work.mustRun("tessera-sample " + kind +
                 " --length '4 mm' --direction 1,2,3 --quiet -o conduit.stl");
    work.mustRun("tessera-preprocess --quiet --unit mm --spacing " + spacing +
                 " conduit.stl -o conduit.vdb");
    work.mustRun("tessera-tiler --quiet conduit.vdb -o conduit.tiles");
  };
  for (const std::string spacing : {"0.25mm", "0.1667mm", "0.12mm"}) {
    INFO(spacing);
    conduit("channel --width '2 mm' --height '2 mm'", spacing);
    work.mustRun(solve);
    conduit("tube --diameter '2 mm'", spacing);
    const Outcome round = work.run(solve);
    CHECK(round.code == 2);
    CHECK(round.errors.find("needs a rectangular opening") != std::string::npos);
  }
}
