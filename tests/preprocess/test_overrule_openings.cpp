// SPDX-License-Identifier: GPL-3.0-or-later
// The user's word on openings, through the program: --openings, --open, --close, and side branches
// that the lattice does not resolve.
#include <algorithm>
#include <catch2/catch.hpp>

#include "preprocess/file/lattice_file.hpp"
#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::test;
using tessera::chain::checkRefused;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

const std::string rest = " -o a.vdb --report r.json ";

// Three tubes of radii 1, 0.8 and 0.6 along z.
TriangleMesh threeTubes() {
  return joined(joined(tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 32, true),
                       tubeMesh({4, 0, 0}, {4, 0, 6}, 0.8, 32, true)),
                tubeMesh({8, 0, 0}, {8, 0, 6}, 0.6, 32, true));
}

// A washer about z: outer radius 2, bore of radius 1, height 2.
TriangleMesh washer(const Double3& at) {
  constexpr Index n = 32;
  TriangleMesh mesh;
  for (const auto& [radius, z] : {std::pair{2.0, 0.0}, {2.0, 2.0}, {1.0, 2.0}, {1.0, 0.0}})
    for (Index k = 0; k < n; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / n;
      mesh.vertex.push_back(at + Double3{radius * std::cos(angle), radius * std::sin(angle), z});
    }
  for (Index row = 0; row < 4; ++row)
    for (Index k = 0; k < n; ++k) {
      const Index a = row * n + k, b = row * n + (k + 1) % n, next = (row + 1) % 4;
      const Index c = next * n + (k + 1) % n, d = next * n + k;
      mesh.triangle.push_back({a, b, c});
      mesh.triangle.push_back({a, c, d});
    }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

struct Found {
  std::vector<std::string> names;  // by id
  std::vector<std::string> origins;
};
Found openingsOf(const WorkFolder& work) {
  Found found;
  const auto report = work.json("r.json");
  for (const auto& opening : report.at("openings")) {
    REQUIRE(opening.at("id").get<std::size_t>() == found.names.size() + 1);
    found.names.push_back(opening.at("name").get<std::string>());
    found.origins.push_back(opening.at("origin").get<std::string>());
  }
  return found;
}

using Names = std::vector<std::string>;

std::size_t linksTo(const LatticeGeometry& geometry, int opening) {
  return static_cast<std::size_t>(std::count(geometry.boundary.patch.begin(),
                                             geometry.boundary.patch.end(), openingPatch(opening)));
}

std::string effectiveOption(const WorkFolder& work, const std::string& name) {
  for (const auto& [key, value] : readLatticeFile(work.path("a.vdb")).provenance.options)
    if (key == name) return value;
  return "";
}

std::string sentence(const WorkFolder& work, const std::string& options) {
  const Outcome outcome = work.run("tessera-preprocess --quiet " + options);
  CHECK(outcome.code == 2);
  CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
  return outcome.errors;
}

}  // namespace

TEST_CASE("Overruled openings: a candidate is opened by its number and the others keep their ids",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", tubeWithWindow());
  const std::string tube = "tessera-preprocess --unit mm --longest 60 tube.stl" + rest;
  CHECK_THAT(work.mustRun(tube).errors,
             Catch::Contains("candidate 1") && Catch::Contains("--open 1"));
  const auto before = work.json("r.json");
  const Outcome outcome = work.mustRun(tube + "--open 1");
  CHECK_THAT(outcome.errors, !Catch::Contains("candidate"));
  CHECK(openingsOf(work).names == Names{"opening1", "opening2", "opening3"});
  CHECK(openingsOf(work).origins[2] == "--open");
  const auto report = work.json("r.json");
  CHECK(report.at("candidates").empty());
  CHECK(report.at("openings")[0] == before.at("openings")[0]);
  CHECK(report.at("openings")[2].at("area_m2") == before.at("candidates")[0].at("area_m2"));
  CHECK(linksTo(readLatticeFile(work.path("a.vdb")).geometry, 3) > 10);
  CHECK(effectiveOption(work, "open") == "1");
  // By a point near it, and by the case.
  work.mustRun(tube + "--open 0.95,0.3,5.1");
  CHECK(work.json("r.json").at("openings") == report.at("openings"));
  work.write("case.toml", "[preprocess]\nopen = [1]\nopenings = 3\n");
  work.mustRun(tube + "--case case.toml");
  CHECK(work.json("r.json").at("openings") == report.at("openings"));
  CHECK(effectiveOption(work, "openings") == "3");
  CHECK_THAT(sentence(work, "tube.stl --unit mm --longest 60 -o b.vdb --open 2"),
             Catch::Contains("--open 2") && Catch::Contains("1 at ("));
  CHECK_THAT(sentence(work, "tube.stl --unit mm --longest 60 -o b.vdb --open 1 --open 1"),
             Catch::Contains("already"));
}

