// SPDX-License-Identifier: GPL-3.0-or-later
// [[opening]] tables: values, and refusals with file and line.
#include <catch2/catch.hpp>
#include <fstream>

#include "solver/case/solver_case.hpp"
#include "solver/run/physics.hpp"
#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

const std::string fluid = fluidOf("1e-6 m2/s").toml();
const std::string inlet = CaseBuilder().opening(1, "velocity").with("mean", "5 mm/s").toml();

// A channel of 9 nodes with a branch of 5 upwards.
TilesFile shortFork() {
  return imageGeometry(
      {30, 20, 1}, [](int x, int y, int) { return y < 9 || (x > 10 && x < 16); },
      {false, false, true}, {{0, false, 1}, {0, true, 2}, {1, true, 3}}, 1e-4, {0, 0, 0}, 2);
}

SolverCase read(const std::string& text, const TilesFile& tiles,
                const std::string& name = "case.toml") {
  return readSolverCase(CaseFile::parse(text, name), tiles.geometry);
}

}  // namespace

TEST_CASE("Case: all mistakes of all tables come together, and none that follows from another",
          "[unit]") {
  const std::string text =
      "[fluid]\ndensity = \"1000 mm\"\nviscosity = true\nviscosty = 1\n"        // 2, 3, 4
      "[solver]\ncollision = \"trtt\"\ntau = \"x\"\nvelocty_scale = 0.05\n"     // 6, 7, 8
      "[[opening]]\nid = 1\nkind = \"velocty\"\nmean = \"5 mm/s\"\n"            // 11
      "[[opening]]\nid = 9\nkind = \"pressure\"\nvalue = 0\n"                   // 13
      "[[opening]]\nid = 3\nkind = \"pressure\"\nvalue = \"1 m\"\nvaleu = 1\n"  // 20, 21
      "[stop]\nsteps = 0\nrequire_convergence = 1\n"                            // 23, 24
      "[time]\nperiod = \"1 m\"\n"                                              // 26
      "[initial]\nv = \"U*x\"\nU = true\n";                                     // 29
  const std::string said = sentenceOfError(ExitCode::Usage, [&] { read(text, shortFork()); });
  INFO(said);
  CHECK(said.starts_with("case.toml has 14 mistakes:\n"));
  std::size_t last = 0;
  for (const int line : {2, 3, 4, 6, 7, 8, 11, 13, 20, 21, 23, 24, 26, 29}) {
    INFO(line);
    const std::size_t found = said.find("\n  case.toml:" + std::to_string(line) + ": ");
    CHECK(found != std::string::npos);
    CHECK(found > last);
    last = found;
  }
}

TEST_CASE("Openings of a case: a Windkessel, a resistance and their units are read", "[unit]") {
  const TilesFile tiles = shortFork();
  const SolverCase run =
      read(fluid + inlet +
               "[[opening]]\nid = 2\nkind = \"windkessel\"\nresistance_proximal = \"1e9 Pa.s/m3\"\n"
               "compliance = \"0.1 ml/mmHg\"\nresistance_distal = \"100 mmHg.s/ml\"\n"
               "initial_pressure = \"80 mmHg\"\n"
               "[[opening]]\nid = 3\nkind = \"resistance\"\nresistance = 2e9\n"
               "distal_pressure = \"10 mmHg\"\n",
           tiles);
  const auto& windkessel = std::get<Windkessel>(run.openings[1]);
  CHECK(windkessel.proximal == 1e9);
  CHECK(windkessel.resistance == Approx(100 * 133.322387415e6));
  CHECK(windkessel.compliance == Approx(0.1e-6 / 133.322387415));
  CHECK(windkessel.initial == Approx(80 * 133.322387415));
  const auto& resistance = std::get<Resistance>(run.openings[2]);
  CHECK(resistance.resistance == 2e9);
  CHECK(resistance.distal == Approx(10 * 133.322387415));
  CHECK(resistance.initial == resistance.distal);
}

