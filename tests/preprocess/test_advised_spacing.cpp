// SPDX-License-Identifier: GPL-3.0-or-later
// Spacings that messages of preprocess and of the solver propose, followed to the letter.
#include <catch2/catch.hpp>
#include <regex>

#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera;
using namespace tessera::test;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

// First text that the pattern's group matches.
std::string foundIn(const std::string& text, const std::string& pattern) {
  std::smatch match;
  INFO(text << "\nhas no " << pattern);
  REQUIRE(std::regex_search(text, match, std::regex(pattern)));
  return match[1];
}

std::string spacingIn(const std::string& text) {
  return foundIn(text, "(--spacing [0-9.e+-]+m?m)\\b");
}

// Water through the tube at a mean of 0.1 m/s.
Outcome solve(const WorkFolder& work, const std::string& spacing, const std::string& scale) {
  work.mustRun("tessera-preprocess --quiet --unit mm tube.stl -o g.vdb " + spacing +
               " && tessera-tiler --quiet g.vdb -o g.tiles");
  work.write(
      "case.toml",
      "[fluid]\ndensity = 1000\nviscosity = \"1e-6 m2/s\"\n[solver]\nlattice_velocity = " + scale +
          "\nprecision = \"f64\"\n[[opening]]\nid = 1\nkind = \"velocity\"\nprofile = "
          "\"parabolic\"\nmean = 0.1\n[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n"
          "[stop]\nsteps = 2\n");
  return work.run("tessera-solver --quiet --backend cpu --case case.toml g.tiles -o r.fields");
}

}  // namespace

TEST_CASE("Advised spacings: those of the solver work as printed", "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true));
  const Outcome refused = solve(work, "--spacing 0.4mm", "0.01");
  CHECK(refused.code == 2);
  const std::string finer = spacingIn(refused.errors);
  const std::string scale = foundIn(refused.errors, "lattice_velocity = ([0-9.]+) work");
  const Outcome works = solve(work, finer, scale);
  INFO(refused.errors << finer << "\n" << works.errors);
  CHECK(works.code == 0);
  CHECK_THAT(works.errors, !Catch::Contains("close to 1/2"));

  const Outcome coarse = solve(work, "--spacing 0.7mm", "0.1");
  CHECK_THAT(coarse.errors, Catch::Contains("nodes across"));
  const std::string resolved = spacingIn(foundIn(coarse.errors, "(is only[^;]*;[^;\n]*)"));
  const Outcome fine = solve(work, resolved, "0.1");
  INFO(resolved << "\n" << fine.errors);
  CHECK(fine.code == 0);
  CHECK_THAT(fine.errors, !Catch::Contains("nodes across"));
}

TEST_CASE("Advised spacings: preprocess, solver and postprocess propose the same", "[pipeline]") {
  const WorkFolder work;
  // A neck of 8 mm in a vessel of 24 mm, and a vessel of 4 mm alone.
  const bool narrow = GENERATE(true, false);
  put(work, "tube.stl",
      narrow ? neckedTube({0, 0, 1}, 4.0) : tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true));
  const std::string coarse = narrow ? "--spacing 1.5mm" : "--spacing 0.7mm";
  const Outcome lattice = work.mustRun("tessera-preprocess --unit mm tube.stl -o g.vdb " + coarse +
                                       " && tessera-tiler --quiet g.vdb -o g.tiles");
  const std::string proposed = spacingIn(foundIn(lattice.errors, "(nodes? (wide|across)[^\n]*)"));
  work.write("case.toml",
             "[fluid]\ndensity = 1000\nviscosity = \"1e-3 m2/s\"\n[solver]\nlattice_velocity = "
             "0.01\nprecision = \"f64\"\n[[opening]]\nid = 1\nkind = \"velocity\"\nprofile = "
             "\"parabolic\"\nmean = 0.1\n[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n"
             "[stop]\nsteps = 2\n");
  const Outcome run =
      work.mustRun("tessera-solver --backend cpu --case case.toml g.tiles -o r.fields");
  const Outcome results = work.mustRun("tessera-postprocess --no-pictures r.fields -o out");
  INFO(lattice.errors << run.errors << results.errors);
  CHECK(spacingIn(foundIn(run.errors, "(is only[^\n]*)")) == proposed);
  CHECK(spacingIn(foundIn(results.errors, "(is only[^\n]*)")) == proposed);
  const Outcome finer = work.mustRun("tessera-preprocess --unit mm tube.stl -o g.vdb " + proposed +
                                     " && tessera-tiler --quiet g.vdb -o g.tiles");
  const Outcome again = work.mustRun(
      "tessera-solver --backend cpu --case case.toml g.tiles -o r.fields && "
      "tessera-postprocess --no-pictures r.fields -o out");
  for (const std::string& text : {finer.errors, again.errors})
    CHECK_THAT(text, !Catch::Contains("--spacing"));
}

