// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample, run as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fixtures/chain.hpp"

using tessera::chain::checkRefused;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {
void refused(const std::string& options, int code, const std::string& words) {
  const WorkFolder work;
  checkRefused(work, "tessera-sample " + options, code, words);
  CHECK(work.names().empty());
}
}  // namespace

TEST_CASE("tessera-sample: it makes the vessel and prints its figures", "[pipeline]") {
  const WorkFolder work;
  const std::string options = "aneurysm --edge 0.3mm --nodes 50000";
  const Outcome outcome = work.mustRun("tessera-sample " + options + " -o a.stl --report r.json");
  const auto report = work.json("r.json");
  CHECK(std::filesystem::file_size(work.path("a.stl")) ==
        84 + 50 * report.at("triangles").get<std::size_t>());
  CHECK(report.at("openings").size() == 3);
  const double spacing = report.at("spacing_m");
  CHECK(report.at("volume_m3").get<double>() / (spacing * spacing * spacing) ==
        Approx(50000).epsilon(1e-9));
  CHECK_THAT(outcome.output, Catch::Contains("next       tessera-preprocess a.stl --unit mm"));
  work.mustRun("tessera-sample " + options + " --threads 1 -o b.stl");
  work.mustRun("cmp a.stl b.stl");
}

TEST_CASE("tessera-sample: the next command of a pack of spheres runs, slivers at its sides or not",
          "[pipeline]") {
  const WorkFolder work;
  const Outcome made =
      work.mustRun("tessera-sample spheres --size 64,64,64 --diameter 16 --porosity 0.5 -o sp.stl");
  const std::size_t at = made.output.find("tessera-preprocess");
  REQUIRE(at != std::string::npos);
  const Outcome outcome = work.mustRun(made.output.substr(at, made.output.find('\n', at) - at));
  CHECK_THAT(outcome.errors, Catch::Contains("wall"));
  CHECK(std::filesystem::exists(work.path("sp.vdb")));
}

TEST_CASE("tessera-sample: a plan writes nothing", "[pipeline]") {
  const WorkFolder work;
  const Outcome outcome = work.mustRun("tessera-sample tube --plan");
  CHECK_THAT(outcome.output, Catch::Contains("volume     201.062 mm3"));
  CHECK(work.names().empty());
}

TEST_CASE("tessera-sample: every option of the vessel changes it", "[pipeline]") {
  const WorkFolder work;
  const auto made = [&](const std::string& option) {
    return work.mustRun("tessera-sample aneurysm --plan " + option).output;
  };
  const std::string usual = made("--edge 0.3mm");
  CHECK(made("--edge 0.31mm") != usual);
  CHECK(made("--triangles 20000") != usual);
  for (const char* option :
       {"--parent-diameter 3mm", "--branch1-diameter 2.5mm", "--branch2-diameter 2.4mm",
        "--parent-length 14mm", "--branch1-length 14mm", "--branch2-length 13mm",
        "--branch1-angle 70", "--branch2-angle 70", "--sac-diameter 6mm", "--sac-height 7mm",
        "--neck-diameter 4mm", "--bleb-diameter 0"}) {
    INFO(option);
    CHECK(made("--edge 0.3mm " + std::string(option)) != usual);
  }
}

TEST_CASE("tessera-sample: images come as RAW and PGM", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample spheres --size 30,20,25 --diameter 8 --porosity 0.6 -o s.raw");
  CHECK(std::filesystem::file_size(work.path("s.raw")) == 30 * 20 * 25);
  work.mustRun("tessera-sample box --size 4,5,6 -o b.raw");
  CHECK(std::filesystem::file_size(work.path("b.raw")) == 4 * 5 * 6);
  work.mustRun("tessera-sample channel2d --size 8,6 -o c.pgm");
  CHECK(std::filesystem::file_size(work.path("c.pgm")) == 9 + 8 * 6);
  work.mustRun("tessera-sample box2d --size 7,5 -o d.pgm");
  CHECK(std::filesystem::file_size(work.path("d.pgm")) == 9 + 7 * 5);
}

