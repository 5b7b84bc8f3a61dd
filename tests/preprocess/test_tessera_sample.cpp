// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-sample, run as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/chain/chain.hpp"

using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {
void refused(const std::string& options, int code, const std::string& words) {
  const WorkFolder work;
  const Outcome outcome = work.run("tessera-sample " + options);
  INFO(options << "\n" << outcome.errors);
  CHECK(outcome.code == code);
  CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
  CHECK_THAT(outcome.errors, Catch::StartsWith("tessera-sample: "));
  CHECK_THAT(outcome.errors, Catch::Contains(words));
  CHECK(work.names().empty());
}
}  // namespace

TEST_CASE("tessera-sample makes the vessel and says what it made", "[pipeline]") {
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

TEST_CASE("A plan writes nothing", "[pipeline]") {
  const WorkFolder work;
  const Outcome outcome = work.mustRun("tessera-sample tube --plan");
  CHECK_THAT(outcome.output, Catch::Contains("volume     201.062 mm3"));
  CHECK(work.names().empty());
}

TEST_CASE("Every option of the vessel changes it", "[pipeline]") {
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

TEST_CASE("Images come as RAW and PGM", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("tessera-sample spheres --size 30,20,25 --diameter 8 --porosity 0.6 -o s.raw");
  CHECK(std::filesystem::file_size(work.path("s.raw")) == 30 * 20 * 25);
  work.mustRun("tessera-sample box --size 4,5,6 -o b.raw");
  CHECK(std::filesystem::file_size(work.path("b.raw")) == 4 * 5 * 6);
  work.mustRun("tessera-sample channel2d --size 8,6 -o c.pgm");
  CHECK(std::filesystem::file_size(work.path("c.pgm")) == 9 + 8 * 6);
}

TEST_CASE("What cannot be made is answered with one sentence", "[pipeline]") {
  refused("", 2, "expected first is a kind");
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
  refused("box --size 3,4,x -o b.raw", 2, "--size");
  refused("spheres --porosity 2 -o s.raw", 2, "--porosity");
  refused("spheres --diameter 500 -o s.raw", 2, "--diameter");
  refused("aneurysm --parent-length 3mm -o a.stl", 2, "--parent-length");
  refused("aneurysm --neck-diameter 9mm -o a.stl", 2, "--neck-diameter");
  refused("aneurysm --branch1-angle 180 -o a.stl", 2, "--branch1-angle");
  refused("aneurysm --triangles 10 -o a.stl", 2, "--triangles");
  refused("aneurysm --triangles 20000 --edge 0.2mm -o a.stl", 2, "exclude");
}
