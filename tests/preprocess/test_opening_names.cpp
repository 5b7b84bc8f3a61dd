// SPDX-License-Identifier: GPL-3.0-or-later
// Names of openings by files, solids and faces in any order, and ids that follow their numbers,
// through the program.
#include <algorithm>
#include <catch2/catch.hpp>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/geometry/opening_names.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using namespace tessera::stage;
using namespace tessera::test;
using tessera::chain::WorkFolder;

namespace {

using Names = std::vector<std::string>;

TriangleMesh only(const TriangleMesh& mesh, Patch label) {
  TriangleMesh face = mesh;
  dropTriangles(face, [&](std::size_t t) { return mesh.label[t] != label; });
  return face;
}

// The tube with rows of triangles along it, so that its rims are a small part of its edges.
TriangleMesh fineTube() {
  TriangleMesh mesh;
  constexpr Index around = 48, rows = 120;
  for (Index k = 0; k <= rows; ++k)
    for (Index i = 0; i < around; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / around;
      mesh.vertex.push_back({2.0 * std::cos(angle), 2.0 * std::sin(angle), 0.1 * k});
    }
  for (Index k = 0; k < rows; ++k)
    for (Index i = 0; i < around; ++i) {
      const Index next = (i + 1) % around, low = k * around, high = low + around;
      mesh.triangle.push_back({low + i, low + next, high + next});
      mesh.triangle.push_back({low + i, high + next, high + i});
    }
  mesh.label.assign(mesh.triangle.size(), 0);
  for (const Index end : {Index{0}, rows}) {
    const auto middle = static_cast<Index>(mesh.vertex.size());
    mesh.vertex.push_back({0, 0, 0.1 * end});
    for (Index i = 0; i < around; ++i) {
      const Index a = end * around + i, b = end * around + (i + 1) % around;
      mesh.triangle.push_back(end == 0 ? Triangle{middle, b, a} : Triangle{middle, a, b});
      mesh.label.push_back(openingPatch(end == 0 ? 1 : 2));
    }
  }
  return mesh;
}

// The cap of a label with the same rim and other triangles: a strip from its first corner.
TriangleMesh retriangulated(const TriangleMesh& mesh, Patch label) {
  TriangleMesh cap = only(mesh, label);
  std::vector<Triangle> strip;
  for (std::size_t i = 1; i + 1 < cap.triangle.size(); ++i) {
    const Index first = cap.triangle[0][1];
    strip.push_back({first, cap.triangle[i][1], cap.triangle[i][2]});
  }
  cap.triangle = strip;
  cap.label.assign(strip.size(), label);
  return cap;
}

Names namesOf(const WorkFolder& work) {
  Names names;
  const auto report = work.json("r.json");
  for (const auto& opening : report.at("openings"))
    names.push_back(opening.at("name").get<std::string>());
  return names;
}

// Names of a closed surface and files of its caps in every order of the files.
void checkAnyOrder(const WorkFolder& work, Names files, const Names& expected,
                   const std::string& wall) {
  std::sort(files.begin(), files.end());
  do {
    std::string list;
    for (const std::string& file : files) list += file + " ";
    INFO(list);
    work.mustRun("tessera-preprocess --quiet --unit mm --spacing 0.4mm -o g.vdb --report r.json " +
                 list);
    CHECK(namesOf(work) == expected);
    CHECK(readLatticeFile(work.path("g.vdb")).geometry.wallNames == Names{wall});
  } while (std::next_permutation(files.begin(), files.end()));
}

}  // namespace

TEST_CASE("Names of openings: caps over a closed surface name them in any order of the files",
          "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh tube = fineTube();
  put(work, "vessel.stl", tube);
  SECTION("the same triangles") {
    put(work, "inlet.stl", only(tube, openingPatch(1)));
    put(work, "outlet.stl", only(tube, openingPatch(2)));
    checkAnyOrder(work, {"vessel.stl", "inlet.stl", "outlet.stl"}, {"inlet", "outlet"}, "vessel");
  }
  SECTION("reversed") {
    TriangleMesh cap = only(tube, openingPatch(1));
    for (Triangle& t : cap.triangle) std::swap(t[0], t[1]);
    put(work, "inlet.stl", cap);
    put(work, "outlet.stl", only(tube, openingPatch(2)));
    checkAnyOrder(work, {"vessel.stl", "inlet.stl", "outlet.stl"}, {"inlet", "outlet"}, "vessel");
  }
  SECTION("the same rims and other triangles") {
    put(work, "inlet.stl", retriangulated(tube, openingPatch(1)));
    put(work, "outlet.stl", retriangulated(tube, openingPatch(2)));
    checkAnyOrder(work, {"vessel.stl", "inlet.stl", "outlet.stl"}, {"inlet", "outlet"}, "vessel");
    CHECK(work.json("r.json").at("repairs").at("overlaid_caps_dropped") == 2);
  }
  SECTION("meshed separately") {
    TriangleMesh ends = tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 40, true);
    put(work, "inlet.stl", only(ends, openingPatch(1)));
    put(work, "outlet.stl", only(ends, openingPatch(2)));
    checkAnyOrder(work, {"vessel.stl", "inlet.stl", "outlet.stl"}, {"inlet", "outlet"}, "vessel");
  }
}