TEST_CASE("Overruled openings: a point opens the rounded end of a vessel, centred on it",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "capsule.stl", capsuleMesh(12.0));
  const std::string capsule = "capsule.stl --unit mm --longest 100" + rest;
  work.mustRun("tessera-preprocess " + capsule + "--open 0,0,7.1 --open=0,0,-7");
  const auto report = work.json("r.json");
  CHECK(openingsOf(work).names == Names{"opening1", "opening2"});
  for (const auto& opening : report.at("openings")) {
    const auto normal = opening.at("normal").get<Double3>();
    CHECK(std::abs(normal[2]) > 0.999);
    const double radius = opening.at("radius_m").get<double>();
    CHECK(radius == Approx(1e-3 * std::sin(40.0 / 180.0 * std::numbers::pi)).epsilon(0.05));
  }
  const LatticeGeometry geometry = readLatticeFile(work.path("a.vdb")).geometry;
  CHECK(linksTo(geometry, 1) > 50);
  CHECK(linksTo(geometry, 2) > 50);
  CHECK(report.at("dead_nodes") == 0);
  // Too far away; and the side of a vessel is no end.
  CHECK_THAT(sentence(work, capsule + "--open 0,0,9"), Catch::Contains("2 mm away"));
  CHECK_THAT(sentence(work, capsule + "--open 1,0,0"), Catch::Contains("1,0,0"));
  CHECK_THAT(sentence(work, capsule + "--open 3,0,0"),
             Catch::Contains("2 mm away") && Catch::Contains("(in mm)"));
  for (const std::string wrong : {"0", "1,2", "a", "1,2,3,4", "nan,0,0"})
    CHECK_THAT(sentence(work, capsule + "--open " + wrong), Catch::Contains(wrong));
}

TEST_CASE(
    "Overruled openings: flat faces that may be those of a solid are warned about until "
    "confirmed",
    "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh tube = tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 32, true);
  put(work, "tube.stl", tube);
  put(work, "part.stl", joined(tube, washer({6, 0, 1})));
  const auto errors = [&](const std::string& options) {
    return work.mustRun("tessera-preprocess --unit mm --longest 60 " + options + rest).errors;
  };
  CHECK_THAT(errors("tube.stl"), !Catch::Contains("solid"));
  const std::string part = errors("part.stl");
  CHECK_THAT(part, Catch::Contains("solid body") && Catch::Contains("--openings 2"));
  CHECK_THAT(part, Catch::Contains("candidate 2") && Catch::Contains("has a hole"));
  CHECK(openingsOf(work).names == Names{"opening1", "opening2"});
  CHECK_THAT(errors("part.stl --openings 2"), !Catch::Contains("solid body"));
  // A ring can be opened: the flow through an annular duct.
  errors("part.stl --open 1 --open 2");
  CHECK(openingsOf(work).names.size() == 4);
}

TEST_CASE("Overruled openings: a closed opening is wall, the others move up and keep their names",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "tubes.stl", threeTubes());
  const std::string tubes = "tubes.stl --unit mm --spacing 0.1mm" + rest;
  work.mustRun("tessera-preprocess " + tubes + "--close 2 --close opening5");
  CHECK(openingsOf(work).names == Names{"opening1", "opening3", "opening4", "opening6"});
  CHECK(effectiveOption(work, "close") == "2 opening5");
  const auto openings = work.json("r.json").at("openings");
  CHECK(openings[1].at("centre_m")[0].get<double>() == Approx(4e-3));
  const LatticeGeometry geometry = readLatticeFile(work.path("a.vdb")).geometry;
  for (int id = 1; id <= 4; ++id) CHECK(linksTo(geometry, id) > 50);
  for (const Patch patch : geometry.boundary.patch)
    CHECK((patch == 0 || (isOpening(patch) && openingId(patch) <= 4)));
  work.write("case.toml", "[preprocess]\nclose = [2, \"opening5\"]\n");
  work.mustRun("tessera-preprocess --case case.toml " + tubes);
  CHECK(work.json("r.json").at("openings") == openings);
  CHECK_THAT(sentence(work, tubes + "--close 7"), Catch::Contains("1 (opening1)"));
  work.write("case.toml", "[preprocess]\nclose = 1.5\n");
  CHECK_THAT(sentence(work, tubes + "--case case.toml"), Catch::Contains("case.toml:2"));
}