TEST_CASE("Openings of a case: outflow splits become flow rates, the largest takes the rest",
          "[unit]") {
  const TilesFile tiles = shortFork();
  const std::string second = "[[opening]]\nid = 2\nkind = \"outflow-split\"\n";
  const std::string third = "[[opening]]\nid = 3\nkind = \"outflow-split\"\n";
  const double inflow = 5e-3 * tiles.geometry.openings[0].area;
  const SolverCase given =
      read(fluid + inlet + second + "fraction = 0.7\n" + third + "fraction = 0.3\n", tiles);
  const auto splitAt = [](const SolverCase& run, std::size_t k) {
    return std::get<OutflowSplit>(run.openings[k]);
  };
  CHECK(splitAt(given, 1).takesRest);
  CHECK_FALSE(splitAt(given, 2).takesRest);
  CHECK(-splitAt(given, 2).mean * tiles.geometry.openings[2].area == Approx(0.3 * inflow));
  // Murray's law in 2D: as the square of the width.
  const double a = tiles.geometry.openings[1].area;
  const double b = tiles.geometry.openings[2].area;
  const SolverCase murray = read(fluid + inlet + second + third, tiles);
  CHECK(splitAt(murray, 2).fraction == Approx(b * b / (a * a + b * b)));
  const SolverCase one = read(fluid + inlet + second + third + "fraction = 0.25\n", tiles);
  CHECK(splitAt(one, 1).fraction == Approx(0.75));
}

TEST_CASE("Openings of a case: a split outflow has its fractions, in time too", "[unit]") {
  const TilesFile tiles = shortFork();
  SolverCase run = read(fluid + inlet +
                            "[solver]\ntau = 0.8\nprecision = \"f64\"\nramp = 0\n"
                            "[[opening]]\nid = 2\nkind = \"outflow-split\"\nfraction = 0.6\n"
                            "[[opening]]\nid = 3\nkind = \"outflow-split\"\nfraction = 0.4\n",
                        tiles);
  Simulation steady(tiles, prepare(tiles.geometry, run, "cpu"));
  steady.advance(12000);
  const MonitorSample sample = steady.sample();
  CHECK(sample.flowRate[1] / -sample.flowRate[0] == Approx(0.6).epsilon(1e-6));
  CHECK(sample.flowRate[2] / -sample.flowRate[0] == Approx(0.4).epsilon(1e-9));
  run.openings = {
      pulsating(
          periodicSeries(2.0, [](double s) { return 5e-3 * std::sin(6.283185307179586 * s); }),
          Profile::Parabolic),
      OutflowSplit{Profile::Developed, 0.6}, OutflowSplit{Profile::Developed, 0.4}};
  completeSplits("case.toml", tiles.geometry, run.openings);
  Simulation pulsed(tiles, prepare(tiles.geometry, run, "cpu"));
  pulsed.advance(1234);
  const MonitorSample now = pulsed.sample();
  CHECK(now.flowRate[2] / -now.flowRate[0] == Approx(0.4).epsilon(1e-9));
}

TEST_CASE(
    "Openings of a case: a waveform file is read relative to the case, and is part of the physics "
    "hash",
    "[unit]") {
  const TemporaryFolder folder;
  const TilesFile tiles = planeChannel(12, 8);
  const auto path = folder.path() / "inlet.csv";
  const auto write = [&](const char* middle) {
    std::ofstream(path) << "time[s],velocity[mm/s]\n0,1\n0.1," << middle << "\n0.2,1\n";
  };
  const std::string text = fluid + "[solver]\nprecision = \"f64\"\n" +
                           "[[opening]]\nid = 1\nkind = \"velocity\"\nwaveform = \"inlet.csv\"\n"
                           "periodic = true\nprofile = \"womersley\"\n"
                           "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n";
  const std::string name = (folder.path() / "case.toml").string();
  write("4");
  const SolverCase run = read(text, tiles, name);
  const auto& velocity = std::get<Velocity>(run.openings[0]);
  CHECK(velocity.mean == Approx(4e-3));
  CHECK(velocity.series->period == Approx(0.2));
  CHECK(velocity.series->name == "inlet.csv");
  const std::string before = physicsHash(prepare(tiles.geometry, run, "cpu"));
  CHECK(before == physicsHash(prepare(tiles.geometry, read(text, tiles, name), "cpu")));
  write("3.9");
  CHECK(before != physicsHash(prepare(tiles.geometry, read(text, tiles, name), "cpu")));
  write("x");
  checkError(ExitCode::Usage, [&] { read(text, tiles, name); }, {"inlet.csv:3:"});
}

