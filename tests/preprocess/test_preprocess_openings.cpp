// SPDX-License-Identifier: GPL-3.0-or-later
// Openings by options, through the program: --faces, --cut and --extend.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "tests/fixtures/files/tube_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::test;
using tessera::chain::checkRefused;
using tessera::chain::Outcome;
using tessera::chain::preprocessRefused;
using tessera::chain::WorkFolder;

namespace {

constexpr double millimetre = 1e-3;

double angleBetween(const nlohmann::json& normal, const Double3& direction) {  // degrees
  const double cosine = dot(normal.get<Double3>(), direction) / length(direction);
  return 180.0 / std::numbers::pi * std::acos(std::min(1.0, cosine));
}

}  // namespace

TEST_CASE("Openings by options: a channel of one node is 1 node wide", "[pipeline]") {
  const WorkFolder work;
  put(work, "s.stl",
      joined(joined(tubeMesh({0, 0, 0}, {4, 0, 0}, 1, 24, true),
                    tubeMesh({6, 0, 0}, {10, 0, 0}, 1, 24, true)),
             tubeMesh({3.5, 0.1, 0.1}, {6.5, 0.1, 0.1}, 0.12, 24, true)));
  const Outcome outcome = work.mustRun(
      "tessera-preprocess --unit mm --spacing 0.2mm --faces x-,x+ s.stl -o s.vdb --report r.json");
  const auto warnings = work.json("r.json").at("warnings");
  CHECK(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.find("1 node") != std::string::npos;
  }));
  CHECK_THAT(outcome.output, Catch::Contains("thinnest     1 node, "));
}

TEST_CASE("Openings by options: flat ends that --faces leaves out are numbered candidates",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "two.stl",
      joined(tubeMesh({0, 0, 0}, {0, 0, 30}, 5, 24, true),
             tubeMesh({20, 0, 0}, {20, 0, 26}, 5, 24, true)));
  const std::string two =
      "tessera-preprocess two.stl --unit mm --spacing 1mm --faces z-,z+ -o a.vdb --report r.json ";
  CHECK_THAT(work.mustRun(two + "--keep all").errors,
             Catch::Contains("candidate 1 at (20, 0, 26) mm") &&
                 Catch::Contains("--faces is given") && Catch::Contains("--open 1") &&
                 !Catch::Contains("candidate 2"));
  const auto before = work.json("r.json");
  CHECK(before.at("openings").size() == 3);
  REQUIRE(before.at("candidates").size() == 1);
  CHECK_THAT(work.mustRun(two + "--open 1").errors, !Catch::Contains("candidate"));
  const auto opened = work.json("r.json");
  CHECK(opened.at("candidates").empty());
  REQUIRE(opened.at("openings").size() == 4);
  const auto centre = before.at("candidates")[0].at("centre_m").get<Double3>();
  CHECK(length(centre - Double3{0.02, 0, 0.026}) < 1e-6);
  work.mustRun(two + "--keep all --open 1 --close z-2");
  CHECK(work.json("r.json").at("openings").size() == 3);
}

TEST_CASE("Openings by options: pores that the box cuts are no candidates next to --faces",
          "[pipeline]") {
  const WorkFolder work;
  for (const std::string sample :
       {"spheres --size 64,64,64 --diameter 16 --porosity 0.5",
        "spheres --size 64,64,64 --diameter 20 --porosity 0.15 --edge 4 --seed 3 --bounded",
        "lattice --lattice fcc --solid 0.7 --cells 2,2,2 --edge 3"}) {
    INFO(sample);
    work.mustRun("tessera-sample " + sample + " -o pores.stl");
    for (const std::string faces : {"x-", "x-,x+"}) {
      const Outcome outcome = work.mustRun(
          "tessera-preprocess pores.stl --unit mm --longest 32 --keep all -o p.vdb --report r.json "
          "--faces " +
          faces);
      CHECK_THAT(outcome.errors, !Catch::Contains("candidate"));
      CHECK(work.json("r.json").at("candidates").empty());
    }
  }
}

