// SPDX-License-Identifier: GPL-3.0-or-later
// --wrap through the program: a refused surface, its advice, report and options.
#include <catch2/catch.hpp>
#include <numbers>

#include "tests/fixtures/files/tube_files.hpp"
#include "tests/fixtures/geometry/damaged_tube.hpp"

using namespace tessera;
using namespace tessera::test;
using tessera::chain::checkRefused;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

void putTubeWithHoles(const WorkFolder& work) {
  DamagedTube tube(3);
  tube.removeAny(300);
  tube.turnAny(500);
  tube.addCrossing(50);
  work.write("tube.stl", binaryStl(tube.soup()));
}

const std::string basis = "tessera-preprocess tube.stl --unit mm -o g.vdb --across 32 ";

}  // namespace

TEST_CASE("Wrapping by the program: a refused surface is usable by the advice of the refusal",
          "[pipeline]") {
  const WorkFolder work;
  putTubeWithHoles(work);
  const Outcome refused = work.run(basis + "--quiet");
  CHECK(refused.code == 3);
  const std::size_t at = refused.errors.find("--wrap \"");
  REQUIRE(at != std::string::npos);
  const std::string advice = refused.errors.substr(at, refused.errors.find('"', at + 8) + 1 - at);
  const Outcome outcome = work.mustRun(basis + "--report r.json " + advice);
  CHECK_THAT(outcome.output, Catch::Contains("verdict      wrapped"));
  const nlohmann::json report = work.json("r.json");
  CHECK(report.at("health").at("verdict") == "wrapped");
  const nlohmann::json& wrap = report.at("wrap");
  const double alpha = wrap.at("alpha_m"), offset = wrap.at("offset_m");
  CHECK(offset == Approx(alpha / 30.0));
  const double volume = 1e-9 * std::numbers::pi * 25.0 * 40.0;
  CHECK(wrap.at("volume_m3").get<double>() == Approx(volume).epsilon(0.02));
  CHECK(report.at("volume_voxels_m3").get<double>() == Approx(volume).epsilon(0.03));
  CHECK(wrap.at("volume_before_m3").is_null());
  CHECK(wrap.at("largest_distance_m").get<double>() < 1e-3);
  REQUIRE(report.at("openings").size() == 2);
  for (const nlohmann::json& opening : report.at("openings")) {
    CHECK(opening.at("radius_m").get<double>() == Approx(5e-3).margin(offset));
    CHECK(std::abs(opening.at("normal")[2].get<double>()) > 0.999);
  }
}

TEST_CASE("Wrapping by the program: the key of the case, and the same bytes each run",
          "[pipeline]") {
  const WorkFolder work;
  putTubeWithHoles(work);
  work.mustRun(basis + "--wrap 1mm");
  work.write("case.toml", "[preprocess]\nwrap = \"1 mm\"\nunit = \"mm\"\nacross = 32\n");
  work.mustRun("tessera-preprocess tube.stl --case case.toml -o h.vdb");
  work.mustRun("cmp g.vdb h.vdb");
}

TEST_CASE("Wrapping by the program: options that have no effect with it are refused",
          "[pipeline]") {
  const WorkFolder work;
  putTubeWithHoles(work);
  checkRefused(work, basis + "--quiet --wrap 1mm --periodic z", 2, "--periodic");
  checkRefused(work, basis + "--quiet --wrap 1mm --faces z-,z+", 2, "--faces");
  checkRefused(work, basis + "--quiet --wrap 0mm", 2, "--wrap");
  checkRefused(work, basis + "--quiet --wrap 1um", 2, "--wrap");
}
