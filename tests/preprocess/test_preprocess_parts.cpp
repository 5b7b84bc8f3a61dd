// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces of several files and several bodies, through the program.
#include <catch2/catch.hpp>
#include <filesystem>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::test;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

// The triangles of one label: a file's worth of a surface that is closed by several.
TriangleMesh faceOf(const TriangleMesh& mesh, Patch label) {
  TriangleMesh face = mesh;
  dropTriangles(face, [&](std::size_t t) { return mesh.label[t] != label; });
  return face;
}

// Whether a point is in a convex closed mesh.
bool holds(const TriangleMesh& convex, const Double3& point) {
  for (std::size_t t = 0; t < convex.triangle.size(); ++t)
    if (dot(point - convex.vertex[convex.triangle[t][0]], areaVector(convex, t)) > 0.0)
      return false;
  return true;
}

std::vector<std::string> namesOf(const nlohmann::json& report) {
  std::vector<std::string> names;
  for (const auto& opening : report.at("openings"))
    names.push_back(opening.at("name").get<std::string>());
  return names;
}

}  // namespace

TEST_CASE(
    "Surfaces of several parts: a surface of one file per face is united, and the files give the "
    "names",
    "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh tube = slantedTube();
  const std::string options = " --unit mm --spacing 0.2mm -o g.vdb --report r.json";
  for (const std::string format : {"stl", "vtp"}) {
    INFO(format);
    const auto putFace = [&](const std::string& name, Patch label) {
      const TriangleMesh face = faceOf(tube, label);
      work.write(name + "." + format,
                 format == "stl" ? binaryStl(soupOf(face)) : vtpFile(face, {}));
    };
    putFace("aorta", 0);
    putFace("inlet", openingPatch(1));
    putFace("outlet", openingPatch(2));
    const std::string end = "." + format + " ";
    work.mustRun("tessera-preprocess outlet" + end + "aorta" + end + "inlet" + end + options);
    const auto report = work.json("r.json");
    checkVolume(report, 12.0 * crossSection());
    CHECK(namesOf(report) == std::vector<std::string>{"inlet", "outlet"});
    CHECK(report.at("openings")[0].at("origin") == "face");
    CHECK(report.at("repairs").at("holes_closed") == 0);
    CHECK(report.at("health").at("repaired").at("open_edges") == 0);
    CHECK(readLatticeFile(work.path("g.vdb")).geometry.wallNames ==
          std::vector<std::string>{"aorta"});
  }
}

TEST_CASE("Surfaces of several parts: files of one name are numbered in their order",
          "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh tube = slantedTube();
  for (const char* folder : {"a", "b"}) std::filesystem::create_directory(work.path(folder));
  put(work, "a/wall.stl", faceOf(tube, 0));
  put(work, "a/end.stl", faceOf(tube, openingPatch(1)));
  put(work, "b/end.stl", faceOf(tube, openingPatch(2)));
  const std::string options = " a/wall.stl --unit mm --spacing 0.4mm -o g.vdb --report r.json";
  work.mustRun("tessera-preprocess a/end.stl b/end.stl" + options);
  CHECK(namesOf(work.json("r.json")) == std::vector<std::string>{"end", "end_2"});
  work.mustRun("tessera-preprocess b/end.stl a/end.stl" + options);
  CHECK(namesOf(work.json("r.json")) == std::vector<std::string>{"end_2", "end"});
}

TEST_CASE("Surfaces of several parts: separately meshed caps name their openings", "[pipeline]") {
  const WorkFolder work;
  put(work, "aorta.stl", tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, false));
  TriangleMesh ends = tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 40, true);
  for (Double3& v : ends.vertex) v = {v[0] - 0.013 * v[1], v[1] + 0.013 * v[0], v[2]};
  put(work, "outlet.stl", faceOf(ends, openingPatch(2)));
  put(work, "inlet.stl", faceOf(ends, openingPatch(1)));
  work.mustRun(
      "tessera-preprocess outlet.stl inlet.stl aorta.stl --unit mm --spacing 0.2mm -o g.vdb "
      "--report r.json");
  const auto report = work.json("r.json");
  CHECK(namesOf(report) == std::vector<std::string>{"inlet", "outlet"});
  CHECK(report.at("openings")[0].at("centre_m")[2].get<double>() == Approx(0.0).margin(1e-9));
  CHECK(report.at("openings")[0].at("origin") == "open loop");
  CHECK(report.at("repairs").at("debris_parts_dropped") == 2);
  checkVolume(report, 12.0 * crossSection());
  CHECK(readLatticeFile(work.path("g.vdb")).geometry.wallNames ==
        std::vector<std::string>{"aorta"});
}