TEST_CASE("Names of openings: a file of the wall over a closed surface names the wall in any order",
          "[pipeline]") {
  const WorkFolder work;
  const TriangleMesh tube = fineTube();
  put(work, "whole.stl", tube);
  put(work, "lumen.stl", only(tube, 0));
  put(work, "inlet.stl", only(tube, openingPatch(1)));
  put(work, "outlet.stl", only(tube, openingPatch(2)));
  checkAnyOrder(work, {"whole.stl", "lumen.stl", "inlet.stl", "outlet.stl"}, {"inlet", "outlet"},
                "lumen");
}

TEST_CASE("Names of openings: ids follow numbered names, otherwise areas", "[pipeline]") {
  const WorkFolder work;
  // Faces 2 to 11 of a model: the larger the area the higher the number.
  TriangleMesh mesh;
  for (int k = 0; k < 5; ++k) {
    TriangleMesh tube = tubeMesh({4.0 * k, 0, 0}, {4.0 * k, 0, 6}, 0.6 + 0.1 * k, 32, true);
    for (Patch& label : tube.label)
      label = static_cast<Patch>(isOpening(label) ? 2 * k + openingId(label) + 1 : 1);
    mesh = k == 0 ? tube : joined(mesh, tube);
  }
  VtpStyle style;
  style.faceArray = "ModelFaceID";
  work.write("model.vtp", vtpFile(mesh, style));
  const std::string run =
      "tessera-preprocess --quiet model.vtp --unit mm --spacing 0.2mm -o g.vdb --report r.json ";
  work.mustRun(run);
  CHECK(namesOf(work) == Names{"face2", "face3", "face4", "face5", "face6", "face7", "face8",
                               "face9", "face10", "face11"});
  const auto openings = work.json("r.json").at("openings");
  CHECK(openings[0].at("radius_m").get<double>() < openings[9].at("radius_m").get<double>());
  // Id 3 is face4: closing 3 could mean face3.
  const chain::Outcome outcome = work.run(run + "--close 3");
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.errors, Catch::Contains("face4") && Catch::Contains("face3"));
  work.mustRun(run + "--close face3");
  CHECK(namesOf(work).size() == 9);
  CHECK(namesOf(work)[1] == "face4");
}

TEST_CASE("Names of openings: numbers are those at the end of a name after one stem", "[unit]") {
  CHECK(numberedName("face12")->stem == "face");
  CHECK(numberedName("face12")->number == 12);
  CHECK(numberedName("3")->stem.empty());
  CHECK(numberedName("cap_007")->number == 7);
  for (const char* none : {"", "inlet", "x-1", "z+12", "id1234567890"})
    CHECK_FALSE(numberedName(none));
  const auto openingsOf = [](const Names& names) {
    std::vector<Opening> openings;
    for (const std::string& name : names) {
      openings.emplace_back().name = name;
      openings.back().id = static_cast<int>(openings.size());
    }
    return openings;
  };
  CHECK(areNumbered(openingsOf({"face2", "face10"})));
  CHECK_FALSE(areNumbered(openingsOf({"face2", "cap3"})));
  CHECK_FALSE(areNumbered(openingsOf({"face2", "face02"})));
  CHECK_FALSE(areNumbered(openingsOf({"face2", "inlet"})));
  CHECK_FALSE(areNumbered({}));
  const auto other = [&](std::int64_t id, const Names& names) -> std::string {
    const std::vector<Opening> openings = openingsOf(names);
    const Opening* found = otherMeaningOf(id, openings);
    return found == nullptr ? "" : found->name;
  };
  CHECK(other(2, {"face2", "face3"}) == "face2");
  CHECK(other(1, {"face2", "face3"}).empty());
  CHECK(other(3, {"face2", "face3"}).empty());  // no such id
  CHECK(other(2, {"face2", "inlet"}) == "face2");
  CHECK(other(2, {"inlet", "outlet1", "outlet2"}) == "outlet2");
  CHECK(other(1, {"inlet", "outlet1", "outlet2"}).empty());
  CHECK(other(1, {"opening1", "opening2"}).empty());
  CHECK(other(2, {"x-1", "x-2", "x+1", "x+2"}).empty());
}