TEST_CASE("Overruled openings: another number than expected is an error that lists everything",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "tube.stl", tubeWithWindow());
  const std::string tube = "tube.stl --unit mm --longest 60 -o a.vdb ";
  checkRefused(work, "tessera-preprocess --quiet " + tube + "--openings 3", 2, "--openings is 3");
  const std::string list = sentence(work, tube + "--openings 3");
  for (const std::string fact :
       {"2 openings", "1 (opening1) at (", "2 (opening2) at (", "radius 997.9 um",
        "candidates: 1 at (", "5) mm", "turns away", "--open", "--close"})
    CHECK_THAT(list, Catch::Contains(fact));
  CHECK_THAT(sentence(work, tube + "--openings 3 --close 1"),
             Catch::Contains("openings: 2 (opening2)") && Catch::Contains("candidates: 1 "));
  CHECK_THAT(sentence(work, tube + "--openings 9 --open 1"),
             Catch::Contains("opening3 of --open") && Catch::Contains("there is no candidate"));
  // Options of a case by their place in it.
  work.write("case.toml", "[preprocess]\nopenings = 3\n");
  CHECK_THAT(sentence(work, tube + "--case case.toml"),
             Catch::Contains("case.toml:2: [preprocess] openings is 3"));
  CHECK_THAT(sentence(work, tube + "--case case.toml --openings 4"),
             Catch::Contains("--openings is 4") && !Catch::Contains("case.toml"));
  work.write("case.toml", "[preprocess]\nopen = [9]\n");
  CHECK_THAT(sentence(work, tube + "--case case.toml"),
             Catch::Contains("case.toml:2: [preprocess] open 9: "));
  work.write("case.toml", "[preprocess]\nclose = [9]\n");
  CHECK_THAT(sentence(work, tube + "--case case.toml"),
             Catch::Contains("case.toml:2: [preprocess] close 9: "));
  work.mustRun("tessera-preprocess --quiet " + tube + "--openings 2");
  work.mustRun("tessera-preprocess --quiet " + tube + "--openings 2 --open 1 --close 1");
  CHECK_THAT(sentence(work, tube + "--openings -1"), Catch::Contains("0 or more"));
  put(work, "plain.stl", tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 48, true));
  const std::string none = sentence(work, "plain.stl --unit mm --longest 60 -o a.vdb --openings 3");
  CHECK_THAT(none, Catch::Contains("there is no candidate") &&
                       Catch::Contains("--open \"X,Y,Z\"") && !Catch::Contains("--open K"));
}

TEST_CASE("Overruled openings: an unresolved side branch becomes wall with a warning",
          "[pipeline]") {
  const WorkFolder work;
  // The branch lies between planes of nodes.
  put(work, "vessel.stl",
      joined(tubeMesh({0.5, 0.03, 6.1}, {6.05, 0.03, 6.1}, 0.08, 24, true),
             tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true)));
  const std::string vessel = "vessel.stl --unit mm" + rest;
  for (const std::string spacing : {"--spacing 0.4mm ", "--across largest=10 "}) {
    const Outcome outcome = work.mustRun("tessera-preprocess " + vessel + spacing);
    CHECK_THAT(outcome.errors,
               Catch::Contains("opening 3 (opening3)") && Catch::Contains("(6.05, 0.03, 6.1) mm") &&
                   Catch::Contains("79.5") && Catch::Contains("--spacing 0.0795mm") &&
                   !Catch::Contains("--openings") && Catch::Contains("--close 3"));
    CHECK(openingsOf(work).names == Names{"opening1", "opening2"});
    const LatticeGeometry geometry = readLatticeFile(work.path("a.vdb")).geometry;
    CHECK(geometry.openings.size() == 2);
    for (const Patch label : geometry.surface.label)
      CHECK((!isOpening(label) || openingId(label) <= 2));
    CHECK(work.json("r.json").at("mesh_parts") == 1);  // they overlap
  }
  // Asked for, it is an error, which names a spacing that works.
  const std::string asked = sentence(work, vessel + "--spacing 0.4mm --openings 3");
  CHECK_THAT(asked, Catch::Contains("--spacing 0.0795mm"));
  work.mustRun("tessera-preprocess --quiet " + vessel + "--spacing 0.4mm --close 3 --openings 2");
  work.mustRun("tessera-preprocess --quiet " + vessel + "--spacing 0.0795mm --openings 3");
}

