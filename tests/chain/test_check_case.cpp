// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-solver --check: a case is read and said without tiles, or for those that are given.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/fixtures/chain.hpp"

using Catch::Contains;
using tessera::chain::checkRefused;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

const std::string fluid = "[fluid]\nfluid = \"water\"\n";
const std::string outlet = "[[opening]]\nname = \"out\"\nkind = \"pressure\"\nvalue = \"2 mmHg\"\n";

std::string opening(const std::string& which, const std::string& lines) {
  return "[[opening]]\n" + which + "\n" + lines + "\n";
}

}  // namespace

TEST_CASE("Check of a case: every case of the project is valid", "[pipeline]") {
  const WorkFolder work;
  int found = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(TESSERA_SOURCE "/pipelines/cases")) {
    if (entry.path().extension() != ".toml") continue;
    INFO(entry.path().string());
    const Outcome outcome =
        work.run("tessera-solver --check --case '" + entry.path().string() + "'");
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.output, Contains("fluid        ") && Contains("check        valid"));
    ++found;
  }
  CHECK(found >= 8);
  CHECK(work.names().empty());
}

TEST_CASE("Check of a case: it says what it understood", "[pipeline]") {
  const WorkFolder work;
  work.write("in.csv", "time[s],velocity[m/s]\n0,0.1\n0.4,0.3\n0.8,0.1\n");
  work.write(
      "case.toml",
      fluid + "[solver]\ntau = 0.8\n" +
          opening("id = 7", "kind = \"velocity\"\nwaveform = \"in.csv\"\nperiodic = true") +
          opening("id = 2", "kind = \"flow-rate\"\nvalue = \"3 ml/s\"\ndirection = \"out\"") +
          outlet +
          "[[wall]]\nname = \"lid\"\nkind = \"moving\"\nvelocity = [\"2 cm/s\", 0, 0]\n"
          "[time]\ncycles = 3\n");
  const Outcome outcome = work.mustRun("tessera-solver --check --case case.toml");
  CHECK_THAT(outcome.output,
             Contains("998.2 kg/m3") && Contains("tau 0.8") && Contains("opening 7    velocity") &&
                 Contains("at most 300 mm/s") && Contains("period 800 ms") && Contains("-3 ml/s") &&
                 Contains("out: pressure, 266.6 Pa") && Contains("lid: moving, 20 mm/s") &&
                 Contains("at most 3 cycles") && Contains("in.csv is read"));
}

TEST_CASE("Check of a case: profiles that follow from nodes are read without them", "[pipeline]") {
  const WorkFolder work;
  work.write("plane.csv", "x[m],y[m],z[m],normal[m/s]\n0,0,0,0.1\n0,1e-3,0,0.2\n0,0,1e-3,0.1\n");
  work.write(
      "case.toml",
      fluid +
          opening("name = \"in\"",
                  "kind = \"velocity\"\nprofile = \"formula\"\nformula = \"0.2*(1 - r^4)\"") +
          opening("name = \"face4\"",
                  "kind = \"velocity\"\nprofile = \"table\"\ntable = \"plane.csv\"") +
          outlet +
          "[initial]\nu = \"0.1*sin(2*pi*x/Lx)\"\n[reference]\npressure_at = \"1 mm, 0, 0\"\n");
  work.mustRun("tessera-solver --check --case case.toml");
  work.write("flat.toml",
             fluid + "[solver]\nlattice = \"D2Q9\"\npressure_difference = [\"1 Pa\", 0, 0]\n");
  CHECK_THAT(work.mustRun("tessera-solver --check --case flat.toml").output, Contains("D2Q9"));
}

TEST_CASE("Check of a case: all mistakes of all stages are said at once", "[pipeline]") {
  const WorkFolder work;
  work.write("case.toml", "[preprocess]\nunit = \"inch\"\nspacing = 0\nlongset = 40\n" + fluid +
                              "colour = 1\n" + outlet + "[reference]\npressure_at = \"1,2\"\n");
  const Outcome outcome = work.run("tessera-solver --check --case case.toml");
  CHECK(outcome.code == 2);
  for (const char* part : {"case.toml has 5 mistakes:\n", "\n  case.toml:2: ", "\n  case.toml:3: ",
                           "\n  case.toml:4: ", "\n  case.toml:7: ", "\n  case.toml:13: "})
    CHECK_THAT(outcome.errors, Contains(part));
  work.write("x.stl", "");
  const Outcome other = work.run("tessera-preprocess --case case.toml x.stl -o x.vdb");
  CHECK(other.code == 2);
  CHECK_THAT(other.errors, Contains("case.toml has 3 mistakes:\n"));
}