TEST_CASE("Openings by options: a sliver without a node is wall where its side has another opening",
          "[pipeline]") {
  const WorkFolder work;
  const std::string rest = "--unit mm --spacing 0.2mm --faces x-,x+ s.stl -o s.vdb --report r.json";
  // The sliver is between planes of nodes; --keep connected drops its nodes.
  const TriangleMesh through = tubeMesh({0, 0, 0}, {6, 0, 0}, 1, 24, true);
  const TriangleMesh sliver = tubeMesh({0, 3.1, 0}, {6, 3.1, 0}, 0.04, 24, true);
  put(work, "s.stl", joined(sliver, through));
  const Outcome outcome = work.mustRun("tessera-preprocess " + rest);
  const auto report = work.json("r.json");
  REQUIRE(report.at("openings").size() == 2);
  CHECK(report.at("openings")[1].at("id") == 2);
  CHECK_THAT(outcome.errors, Catch::Contains("x-1, x+1"));
  const LatticeGeometry geometry = readLatticeFile(work.path("s.vdb")).geometry;
  CHECK(geometry.openings.size() == 2);
  for (const Patch patch : geometry.surface.label)
    CHECK((!isOpening(patch) || openingId(patch) <= 2));
  put(work, "s.stl", joined(through, tubeMesh({-1, 3.1, 0}, {5, 3.1, 0}, 0.04, 24, true)));
  std::filesystem::remove(work.path("s.vdb"));
  std::filesystem::remove(work.path("r.json"));
  preprocessRefused(work, rest, 2, "39.");
}

TEST_CASE("Openings by options: openings without a path to others are refused or warned about",
          "[pipeline]") {
  const WorkFolder work;
  const std::string rest = " --spacing 0.2mm s.stl -o s.vdb --report r.json";
  const TriangleMesh left = tubeMesh({0, 0, 0}, {5, 0, 0}, 1, 24, true);
  put(work, "s.stl", joined(left, tubeMesh({7, 0, 0}, {12, 0, 0}, 1, 24, true)));
  preprocessRefused(work, "--unit mm --faces x-,x+" + rest, 3, "s.stl: no path from x- to x+");
  // A dead end next to a tube that leads through.
  put(work, "s.stl", joined(left, tubeMesh({0, 4, 0}, {12, 4, 0}, 1.2, 24, true)));
  const Outcome outcome = work.mustRun("tessera-preprocess --unit mm --faces x-,x+" + rest);
  const auto report = work.json("r.json");
  CHECK(report.at("connected_parts") == 2);
  CHECK(report.at("dead_nodes") == 0);
  CHECK(report.at("percolates") == nlohmann::json{{"x", true}});
  const double through = 24.0 / 2.0 * std::sin(2.0 * std::numbers::pi / 24) * 1.44 * 12.0;
  CHECK(report.at("effective_porosity").get<double>() / report.at("porosity").get<double>() ==
        Approx(through / (through + through * 5.0 / 12.0 / 1.44)).epsilon(0.02));
  REQUIRE(report.at("openings").size() == 3);
  const std::string alone = report.at("openings")[2].at("name");
  CHECK_THAT(outcome.errors, Catch::Contains(alone));
  CHECK_THAT(outcome.output,
             Catch::Contains("verdict      usable with warnings") && Catch::Contains(alone));
}

TEST_CASE("Openings by options: a single opening is warned about, since nothing can flow through",
          "[pipeline]") {
  const WorkFolder work;
  TriangleMesh tube = slantedTube();
  dropTriangles(tube, [&](std::size_t t) { return tube.label[t] == openingPatch(1); });
  put(work, "tube.stl", tube);
  const auto warned = [&](const std::string& options) {
    return work.mustRun("tessera-preprocess tube.stl --unit mm --spacing 0.4mm -o g.vdb " + options)
        .errors;
  };
  CHECK_THAT(warned(""), !Catch::Contains("only one opening"));
  CHECK_THAT(warned("--close 2"),
             Catch::Contains("--close leaves only one opening") && !Catch::Contains("--open"));
  // The other end rounded off.
  TriangleMesh capsule = capsuleMesh(6.0);
  put(work, "tube.stl", capsule);
  CHECK_THAT(warned("--cut '0,0,0;0,0,1'"), Catch::Contains("only one opening"));
}

TEST_CASE("Openings by options: a tube that is cut ends there, in an opening", "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", slantedTube());
  work.mustRun(
      "tessera-preprocess --unit mm --across 24 --cut \"6,6,3;2,2,1\" --name 2=end tube.stl "
      "-o geom.vdb --report r.json");
  const auto report = work.json("r.json");
  checkVolume(report, 9.0 * crossSection());
  CHECK(report.at("spacing_m").get<double>() == Approx(4.0 / 24.0 * millimetre).epsilon(0.01));
  REQUIRE(report.at("openings").size() == 2);
  const auto& end = report.at("openings")[1];
  CHECK(end.at("name") == "end");
  CHECK(end.at("origin") == "cut");
  CHECK(report.at("openings")[0].at("origin") == "flat cap");
  CHECK(end.at("area_m2").get<double>() == Approx(1e-6 * crossSection()).epsilon(1e-3));
  CHECK(angleBetween(end.at("normal"), {2, 2, 1}) < 0.1);
  CHECK(length(end.at("centre_m").get<Double3>() - millimetre * Double3{6, 6, 3}) < 1e-6);
  CHECK(report.at("health").at("verdict") == "clean");
  const LatticeGeometry geometry = readLatticeFile(work.path("geom.vdb")).geometry;
  CHECK(std::count(geometry.boundary.patch.begin(), geometry.boundary.patch.end(),
                   openingPatch(2)) > 100);
  const auto& effective = readLatticeFile(work.path("geom.vdb")).provenance.options;
  CHECK(std::count(effective.begin(), effective.end(),
                   std::pair<std::string, std::string>("cut", "6,6,3;2,2,1")) == 1);
}