TEST_CASE("Surfaces of several parts: two files whose tubes cross are their union, node by node",
          "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh along = tubeMesh({-6, 0.1, 0.2}, {6, 0.3, -0.1}, 2.0, 40, true);
  const TriangleMesh across = tubeMesh({0.3, -5, -1}, {-0.2, 5, 1.5}, 1.5, 32, true);
  put(work, "along.stl", along);
  put(work, "across.stl", across);
  const std::string options = " --unit mm --spacing 0.2mm -o g.vdb --report r.json";
  work.mustRun("tessera-preprocess along.stl across.stl" + options);
  const LatticeGeometry geometry = readLatticeFile(work.path("g.vdb")).geometry;
  const Int3& size = geometry.fluid.size;
  std::uint64_t wrong = 0, expected = 0;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x) {
        const Double3 point = 1e3 * geometry.frame.toWorld({1.0 * x, 1.0 * y, 1.0 * z});
        const bool inside = holds(along, point) || holds(across, point);
        expected += inside ? 1 : 0;
        wrong += inside != geometry.fluid.at(x, y, z) ? 1 : 0;
      }
  CHECK(expected > 10000);
  CHECK(wrong <= 2);  // nodes within rounding of a wall
  const auto report = work.json("r.json");
  CHECK(report.at("openings").size() == 4);
  CHECK(report.at("health").at("parts").at("count") == 2);
  CHECK(report.at("health").at("parts").at("overlapping") == 1);
  CHECK(report.at("health").at("parts").at("cavities") == 0);
}

TEST_CASE(
    "Surfaces of several parts: a branch that begins inside the vessel is one with it, its end "
    "there no opening",
    "[pipeline]") {
  for (const bool closed : {false, true}) {
    const WorkFolder work;
    put(work, "vessel.stl", tubeMesh({-10, 0, 0}, {10, 0, 0}, 2.0, 48, closed));
    put(work, "branch.stl", tubeMesh({0, 0, 0}, {0, 12, 0}, 1.5, 48, closed));
    const Outcome told = work.mustRun(
        "tessera-preprocess --unit mm --spacing 0.2mm vessel.stl branch.stl -o g.vdb --report "
        "r.json");
    CHECK_THAT(told.errors, Catch::Contains("inside another part"));
    const auto report = work.json("r.json");
    CHECK(report.at("openings").size() == 3);
    CHECK(report.at("dead_nodes") == 0);
    // The vessel and the part outside it, from 1.85 mm on in the mean.
    const double fluid = report.at("fluid_nodes").get<double>() * 0.008;
    CHECK(fluid == Approx(250.6 + 7.05 * (12.0 - 1.85)).epsilon(0.01));
  }
}

TEST_CASE("Surfaces of several parts: a tube inside another one changes neither nodes nor openings",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "outer.stl", tubeMesh({-10, 0, 0}, {10, 0, 0}, 2.0, 48, false));
  put(work, "inner.stl", tubeMesh({-10, 0, 0}, {10, 0, 0}, 1.0, 48, false));
  const std::string options = " --unit mm --spacing 0.2mm -o g.vdb --report r.json";
  work.mustRun("tessera-preprocess outer.stl" + options);
  const auto alone = work.json("r.json");
  const auto patches = readLatticeFile(work.path("g.vdb")).geometry.boundary.patch;
  const Outcome told = work.mustRun("tessera-preprocess outer.stl inner.stl" + options);
  CHECK_THAT(told.errors, Catch::Contains("inside another part"));
  const auto both = work.json("r.json");
  CHECK(both.at("health").at("parts").at("covered") == 1);
  CHECK(both.at("fluid_nodes") == alone.at("fluid_nodes"));
  CHECK(both.at("openings") == alone.at("openings"));
  CHECK(readLatticeFile(work.path("g.vdb")).geometry.boundary.patch == patches);
}

TEST_CASE("Surfaces of several parts: a file with a body wound inside-out makes it solid",
          "[pipeline]") {
  const WorkFolder work;
  TriangleMesh body = sphereMesh({4, 4, 2}, 1.0, 32, 20);
  put(work, "tube.stl", slantedTube());
  const std::string options = " --unit mm --spacing 0.1mm -o g.vdb --report r.json";
  put(work, "body.stl", body);
  const Outcome told = work.mustRun("tessera-preprocess tube.stl body.stl" + options);
  CHECK_THAT(told.errors, Catch::Contains("orientation"));
  const std::uint64_t whole = work.json("r.json").at("fluid_nodes");
  CHECK(work.json("r.json").at("health").at("parts").at("covered") == 1);
  for (Triangle& t : body.triangle) std::swap(t[0], t[1]);
  put(work, "body.stl", body);
  work.mustRun("tessera-preprocess tube.stl body.stl" + options);
  const std::uint64_t hollow = work.json("r.json").at("fluid_nodes");
  CHECK(static_cast<double>(whole - hollow) * 0.001 ==
        Approx(std::abs(enclosedVolume(body))).epsilon(0.02));
  CHECK(work.json("r.json").at("health").at("parts").at("cavities") == 1);
}
