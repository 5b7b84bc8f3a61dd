// SPDX-License-Identifier: GPL-3.0-or-later
// Values in another unit than meant are asked about; signs of flow rates; all that a case lacks is
// named at once.
#include <catch2/catch.hpp>

#include "solver/case/time_step.hpp"
#include "solver/case/unit_slips.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::solver::cases;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

using Catch::Matchers::Contains;

const std::string blood = "[fluid]\ndensity = 1060\nviscosity = 3.5e-3\n";
const std::string outlet = "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n";

std::string inlet(const std::string& keys) {
  return "[[opening]]\nid = 1\n" + keys;
}

SolverCase read(const std::string& text, const std::string& name = "case.toml") {
  static const TilesFile tiles = openBox({24, 16, 16}, 2e-4);  // 3.2 mm wide
  return readSolverCase(CaseFile::parse(text, name), tiles.geometry);
}

std::string questionsOf(const std::string& text) {
  std::string all;
  for (const std::string& question : read(text).unitQuestions) all += question + "\n";
  return all;
}

std::string refusal(const std::string& text) {
  return sentenceOfError(ExitCode::Usage, [&] { read(text); });
}

std::size_t countOf(const std::string& word, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("Units: a bare velocity or flow rate of an impossible Reynolds number is asked about",
          "[unit]") {
  const std::string cm =
      questionsOf(blood + inlet("kind = \"velocity\"\nmean = \"22\"\n") + outlet);
  CHECK_THAT(cm, Contains("case.toml:7: mean = 22 is 22 m/s") && Contains("mean = \"22 cm/s\""));
  CHECK_THAT(questionsOf(blood + inlet("kind = \"velocity\"\nmean = 120.0\n") + outlet),
             Contains("mean = \"120 cm/s\""));
  CHECK_THAT(questionsOf(blood + inlet("kind = \"flow-rate\"\nvalue = 4\n") + outlet),
             Contains("value = \"4 ml/s\""));
  for (const char* fine :
       {"kind = \"velocity\"\nmean = \"22 cm/s\"\n", "kind = \"velocity\"\nmean = \"2200 cm/s\"\n",
        "kind = \"velocity\"\nmean = 0.22\n", "kind = \"flow-rate\"\nvalue = 4e-6\n"}) {
    INFO(fine);
    CHECK(questionsOf(blood + inlet(fine) + outlet).empty());
  }
  // With its unit: where no eddy viscosity says that such a flow is meant.
  const std::string meant = inlet("kind = \"velocity\"\nmean = \"22 m/s\"\n") + outlet;
  CHECK_THAT(
      questionsOf(blood + meant),
      Contains("case.toml:7: mean = \"22 m/s\" is a Reynolds number of 24000; is that meant?") &&
          Contains("mean = \"22 cm/s\" gives 240"));
  CHECK(questionsOf(blood + "[solver]\nsmagorinsky = 0.1\n" + meant).empty());
}

TEST_CASE("Units: a slip is named before what it does to the time step", "[unit]") {
  const TilesFile tiles = openBox({24, 16, 16}, 2e-4);
  const SolverCase run = read(blood + inlet("kind = \"velocity\"\nmean = \"2200\"\n") + outlet);
  const std::string sentence =
      sentenceOfError(ExitCode::Usage, [&] { (void)latticeRun(run, tiles.geometry); });
  CHECK_THAT(sentence, Catch::Matchers::StartsWith("case.toml:7: mean = 2200 is 2200 m/s"));
  CHECK_THAT(sentence, Contains("as it stands, ") && Contains("tau"));
}

TEST_CASE("Units: viscosities and densities of the other kind are recognised", "[unit]") {
  const std::string flow = inlet("kind = \"velocity\"\nmean = \"10 cm/s\"\n") + outlet;
  const auto fluid = [&](const std::string& density, const std::string& viscosity) {
    return "[fluid]\ndensity = " + density + "\nviscosity = " + viscosity + "\n" + flow;
  };
  CHECK_THAT(refusal(fluid("1060", "3.3e-6")),
             Contains("case.toml:3") && Contains("viscosity = \"3.3e-06 m2/s\""));
  CHECK(questionsOf(fluid("1060", "\"3.3e-6 Pa.s\"")).empty());  // meant
  CHECK_THAT(questionsOf(fluid("1060", "\"3.5e-3 m2/s\"")), Contains("\"0.0035 Pa.s\" meant"));
  CHECK_THAT(questionsOf(fluid("1060", "3.5")), Contains("\"3.5 mPa.s\" meant"));
  CHECK_THAT(questionsOf(fluid("1.06", "3.5e-3")), Contains("\"1.06 g/cm3\" meant"));
  CHECK(questionsOf(fluid("1060", "3.5e-3")).empty());
  CHECK(questionsOf(fluid("1.2", "1.8e-5")).empty());       // air
  CHECK(questionsOf(fluid("1", "\"0.01 m2/s\"")).empty());  // without dimensions
}

TEST_CASE("Units: bare blood pressures, resistances and compliances are asked about", "[unit]") {
  const auto pressures = [&](const std::string& one, const std::string& two) {
    return questionsOf(blood + inlet("kind = \"pressure\"\nvalue = " + one + "\n") +
                       "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = " + two + "\n");
  };
  CHECK_THAT(pressures("120", "80"), Contains("value = \"120 mmHg\""));
  CHECK(pressures("120", "0").empty());  // gauge
  CHECK(pressures("\"120 Pa\"", "80").empty());
  const auto outletOf = [&](const std::string& keys) {
    return questionsOf(blood + inlet("kind = \"velocity\"\nmean = 0.1\n") +
                       "[[opening]]\nid = 2\n" + keys);
  };
  CHECK_THAT(outletOf("kind = \"resistance\"\nresistance = 1500\n"),
             Contains("\"1500 dyn.s/cm5\""));
  CHECK(outletOf("kind = \"resistance\"\nresistance = \"1500 dyn.s/cm5\"\n").empty());
  CHECK_THAT(outletOf("kind = \"windkessel\"\nresistance_proximal = 1e9\ncompliance = 1.2\n"
                      "resistance_distal = 1e9\n"),
             Contains("\"1.2 ml/mmHg\""));
}

TEST_CASE("Units: kinematic viscosities are known by any of their units", "[unit]") {
  const std::string flow = inlet("kind = \"velocity\"\nmean = \"10 cm/s\"\n") + outlet;
  for (const char* viscosity : {"3.3e-6 m2/s", "3.3e-6 m^2/s", "3.3 mm2/s", "3.3 cSt", "0.033 St",
                                "0.033 cm2/s", "3.498 cP", "0.03498 Poise", "0.03498 dyn s/cm2"}) {
    INFO(viscosity);
    CHECK(read("[fluid]\ndensity = 1060\nviscosity = \"" + std::string(viscosity) + "\"\n" + flow)
              .kinematicViscosity == Approx(3.3e-6));
  }
}

TEST_CASE("Signs: a negative mean is refused, and direction = \"out\" prescribes an outflow",
          "[unit]") {
  const auto meanOf = [&](const std::string& keys) {
    return solver::boundary::prescriptionOf(read(blood + inlet(keys) + outlet).openings[0]).mean;
  };
  const auto refused = [&](const std::string& keys) {
    return refusal(blood + inlet(keys) + outlet);
  };
  CHECK_THAT(refused("kind = \"velocity\"\nmean = -0.1\n"),
             Contains("case.toml:7") && Contains("direction = \"out\""));
  CHECK_THAT(refused("kind = \"flow-rate\"\nvalue = \"-3 ml/s\"\n"), Contains("value is negative"));
  CHECK_THAT(refused("kind = \"velocity\"\nmean = -0.1\ndirection = \"out\"\n"),
             Contains("into the fluid"));
  CHECK(meanOf("kind = \"velocity\"\nmean = 0.1\n") == 0.1);
  CHECK(meanOf("kind = \"velocity\"\nmean = 0.1\ndirection = \"in\"\n") == 0.1);
  CHECK(meanOf("kind = \"velocity\"\nmean = 0.1\ndirection = \"out\"\n") == -0.1);
  CHECK(meanOf("kind = \"velocity\"\nmean = 0\n") == 0.0);
}

TEST_CASE("Signs: a waveform may turn back, but flows in on average", "[unit]") {
  const TemporaryFolder folder;
  const auto read3 = [&](const std::string& values, const std::string& keys) {
    writeWhole(folder / "wave.csv", "time[s],velocity[m/s]\n" + values);
    return read(blood + inlet("kind = \"velocity\"\nwaveform = \"wave.csv\"\n" + keys) + outlet,
                (folder / "case.toml").string());
  };
  const std::string back = "0,0.1\n0.2,0.3\n0.4,-0.1\n0.6,0.1\n";
  const std::string out = "0,-0.1\n0.2,-0.3\n0.4,0.1\n0.6,-0.1\n";
  const auto mean = [](const SolverCase& run) {
    return solver::boundary::prescriptionOf(run.openings[0]).mean;
  };
  CHECK(mean(read3(back, "")) == Approx(0.3));
  CHECK(mean(read3(back, "direction = \"out\"\n")) == Approx(-0.3));
  const std::string sentence = sentenceOfError(ExitCode::Usage, [&] { read3(out, ""); });
  CHECK_THAT(sentence, Contains("waveform has a negative mean") && Contains("direction"));
}

TEST_CASE("Missing keys: all are named at once", "[unit]") {
  const std::string all =
      refusal("[fluid]\n[[opening]]\nkind = \"pressure\"\nvalue = 0\n[[opening]]\nid = 2\n");
  for (const char* part : {"density", "viscosity", "needs id or name", "needs kind", "opening 1"}) {
    INFO(part);
    CHECK_THAT(all, Contains(part));
  }
  const std::string windkessel = refusal(blood + inlet("kind = \"velocity\"\n") +
                                         "[[opening]]\nid = 2\nkind = \"windkessel\"\n");
  for (const char* part : {"case.toml:4: a velocity opening needs mean", "resistance_proximal",
                           "compliance", "resistance_distal"})
    CHECK_THAT(windkessel, Contains(part));
  CHECK(countOf("needs mean", windkessel) == 1);
  CHECK_THAT(refusal(blood), Contains("opening 1") && Contains("2 (opening2) have no conditions"));
  // A misspelt key is not a missing one.
  CHECK_THAT(refusal(blood + inlet("kind = \"velocity\"\nmaen = 0.1\n") + outlet),
             Contains("unknown key \"maen\"") && Contains("mean"));
}
