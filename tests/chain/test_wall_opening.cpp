// SPDX-License-Identifier: GPL-3.0-or-later
// An opening that the case closes, kind = "wall", through the whole chain.
#include <catch2/catch.hpp>

#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera::chain;
using namespace tessera::test;

namespace {

// A main vessel along x and a branch along y.
TriangleMesh branched() {
  return joined(tubeMesh({-6, 0.1, 0.05}, {6, 0.1, 0.05}, 1.5, 32, true),
                tubeMesh({0, 0.1, 0.05}, {0.2, 6, 0.05}, 1.2, 32, true));
}

std::string solver(const std::string& name) {
  return "tessera-solver --backend cpu --report " + name + ".json " + name + ".tiles -o " + name +
         ".fields --case ";
}

const std::string blood =
    "[fluid]\ndensity = 1060\nviscosity = \"3.5e-3 Pa.s\"\n[solver]\nprecision = \"f64\"\n";
const std::string fluid = blood + "lattice_velocity = 0.05\n";
const std::string stop = "[stop]\nsteps = 400\n[output]\nmonitor_every = 100\n";

std::string opening(const std::string& name, const std::string& rest) {
  return "[[opening]]\nname = \"" + name + "\"\n" + rest + "\n";
}
const std::string inlet = "kind = \"velocity\"\nmean = \"5 cm/s\"";
const std::string pressureOutlet = "kind = \"pressure\"\nvalue = \"0 Pa\"";

// The lattice NAME.tiles of the branched vessel.
void makeTiles(const WorkFolder& work, const std::string& name, const std::string& options) {
  work.mustRun(
      "tessera-preprocess --quiet --unit mm --spacing 0.3mm vessel.stl --report g.json -o " + name +
      ".vdb " + options + " && tessera-tiler " + name + ".vdb -o " + name + ".tiles");
}

}  // namespace

TEST_CASE("Wall openings: one closed by the case flows as one closed by preprocess", "[pipeline]") {
  const WorkFolder work;
  put(work, "vessel.stl", branched());
  makeTiles(work, "open", "");
  REQUIRE(work.json("g.json").at("openings").size() == 3);
  CHECK(work.json("g.json").at("openings")[2].at("radius_m").get<double>() < 1.3e-3);
  makeTiles(work, "closed", "--close 3");
  for (const std::string walls : {"halfway", "bouzidi"}) {
    INFO(walls);
    const std::string head = fluid + "walls = \"" + walls + "\"\n" + opening("opening1", inlet) +
                             opening("opening2", pressureOutlet);
    work.write("closed.toml", head + stop);
    work.write("open.toml", head + opening("opening3", "kind = \"wall\"") + stop);
    work.mustRun(solver("closed") + "closed.toml");
    const Outcome plan =
        work.mustRun("tessera-solver --plan --backend cpu open.tiles --case open.toml -o p.fields");
    CHECK_THAT(plan.output, Catch::Contains("nothing was written"));
    const Outcome run = work.mustRun(solver("open") + "open.toml");
    CHECK_THAT(run.output, Catch::Contains("opening3       wall"));
    const auto open = work.json("open.json"), closed = work.json("closed.json");
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(open.at("openings")[k].at("flow_rate_m3_s") ==
            closed.at("openings")[k].at("flow_rate_m3_s"));
      CHECK(open.at("openings")[k].at("mean_pressure_pa") ==
            closed.at("openings")[k].at("mean_pressure_pa"));
    }
    CHECK(open.at("openings")[2].at("kind") == "wall");
    CHECK(open.at("openings")[2].at("flow_rate_m3_s") == 0.0);
    CHECK(open.at("mass_residual") == closed.at("mass_residual"));
    CHECK(open.at("density_range") == closed.at("density_range"));
  }
  work.mustRun("tessera-postprocess --no-pictures open.fields open.tiles -o out");
  const auto summary = work.json("out/summary.json");
  CHECK(summary.at("openings")[2].at("kind") == "wall");
  CHECK(summary.at("openings")[2].at("flow_rate_m3_s") == 0.0);
  CHECK(summary.at("pressure_drop_pa").get<double>() > 0.0);
  // The closed end is a wall with forces of its own.
  CHECK(summary.at("forces_n").contains("wall"));
  CHECK(summary.at("forces_n").contains("opening3"));
}

TEST_CASE("Wall openings: a case needs a condition that lets fluid out, and may close everything",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "vessel.stl", branched());
  makeTiles(work, "open", "");
  const std::string command = solver("open") + "case.toml";
  work.write("case.toml", fluid + opening("opening1", inlet) +
                              opening("opening2", "kind = \"wall\"") +
                              opening("opening3", "kind = \"wall\"") + stop);
  checkRefused(work, command, 2, "pressure");
  work.write("case.toml", fluid + opening("opening1", "kind = \"wall\"\nmean = \"1 m/s\"") +
                              opening("opening2", pressureOutlet) +
                              opening("opening3", pressureOutlet) + stop);
  checkRefused(work, command, 2, "mean");
  std::string all = blood + "tau = 0.8\nbody_force = [10, 0, 0]\n";
  for (const std::string name : {"opening1", "opening2", "opening3"})
    all += opening(name, "kind = \"wall\"");
  work.write("case.toml", all + stop);
  work.mustRun(command);
  CHECK(work.json("open.json").at("mass_residual") == 0.0);
  CHECK(work.json("open.json").at("mach_max").get<double>() > 0.0);
}

TEST_CASE("Wall openings: a bare id that may mean two openings is refused with both",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "vessel.stl", branched());
  makeTiles(work, "open", "--close 1");  // opening2 and opening3 have the ids 1 and 2
  const std::string command = solver("open") + "case.toml";
  const std::string second = opening("opening3", pressureOutlet) + stop;
  work.write("case.toml", fluid + opening("opening2", inlet) + "[[opening]]\nid = 2\n" +
                              pressureOutlet + "\n" + stop);
  const Outcome outcome = work.run(command);
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.errors, Catch::Contains("case.toml:") && Catch::Contains("id = 2") &&
                                 Catch::Contains("\"opening3\"") &&
                                 Catch::Contains("\"opening2\""));
  work.write("case.toml", fluid + "[[opening]]\nid = 1\n" + inlet + "\n" + second);
  work.mustRun(command);
  CHECK(work.json("open.json").at("openings")[0].at("name") == "opening2");
}