TEST_CASE(
    "Openings by options: an oblique cut has the area of its ellipse, and the case may request "
    "cuts",
    "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 96, true));
  work.write("case.toml",
             "[preprocess]\nunit = \"mm\"\nspacing = \"0.1 mm\"\n"
             "cut = [\"0,0,9;0.5,0,1\", \"0,0,2;0,0,-1\"]\n");
  work.mustRun("tessera-preprocess --case case.toml tube.stl -o a.vdb --report a.json");
  const auto report = work.json("a.json");
  REQUIRE(report.at("openings").size() == 2);
  const double area = 48.0 * std::sin(2.0 * std::numbers::pi / 96) * 4.0;
  checkVolume(report, 7.0 * area);
  CHECK(report.at("openings")[0].at("area_m2").get<double>() ==
        Approx(1e-6 * area * std::sqrt(1.25)).epsilon(1e-3));
  CHECK(angleBetween(report.at("openings")[0].at("normal"), {0.5, 0, 1}) < 0.1);
  CHECK(angleBetween(report.at("openings")[1].at("normal"), {0, 0, -1}) < 0.1);
  // The command line wins; one text will do in a case.
  work.write("one.toml", "[preprocess]\ncut = \"0,0,9;0,0,1\"\n");
  work.mustRun(
      "tessera-preprocess --quiet --unit mm --spacing 0.1mm --case one.toml tube.stl -o b.vdb "
      "--report b.json");
  checkVolume(work.json("b.json"), 9.0 * area);
  work.mustRun(
      "tessera-preprocess --quiet --unit mm --spacing 0.1mm --case one.toml --cut "
      "\"0,0,5;0,0,1\" tube.stl -o c.vdb --report c.json");
  checkVolume(work.json("c.json"), 5.0 * area);
}

TEST_CASE("Openings by options: impossible cuts are refused in one sentence", "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", slantedTube());
  const std::string tube = "tube.stl -o a.vdb --unit mm --longest 20 ";
  preprocessRefused(work, tube + "--cut \"1,1,1\"", 2, "X,Y,Z;NX,NY,NZ");
  preprocessRefused(work, tube + "--cut \"1,1;1,1,1\"", 2, "--cut");
  preprocessRefused(work, tube + "--cut \"1,1,1;0,0,0\"", 2, "--cut");
  preprocessRefused(work, tube + "--cut \"100,1,1;1,0,0\"", 2, "--cut");
  work.write("rock.raw", std::string(24, '\0'));
  preprocessRefused(
      work, "rock.raw --voxel 1e-6 --dims 2,3,4 --type u8 --pore 0 -o a.vdb --cut \"1,1,1;1,0,0\"",
      2, "--cut");
}

TEST_CASE("Openings by options: for rounded ends the warning suggests a cut that opens one",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "vessel.stl", capsuleMesh(12.0));
  const std::string options = " --unit mm --longest 60 vessel.stl -o g.vdb --report r.json";
  work.mustRun("tessera-preprocess --quiet" + options);
  CHECK(work.json("r.json").at("openings").empty());
  std::string words;
  const auto report = work.json("r.json");
  for (const auto& warning : report.at("warnings")) words += warning.get<std::string>();
  const std::size_t at = words.find("--cut \"");
  REQUIRE(at != std::string::npos);
  const std::string cut = words.substr(at, words.find('"', at + 7) + 1 - at);
  work.mustRun("tessera-preprocess --quiet " + cut + options);
  REQUIRE(work.json("r.json").at("openings").size() == 1);
  CHECK(work.json("r.json").at("openings")[0].at("radius_m").get<double>() ==
        Approx(millimetre).epsilon(0.02));
}