TEST_CASE("tessera-sample: a pack with free ends has one opening before it and one behind",
          "[pipeline]") {
  const WorkFolder work;
  const std::string pack =
      "tessera-sample spheres --size 40,40,40 --diameter 12 --porosity 0.75 --no-overlap "
      "--free-ends 8 -o pack";
  work.mustRun(pack + ".raw");
  work.mustRun(
      "tessera-preprocess pack.raw --voxel 10um --dims 56,40,40 --type u8 --pore 0 --periodic yz "
      "--faces x-,x+ -o raw.vdb --report raw.json");
  work.mustRun(pack + ".stl");
  work.mustRun(
      "tessera-preprocess pack.stl --unit mm --spacing 10um --keep all --periodic yz --faces x-,x+ "
      "-o stl.vdb --report stl.json");
  const auto voxels = work.json("raw.json"), surface = work.json("stl.json");
  for (const auto& report : {voxels, surface}) {
    REQUIRE(report.at("openings").size() == 2);
    for (const auto& opening : report.at("openings"))
      CHECK(opening.at("area_m2").get<double>() == Approx(1.6e-7).epsilon(1e-3));  // 40 x 40 voxels
  }
  CHECK(surface.at("fluid_nodes").get<double>() ==
        Approx(voxels.at("fluid_nodes").get<double>()).epsilon(0.01));
}

TEST_CASE("tessera-sample: the list of kinds names every kind, and each has its help",
          "[pipeline]") {
  const WorkFolder work;
  const std::string all = work.mustRun("tessera-sample --help").output;
  for (const std::string kind :
       {"aneurysm", "aorta", "tube", "bent-tube", "channel", "expansion", "box", "spheres",
        "lattice", "spherebed", "riverbed", "channel2d", "box2d", "network2d"}) {
    CHECK_THAT(all, Catch::Contains("\n  " + kind + " "));
    CHECK_THAT(work.mustRun("tessera-sample " + kind + " --help").output,
               Catch::Contains("Examples:\n  tessera-sample " + kind));
  }
}

TEST_CASE("tessera-sample: every kind writes the same bytes on one thread and on two",
          "[pipeline]") {
  const WorkFolder work;
  for (const std::string kind :
       {"aorta --edge 1.3mm -o K.stl", "bent-tube -o K.stl", "expansion -o K.stl",
        "expansion -o K.pgm", "spheres --size 40,40,40 --diameter 15 -o K.raw",
        "spheres --size 40,40,40 --diameter 15 -o K.stl", "lattice --lattice fcc -o K.stl",
        "lattice -o K.raw", "spherebed --size 40,40,40 --diameter 9 -o K.raw",
        "riverbed --size 40,40,60 --diameter 9 -o K.raw",
        "network2d --keep 0.6 --spread 0.3 -o K.pgm"}) {
    INFO(kind);
    std::string two = kind;
    two.replace(two.find("K."), 2, "two.");
    std::string one = kind;
    one.replace(one.find("K."), 2, "one.");
    work.mustRun("tessera-sample " + two + " --threads 2");
    work.mustRun("tessera-sample " + one + " --threads 1");
    work.mustRun("cmp one." + kind.substr(kind.size() - 3) + " two." +
                 kind.substr(kind.size() - 3));
  }
}

TEST_CASE("tessera-sample: every option of other kinds changes the result", "[pipeline]") {
  const WorkFolder work;
  const auto made = [&](const std::string& options) {
    work.mustRun("tessera-sample " + options);
    return tessera::chain::readWhole(work.path("o" + options.substr(options.rfind('.'))));
  };
  const auto changes = [&](const std::string& kind, const std::string& output,
                           const std::vector<std::string>& options) {
    const std::string usual = made(kind + " -o " + output);
    for (const std::string& option : options) {
      INFO(kind << " " << option);
      CHECK(made(kind + " " + option + " -o " + output) != usual);
    }
  };
  changes("aorta --edge 1.3mm", "o.stl",
          {"--coarctation 20", "--coarctation-length 30mm", "--ascending-diameter 32mm",
           "--descending-diameter 24mm", "--ascending-length 50mm", "--descending-length 120mm",
           "--arch-radius 38mm", "--brachiocephalic-diameter 12mm", "--carotid-diameter 8.5mm",
           "--subclavian-diameter 10mm", "--branch-length 45mm"});
  changes("bent-tube", "o.stl",
          {"--diameter 3mm", "--bend-radius 9mm", "--angle 45", "--inlet-length 4mm",
           "--outlet-length 4mm", "--segments 12", "--closed"});
  changes("expansion", "o.stl",
          {"--diameter 3mm", "--ratio 3", "--inlet-length 4mm", "--outlet-length 4mm",
           "--direction 1,1,0", "--segments 12", "--closed"});
  changes("expansion", "o.pgm", {"--ratio 2", "--size 300,62", "--step 90", "--one-sided"});
  changes("spheres --size 40,40,40 --diameter 12 --porosity 0.7", "o.raw",
          {"--seed 2", "--bounded", "--no-overlap", "--free-ends 20"});
  changes("spheres --size 40,40,40 --diameter 12 --porosity 0.7", "o.stl",
          {"--edge 2", "--voxel 20um"});
  changes("lattice", "o.raw",
          {"--lattice bcc", "--solid 0.1", "--radius 0.3", "--cells 2,1,1", "--nodes 16"});
  changes("lattice", "o.stl", {"--side 2mm", "--edge 1"});
  changes("spherebed --size 36,36,36 --diameter 9", "o.raw", {"--porosity 0.4", "--seed 2"});
  changes("riverbed --size 36,36,72 --diameter 9", "o.raw",
          {"--porosity 0.4", "--seed 2", "--bed 0.7"});
  changes("network2d", "o.pgm",
          {"--cells 6,8", "--cell 30", "--width 8", "--spread 0.3", "--jitter 0.2", "--keep 0.6"});
  changes("network2d --keep 0.6", "o.pgm", {"--seed 2"});
}