TEST_CASE("Advised spacings: those for a plane lattice do not divide its one node on z",
          "[pipeline]") {
  const WorkFolder work;
  std::string image = "P2 20 7 1\n";
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 20; ++x) image += y == 0 || y == 6 ? "1 " : "0 ";
  work.write("channel.pgm", image);
  work.write("case.toml",
             "[fluid]\ndensity = 1000\nviscosity = \"1e-6 m2/s\"\n[solver]\nlattice = "
             "\"D2Q9\"\ntau = 0.8\nprecision = \"f64\"\n[[opening]]\nid = 1\nkind = "
             "\"velocity\"\nprofile = \"parabolic\"\nmean = 1e-5\n[[opening]]\nid = 2\nkind = "
             "\"pressure\"\nvalue = 0\n[stop]\nsteps = 2\n");
  const auto advice = [&](const std::string& options) {
    const Outcome run = work.mustRun(
        "tessera-preprocess --quiet --voxel 1mm --pore 0 --faces x-,x+ channel.pgm -o g.vdb " +
        options +
        " && tessera-tiler --quiet g.vdb -o g.tiles && tessera-solver --quiet --backend cpu "
        "--case case.toml g.tiles -o r.fields");
    return run.errors;
  };
  CHECK_THAT(advice(""), Catch::Contains("--spacing 0.625mm gives 8"));  // 5 nodes across
  CHECK_THAT(advice("--spacing 0.625mm"), !Catch::Contains("nodes across"));
}

TEST_CASE("Advised spacings: those of preprocess resolve what they name", "[pipeline]") {
  const WorkFolder work;
  // A branch that is too fine, and the vessel itself.
  put(work, "vessel.stl",
      joined(tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true),
             tubeMesh({0.5, 0.03, 6.1}, {6.05, 0.03, 6.1}, 0.3, 24, true)));
  const std::string command = "tessera-preprocess --unit mm vessel.stl -o g.vdb --report r.json ";
  const std::string branch = spacingIn(
      foundIn(work.mustRun(command + "--spacing 0.4mm").errors, "(nodes across, so [^\n]*)"));
  const Outcome open = work.mustRun(command + branch);
  CHECK(work.json("r.json").at("openings").size() == 3);
  const std::string channel = spacingIn(foundIn(open.errors, "(at its narrowest[^\n]*)"));
  work.mustRun(command + channel);
  CHECK(work.json("r.json").at("thinnest_channel").at("nodes").get<int>() >= 7);  // about 8
  // A spacing that divides the period.
  work.mustRun(
      "tessera-sample spheres --quiet --size 32,32,32 --diameter 16 --porosity 0.6 "
      "--voxel 1mm -o pores.stl");
  const std::string pores =
      "tessera-preprocess --unit mm pores.stl --periodic yz --faces x-,x+ -o g.vdb --report "
      "r.json ";
  const std::string fraction = spacingIn(foundIn(work.mustRun(pores + "--spacing 4mm").errors,
                                                 "(at its narrowest[^\n]* gives [0-9.]+ nodes)"));
  work.mustRun(pores + fraction);
  const double spacing = work.json("r.json").at("spacing_m");
  CHECK(4e-3 / spacing == Approx(std::round(4e-3 / spacing)).epsilon(1e-9));
  CHECK(spacing < 4e-3);
}
