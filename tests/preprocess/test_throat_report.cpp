// SPDX-License-Identifier: GPL-3.0-or-later
// Throats in the report and the summary of the program.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <numbers>

#include "tests/fixtures/chain.hpp"

using tessera::chain::WorkFolder;

namespace {

// A plane channel of 19 nodes along x, which isThroat(y) narrows in the middle.
std::string channel(const std::function<bool(int)>& isThroat) {
  std::string image = "P2 60 21 1\n";
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 60; ++x) {
      const bool isWide = x < 27 || x > 33;
      image += y > 0 && y < 20 && (isWide || isThroat(y)) ? "0 " : "1 ";
    }
  return image;
}

// A ball of three rings of six vertices, one of them drawn out, whose triangles have three names in
// turn; as an OBJ.
std::string namedBall() {
  std::string vertices = "v 1 2 2.3\n";
  for (const auto& [radius, z] : {std::array{0.495, 2.505}, {0.7, 3.0}, {0.495, 3.495}})
    for (int k = 0; k < 6; ++k) {
      const double angle = std::numbers::pi / 3.0 * k;
      const double out = k == 1 && z < 3.0 ? 1.0 : 0.0;
      vertices += "v " + std::to_string(1.0 + radius * std::cos(angle)) + " " +
                  std::to_string(2.0 + radius * std::sin(angle) + out) + " " + std::to_string(z) +
                  "\n";
    }
  vertices += "v 1 2 3.7\n";
  std::string faces;
  int name = 0;
  const auto add = [&](int a, int b, int c) {
    faces += "usemtl part" + std::to_string(name++ % 3) + "\nf " + std::to_string(a) + " " +
             std::to_string(b) + " " + std::to_string(c) + "\n";
  };
  for (int k = 0; k < 6; ++k) {
    const int next = (k + 1) % 6, low = 2, middle = 8, high = 14;
    add(1, low + next, low + k);
    add(20, high + k, high + next);
    add(low + k, low + next, middle + next);
    add(low + k, middle + next, middle + k);
    add(middle + k, middle + next, high + next);
    add(middle + k, high + next, high + k);
  }
  return vertices + faces;
}

}  // namespace

TEST_CASE("Report of throats: nodes across are the width of the narrowest passage in 2D",
          "[pipeline]") {
  const WorkFolder work;
  const auto report = [&](const std::function<bool(int)>& isThroat) {
    work.write("channel.pgm", channel(isThroat));
    work.mustRun(
        "tessera-preprocess --voxel 1mm --pore 0 --faces x-,x+ channel.pgm -o g.vdb --report "
        "r.json");
    return work.json("r.json");
  };
  const auto one = report([](int y) { return y >= 8 && y <= 12; }).at("throat");
  CHECK(one.at("nodes_across").get<double>() == Approx(5.0).epsilon(0.1));
  const auto two = report([](int y) { return y < 7 || y > 15; }).at("throat");
  CHECK(two.at("passages") == 2);  // of 6 and 4 nodes
  CHECK(two.at("area_m2").get<double>() == Approx(10e-6).epsilon(0.1));
  CHECK(two.at("nodes_across").get<double>() == Approx(4.0).epsilon(0.15));
  CHECK(two.at("narrowest_passage_m2").get<double>() == Approx(4e-6).epsilon(0.15));
}

TEST_CASE(
    "Report of throats: passages in parallel that are too many are the reason why none is there",
    "[pipeline]") {
  const WorkFolder work;
  std::string image = "P2 60 85 1\n";  // seven channels between two chambers
  for (int y = 0; y < 85; ++y)
    for (int x = 0; x < 60; ++x)
      image += y > 0 && y < 84 && (x < 20 || x > 39 || y % 12 > 5) ? "0 " : "1 ";
  work.write("seven.pgm", image);
  const std::string summary =
      work.mustRun(
              "tessera-preprocess --voxel 1mm --pore 0 --faces x-,x+ seven.pgm -o g.vdb --report "
              "r.json")
          .output;
  CHECK_THAT(summary, Catch::Contains("not searched: more than 6 passages in parallel"));
  CHECK(work.json("r.json").at("throats_searched") == false);
  const auto warnings = work.json("r.json").at("warnings");
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0].get<std::string>(),
             Catch::Contains("more than 6 passages in parallel") && Catch::Contains("time_step"));
  CHECK(work.json("r.json").at("throats_not_searched") == "more than 6 passages in parallel");
  // In the files, and before a run.
  work.mustRun("tessera-tiler g.vdb -o g.tiles");
  for (const std::string file : {"g.vdb", "g.tiles"})
    CHECK_THAT(work.mustRun("tessera-info " + file).output,
               Catch::Contains("more than 6 passages in parallel"));
  work.write(
      "case.toml",
      "[fluid]\ndensity = 1000\nviscosity = \"1e-3 Pa.s\"\n[solver]\nlattice_velocity = 0.05\n"
      "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"1 mm/s\"\n"
      "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = \"0 Pa\"\n");
  const auto plan = work.mustRun("tessera-solver g.tiles --case case.toml --plan -o r.fields");
  CHECK_THAT(plan.output + plan.errors,
             Catch::Contains("lacks throats of the geometry (more than 6 passages in parallel)"));
}

TEST_CASE("Report of throats: openings of few cells that no cut separates have none",
          "[pipeline]") {
  const WorkFolder work;
  work.write("ball.obj", namedBall());
  work.mustRun("tessera-preprocess ball.obj --unit mm --longest 10 -o g.vdb --report r.json");
  CHECK(work.json("r.json").at("openings").size() == 2);
}