TEST_CASE("tessera-sample: impossible samples are refused in one sentence", "[pipeline]") {
  refused("", 2, "kind");
  refused("vessel -o v.stl", 2, "\"vessel\"");
  refused("tube", 2, "-o FILE");
  refused("tube --diamter 3mm -o t.stl", 2, "--diameter");
  refused("tube --diameter 0mm -o t.stl", 2, "--diameter");
  refused("tube --length 3s -o t.stl", 2, "3s");
  refused("tube --segments 2 -o t.stl", 2, "--segments");
  refused("tube --direction 0,0,0 -o t.stl", 2, "--direction");
  refused("tube --direction nan,1,0 -o t.stl", 2, "--direction");
  refused("tube --direction 1,2 -o t.stl", 2, "--direction");
  refused("tube -o t.raw", 2, ".stl");
  refused("tube -o nowhere/t.stl", 4, "nowhere/t.stl");
  refused("box --size 3,4,5 -o b.stl", 2, "--size");
  refused("box --size 3,4,x -o b.raw", 2, "--size");
  refused("aorta --coarctation 99 -o a.stl", 2, "--coarctation");
  refused("aorta -o a.raw", 2, ".stl");
  refused("bent-tube --angle 200 -o b.stl", 2, "--angle");
  refused("expansion --step 10 -o e.stl", 2, "--step");
  refused("expansion --diameter 3mm -o e.pgm", 2, "--diameter");
  refused("expansion -o e.raw", 2, ".stl or .pgm");
  refused("lattice --solid 0.2 --radius 0.3 -o l.raw", 2, "exclude");
  refused("lattice --lattice hcp -o l.raw", 2, "fcc");
  refused("lattice --side 1mm -o l.raw", 2, "--side");
  refused("spheres --no-overlap --porosity 0.5 -o s.raw", 2, "--no-overlap");
  refused("spheres --box 1,1,2 -o s.raw", 2, "--centres");
  refused("spheres --free-ends 3 -o s.raw", 2, "--free-ends");
  refused("spheres --centres none.txt -o s.raw", 3, "none.txt");
  refused("spheres --centres none.txt --seed 3 -o s.raw", 2, "--seed");
  refused("spherebed --size 20,60,60 --diameter 9 -o s.raw", 2, "--diameter");
  refused("riverbed --bed 2 -o s.raw", 2, "--bed");
  refused("network2d --width 30 -o n.pgm", 2, "--width");
  refused("network2d -o n.stl", 2, ".pgm");
  refused("spheres --porosity 2 -o s.raw", 2, "--porosity");
  refused("spheres --diameter 500 -o s.raw", 2, "--diameter");
  refused("aneurysm --parent-length 3mm -o a.stl", 2, "--parent-length");
  refused("aneurysm --neck-diameter 9mm -o a.stl", 2, "--neck-diameter");
  refused("aneurysm --branch1-angle 180 -o a.stl", 2, "--branch1-angle");
  refused("aneurysm --triangles 10 -o a.stl", 2, "--triangles");
  refused("aneurysm --triangles 20000 --edge 0.2mm -o a.stl", 2, "exclude");
}