TEST_CASE(
    "Overruled openings: a branch of fewer than two nodes across is wall though nodes lie in it",
    "[pipeline]") {
  const WorkFolder work;
  // 1.5 nodes across: a line of nodes lies in it wherever it is.
  put(work, "vessel.stl",
      joined(tubeMesh({0.5, 0.03, 6.1}, {6.05, 0.03, 6.1}, 0.3, 24, true),
             tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true)));
  const std::string vessel = "vessel.stl --unit mm --spacing 0.4mm" + rest;
  CHECK_THAT(work.mustRun("tessera-preprocess " + vessel).errors,
             Catch::Contains("opening 3 (opening3)") && Catch::Contains("1.5 nodes across") &&
                 Catch::Contains("--spacing 0.298mm") && Catch::Contains("--openings 3"));
  CHECK(openingsOf(work).names == Names{"opening1", "opening2"});
  const auto closed = work.json("r.json").at("closed_openings");
  REQUIRE(closed.size() == 1);
  CHECK(closed[0].at("id") == 3);
  CHECK(closed[0].at("centre_m")[0].get<double>() == Approx(6.05e-3));
  CHECK(closed[0].at("nodes_across").get<double>() == Approx(1.5).epsilon(0.01));
  CHECK(closed[0].at("resolving_spacing_m").get<double>() == Approx(0.298e-3));
  const LatticeGeometry geometry = readLatticeFile(work.path("a.vdb")).geometry;
  for (const Patch patch : geometry.boundary.patch)
    CHECK((patch == 0 || (isOpening(patch) && openingId(patch) <= 2)));
  const auto fluid = work.json("r.json").at("fluid_nodes");  // the closed branch keeps its nodes
  // Everything that keeps it open.
  for (const std::string asked : {"--openings 3", "--across opening3=1"}) {
    const std::string spacing = asked[2] == 'a' ? "" : "--spacing 0.4mm ";
    work.mustRun("tessera-preprocess --unit mm vessel.stl " + spacing + asked + rest);
    CHECK(openingsOf(work).names.size() == 3);
    CHECK(work.json("r.json").at("closed_openings").empty());
    if (!spacing.empty()) CHECK(work.json("r.json").at("fluid_nodes") == fluid);
    CHECK(linksTo(readLatticeFile(work.path("a.vdb")).geometry, 3) > 0);
  }
  CHECK_THAT(work.mustRun("tessera-preprocess " + vessel + "--close 3").errors,
             !Catch::Contains("opening 3"));
  work.mustRun("tessera-preprocess --unit mm vessel.stl --spacing 0.298mm" + rest);
  CHECK(openingsOf(work).names.size() == 3);
}

TEST_CASE("Overruled openings: one without which nothing flows is never closed in silence",
          "[pipeline]") {
  const WorkFolder work;
  TriangleMesh tube = tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true);
  for (Double3& v : tube.vertex)  // to a radius of 0.3
    if (v[2] > 6.0) v = {0.15 * v[0], 0.15 * v[1], v[2]};
  put(work, "nozzle.stl", tube);
  const std::string nozzle = "nozzle.stl --unit mm" + rest;
  const std::string refused = sentence(work, nozzle + "--spacing 0.4mm");
  CHECK_THAT(refused, Catch::Contains("opening 2 (opening2)") &&
                          Catch::Contains("--spacing 0.299mm") && !Catch::Contains("--close"));
  CHECK_THAT(sentence(work, "nozzle.stl --unit mm --spacing 0.4mm --plan -o a.vdb"),
             Catch::Contains("0.299mm"));
  work.mustRun("tessera-preprocess --quiet " + nozzle + "--spacing 0.299mm");
  CHECK(openingsOf(work).names.size() == 2);
  work.mustRun("tessera-preprocess --quiet " + nozzle + "--spacing 0.4mm --openings 2");
  CHECK(openingsOf(work).names.size() == 2);
}