TEST_CASE("Openings of a case: contradictory openings are refused with file and line", "[unit]") {
  const TilesFile tiles = shortFork();
  const std::string rest = "[[opening]]\nid = 3\nkind = \"pressure\"\nvalue = 0\n";
  const auto refused = [&](const std::string& table, const std::string& part) {
    INFO(table);
    const std::string text = fluid + inlet + rest + "[[opening]]\nid = 2\n" + table;
    checkError(ExitCode::Usage, [&] { read(text, tiles); }, {"case.toml", part});
  };
  const std::string windkessel = "kind = \"windkessel\"\n";
  refused(windkessel + "compliance = 1e-9\nresistance_distal = 1e9\n", "resistance_proximal");
  refused(windkessel + "resistance_proximal = 1e9\ncompliance = 1e-9\n", "resistance_distal");
  refused(windkessel + "resistance_proximal = 1e9\nresistance_distal = 1e9\n", "compliance");
  refused(windkessel + "resistance_proximal = 1e9\ncompliance = 0\nresistance_distal = 1e9\n",
          "compliance");
  refused(windkessel + "resistance_proximal = -1\ncompliance = 1e-9\nresistance_distal = 1e9\n",
          "resistance_proximal");
  refused(windkessel + "resistance_proximal = \"1 Pa\"\n", "Pa.s/m3");
  refused(windkessel + "resistance = 1e9\n", "resistance_proximal");
  refused("kind = \"resistance\"\n", "resistance");
  refused("kind = \"resistance\"\nresistance = 1e9\nvalue = 0\n", "\"value\"");
  refused("kind = \"outflow-split\"\nfraction = 0.5\n", "opening 3");
  refused("kind = \"valve\"\n", "windkessel");
  refused("kind = \"pressure\"\n", "value");
  refused("kind = \"pressure\"\nvalue = 0\nwaveform = \"no.csv\"\ninterpolation = \"cubic\"\n",
          "cubic");
  refused("kind = \"velocity\"\nmean = 0.01\nprofile = \"womersley\"\n", "periodic = true");
  refused("kind = \"velocity\"\nwaveform = \"a.csv\"\nperiod = 1\n", "periodic = true");
  refused("kind = \"velocity\"\nmean = 0.01\nprofile = \"round\"\n", "developed");
  const auto split = [&](const std::string& two, const std::string& three) {
    const std::string text = fluid + inlet + "[[opening]]\nid = 2\nkind = \"outflow-split\"\n" +
                             two + "[[opening]]\nid = 3\nkind = \"outflow-split\"\n" + three;
    return sentenceOfError(ExitCode::Usage, [&] { read(text, tiles); });
  };
  CHECK_THAT(split("fraction = 0.6\n", "fraction = 0.6\n"), Catch::Contains("1.2"));
  CHECK_THAT(split("fraction = 1.0\n", ""), Catch::Contains("fraction"));
  CHECK_THAT(split("fraction = 0.5\nprofile = \"womersley\"\n", ""), Catch::Contains("profile"));
}

TEST_CASE("Openings of a case: Womersley's profile is refused where an opening is not round",
          "[unit]") {
  const TilesFile tiles = openBox({8, 6, 24});
  SolverCase run = planeCase();
  run.lattice = LatticeId::D3Q19;
  run.equilibrium = EquilibriumId::QuasiCompressible;
  run.openings[0] =
      pulsating(periodicSeries(1.0, [](double s) { return 1e-3 * (1.0 + s * (1.0 - s)); }),
                Profile::Womersley);
  checkError(ExitCode::Usage, [&] { Simulation(tiles, prepare(tiles.geometry, run, "cpu")); },
             {"developed"});
}