TEST_CASE("Check of a case: faults are refused with file and line", "[pipeline]") {
  const WorkFolder work;
  const auto refused = [&](const std::string& text, int code, const std::string& words) {
    work.write("case.toml", text);
    checkRefused(work, "tessera-solver --check --case case.toml", code, words);
  };
  refused(fluid + "densty = 3\n" + outlet, 2, "case.toml:3");
  refused(fluid + opening("id = 1", "kind = \"velocity\"\nmean = \"3 kg\"") + outlet, 2,
          "case.toml:6");
  refused(fluid + opening("id = 1", "kind = \"velocity\"\nmean = \"3 m/s\""), 2, "pressure");
  refused(fluid + outlet + outlet, 2, "already");
  refused(fluid + "[solver]\ncollision = \"cumulant\"\nlattice = \"D3Q19\"\n" + outlet, 2,
          "not built");
  refused(fluid + opening("id = 1", "kind = \"velocity\"\nwaveform = \"no.csv\"") + outlet, 3,
          "no.csv");
  refused(fluid + "[time]\ncycles = 3\n" + outlet, 2, "period");
  refused("[preprocess]\nunit = \"mm\"\nacros = 20\n" + fluid + outlet, 2, "case.toml:3");
  refused("[preprocess]\nunit = \"inch\"\n" + fluid + outlet, 2, "expected one of");
  refused("[preprocess]\ndims = \"1,2\"\n" + fluid + outlet, 2, "case.toml:2");
  work.write("case.toml", "[preprocess]\nunit = \"mm\"\nacross = \"in=20\"\nopen = [3]\n" + fluid +
                              outlet + "[[probe]]\nat = [0, 0, 0]\n");
  CHECK_THAT(work.mustRun("tessera-solver --check --case case.toml").output,
             Contains("monitor      1 probe"));
  work.write("case.toml", fluid + outlet);
  checkRefused(work, "tessera-solver --check --case case.toml -o run.fields", 2, "--check");
  checkRefused(work, "tessera-solver --check", 2, "--case");
  checkRefused(work, "tessera-solver --case case.toml --plan", 2, "an input");
}

TEST_CASE("Check of a case: a precision of moments alone chooses them", "[pipeline]") {
  const WorkFolder work;
  const auto check = [&](const std::string& solver) {
    work.write("case.toml", "[solver]\nprecision = \"m32/16\"\n" + solver + fluid + outlet);
    return work.run("tessera-solver --check --case case.toml");
  };
  CHECK(check("").code == 0);
  const auto refused = check("state = \"populations\"\n");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.errors, Contains("m32/16") && Contains("tile-moments"));
  const auto trt = check("collision = \"trt\"\n");
  CHECK(trt.code == 2);
  CHECK_THAT(trt.errors, Contains("another precision") && !Contains("--state populations"));
}

TEST_CASE("Check of a case: with tiles openings must be theirs; cases to start from are valid",
          "[pipeline]") {
  const WorkFolder work;
  work.mustRun(
      "tessera-sample tube --quiet --diameter '4 mm' --length '8 mm' -o t.stl && "
      "tessera-preprocess "
      "--quiet --unit mm --across 8 t.stl -o t.vdb && tessera-tiler --quiet t.vdb -o t.tiles");
  work.write("case.toml", fluid + outlet);
  CHECK(work.run("tessera-solver --check --case case.toml").code == 0);
  CHECK(work.run("tessera-solver t.tiles --check --case case.toml").code == 2);
  work.mustRun(
      "tessera-info t.tiles --case > steady.toml && tessera-info t.vdb --case > same.toml");
  CHECK_THAT(tessera::chain::readWhole(work.path("steady.toml")),
             Contains("kind = \"velocity\"") && Contains("radius 2 mm"));
  work.mustRun("tessera-info t.tiles --case --recipe pulsatile --waveform in.csv > pulse.toml");
  for (const char* name : {"steady", "same", "pulse"}) {
    const std::string run = std::string(" --case ") + name + ".toml";
    work.mustRun("tessera-solver t.tiles --check" + run);
    work.mustRun("tessera-solver t.tiles --quiet --backend cpu --steps 10 -o run.fields" + run);
  }
}

TEST_CASE("Check of a case: cases to start from of a rock, a box and a picture run", "[pipeline]") {
  const WorkFolder work;
  const auto startOf = [&](const std::string& name, const std::string& options,
                           const std::string& words) {
    work.mustRun("tessera-preprocess --quiet " + options + " -o g.vdb && tessera-tiler --quiet " +
                 "g.vdb -o g.tiles && tessera-info g.tiles --case > " + name + ".toml");
    CHECK_THAT(tessera::chain::readWhole(work.path(name + ".toml")), Contains(words));
    const std::string run = " --case " + name + ".toml";
    work.mustRun("tessera-solver --check" + run);
    work.mustRun("tessera-solver g.tiles --quiet --backend cpu --steps 10 -o run.fields" + run);
  };
  work.mustRun("tessera-sample lattice --quiet --solid 0.3 --nodes 16 -o s.raw");
  const std::string rock = "--voxel 62.5um --dims 16,16,16 --type u8 --pore 0 s.raw ";
  startOf("rock", rock + "--faces x-,x+", "tau = 1.0");
  startOf("periodic", rock + "--periodic xyz", "body_force");
  work.mustRun(
      "tessera-sample channel2d --quiet -o c.pgm && tessera-sample box2d --quiet -o b.pgm");
  startOf("channel", "--voxel 10um --pore 0 --faces x-,x+ c.pgm", "kind = \"velocity\"");
  startOf("cavity", "--voxel 10um --pore 0 --wall y+=lid b.pgm", "kind = \"moving\"");
}