TEST_CASE("Overruled openings: --close is advised for an essential one only if others are left",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "thin.stl", tubeMesh({0, 0, 0}, {0, 0, 3}, 0.3, 24, true));
  CHECK_THAT(sentence(work, "thin.stl --unit mm --spacing 1mm" + rest),
             Catch::Contains("or less") && !Catch::Contains("--close"));
  put(work, "vessel.stl",
      joined(tubeMesh({0.5, 0.03, 6.1}, {6.05, 0.03, 6.1}, 0.3, 24, true),
             tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true)));
  const std::string vessel = "vessel.stl --unit mm --spacing 0.4mm" + rest;
  CHECK_THAT(sentence(work, vessel + "--name 3=inlet"),
             Catch::Contains("or make it wall with --close 3 and without --name 3=inlet."));
  CHECK(work.run("tessera-preprocess --quiet " + vessel + "--close 3 --name 3=inlet").code == 2);
  work.mustRun("tessera-preprocess " + vessel + "--close 3");
}

TEST_CASE("Overruled openings: the ids of closed branches are those of --close", "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh vessel = joined(tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true),
                                     tubeMesh({0.5, 0.03, 3}, {6.05, 0.03, 3}, 0.8, 24, true));
  SECTION("of fewer than two nodes across") {
    put(work, "vessel.stl",
        joined(vessel, tubeMesh({0.5, 0.03, 9}, {6.05, 0.03, 9}, 0.3, 24, true)));
  }
  SECTION("between two planes of nodes") {
    TriangleMesh slot = tubeMesh({0.5, 0, 0}, {6.05, 0, 0}, 1.0, 24, true);  // 9.5:1
    for (Double3& v : slot.vertex) v = {v[0], 0.03 + 1.28 * v[1], 9.2 + 0.135 * v[2]};
    put(work, "vessel.stl", joined(vessel, slot));
  }
  const std::string run = "tessera-preprocess vessel.stl --unit mm --spacing 0.4mm" + rest;
  CHECK_THAT(work.mustRun(run + "--close 3").errors,
             Catch::Contains("opening 4 (opening4)") && !Catch::Contains("opening 3"));
  CHECK(openingsOf(work).names == Names{"opening1", "opening2"});
  CHECK(work.json("r.json").at("closed_openings")[0].at("id") == 4);
  CHECK_THAT(work.mustRun(run + "--close 3 --close 4").errors, !Catch::Contains("opening 4"));
  CHECK(work.json("r.json").at("closed_openings").empty());
}

TEST_CASE("Overruled openings: those of a smoothed image are opened and closed as well",
          "[pipeline]") {
  const WorkFolder work;
  // A channel along x whose ends are the image's sides.
  constexpr int nx = 40, ny = 24, nz = 24;
  std::string voxels;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) voxels += std::hypot(y - 11.5, z - 11.5) < 8.0 ? '\0' : '\1';
  work.write("image.raw", voxels);
  const std::string image =
      "image.raw --voxel 1mm --dims 40,24,24 --type u8 --pore 0 --smooth" + rest;
  work.mustRun("tessera-preprocess " + image);
  CHECK(openingsOf(work).names == Names{"opening1", "opening2"});
  const double low = work.json("r.json").at("openings")[0].at("centre_m")[0];
  work.mustRun("tessera-preprocess " + image + "--close 2");
  CHECK(openingsOf(work).names == Names{"opening1"});
  CHECK(work.json("r.json").at("openings")[0].at("centre_m")[0] == low);
  CHECK_THAT(sentence(work, image + "--openings 3"), Catch::Contains("2 (opening2) at ("));
  // A ball in the image has no ends; a point on it opens one.
  voxels.clear();
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        voxels += std::hypot(x - 19.5, y - 11.5, z - 11.5) < 9.0 ? '\0' : '\1';
  work.write("image.raw", voxels);
  work.mustRun("tessera-preprocess " + image + "--open 28,11.5,11.5");
  CHECK(openingsOf(work).origins == Names{"--open"});
  CHECK(work.json("r.json").at("openings")[0].at("normal")[0].get<double>() > 0.95);
  const std::string plain = "image.raw --voxel 1mm --dims 40,24,24 --type u8 --pore 0 -o b.vdb ";
  for (const std::string option : {"--open 1", "--close 1", "--openings 2"})
    CHECK_THAT(sentence(work, plain + option), Catch::Contains("--smooth"));
}