TEST_CASE(
    "Openings by options: an extended opening lies at the end of a straight tube and keeps id, "
    "name, area",
    "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", slantedTube());
  const std::string base = "tessera-preprocess --unit mm --spacing 0.2mm tube.stl --name 2=outlet ";
  work.mustRun(base + "-o a.vdb --report a.json");
  const Outcome outcome =
      work.mustRun(base + "--extend 1.5 --extend outlet=3 -o b.vdb --report b.json");
  const auto plain = work.json("a.json").at("openings");
  const auto report = work.json("b.json");
  const double diameter = 4.0 * std::cos(std::numbers::pi / 48);
  const double lengths[] = {1.5 * diameter, 3.0 * diameter};
  checkVolume(report, (12.0 + lengths[0] + lengths[1]) * crossSection());
  REQUIRE(report.at("openings").size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& opening = report.at("openings")[k];
    const auto normal = opening.at("normal").get<Double3>();
    CHECK(opening.at("name") == plain[k].at("name"));
    CHECK(opening.at("id") == plain[k].at("id"));
    CHECK(opening.at("area_m2") == plain[k].at("area_m2"));
    CHECK(opening.at("normal") == plain[k].at("normal"));
    CHECK(opening.at("extension_m").get<double>() == Approx(millimetre * lengths[k]).epsilon(1e-4));
    const Double3 moved =
        opening.at("centre_m").get<Double3>() - plain[k].at("centre_m").get<Double3>();
    CHECK(length(moved - opening.at("extension_m").get<double>() * normal) < 1e-9);
  }
  CHECK_THAT(outcome.output, Catch::Contains("extended by"));
  const LatticeGeometry geometry = readLatticeFile(work.path("b.vdb")).geometry;
  for (const int id : {1, 2})
    CHECK(std::count(geometry.boundary.patch.begin(), geometry.boundary.patch.end(),
                     openingPatch(id)) > 100);
  work.mustRun(
      "tessera-preprocess --quiet --unit mm --across 20 tube.stl --extend 2 -o c.vdb --report "
      "c.json");
  CHECK(work.json("c.json").at("spacing_m").get<double>() ==
        Approx(2.0 / 20.0 * 2.0 * millimetre).epsilon(0.01));
}

TEST_CASE("Openings by options: impossible extensions are refused in one sentence", "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", slantedTube());
  const std::string tube = "tube.stl -o a.vdb --unit mm --longest 20 ";
  preprocessRefused(work, tube + "--extend inlet", 2, "0.1 to 100 diameters");
  preprocessRefused(work, tube + "--extend 4=5", 2, "1 (opening1), 2 (opening2)");
  preprocessRefused(work, tube + "--extend 1000", 2, "--extend");
  preprocessRefused(work, tube + "--extend 2 --periodic x", 2, "periodic");
  // Two tubes whose ends face each other.
  put(work, "facing.stl",
      joined(tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 40, true),
             tubeMesh({0, 0, 10}, {0, 0, 15}, 1.1, 40, true)));
  preprocessRefused(work, "facing.stl -o a.vdb --unit mm --longest 40 --extend 1.5", 2,
                    "another tube");
  preprocessRefused(work, "facing.stl -o a.vdb --unit mm --longest 40 --extend 4=5", 2,
                    "4 (opening4)");
}

TEST_CASE("Openings by options: those of the shared hard surfaces are all found", "[pipeline]") {
  const std::filesystem::path data = TESSERA_SHARED_DATA;
  const WorkFolder work;
  const std::string script = (data / "hard/make_hard_surfaces.py").string();
  const std::string vessel = (data / "vessels/aneurysm_vascular_model.stl").string();
  if (!std::filesystem::exists(script) || work.run("python3 --version").code != 0) {
    WARN("skipped: the shared hard surfaces or Python are absent");
    return;
  }
  work.mustRun("python3 '" + script + "' '" + vessel + "' .");
  for (const auto& [name, count] : {std::pair<std::string, std::size_t>{"flat", 3},
                                    {"dome1", 3},
                                    {"dome3", 3},
                                    {"dome10", 3},
                                    {"rimnick", 3},
                                    {"wavy_rim", 2}}) {
    INFO(name);
    work.mustRun("tessera-preprocess --quiet --unit mm --longest 60 " + name +
                 ".stl -o a.vdb --report r.json");
    CHECK(work.json("r.json").at("openings").size() == count);
    CHECK(work.json("r.json").at("candidates").empty());
  }
}

TEST_CASE("Openings by options: a large open loop that is no opening is a numbered candidate",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", tubeWithWindow());
  const Outcome outcome =
      work.mustRun("tessera-preprocess --unit mm --longest 60 tube.stl -o a.vdb --report r.json");
  const auto report = work.json("r.json");
  CHECK(report.at("openings").size() == 2);
  REQUIRE(report.at("candidates").size() == 1);
  const auto& candidate = report.at("candidates")[0];
  CHECK(candidate.at("id") == 1);
  CHECK(candidate.at("centre_m")[2].get<double>() == Approx(5e-3).epsilon(0.01));
  CHECK(candidate.at("area_m2").get<double>() == Approx(0.4e-6).epsilon(0.15));
  CHECK_THAT(outcome.errors, Catch::Contains("candidate 1") && Catch::Contains("turns away"));
}
