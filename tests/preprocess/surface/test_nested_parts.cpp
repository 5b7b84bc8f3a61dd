// SPDX-License-Identifier: GPL-3.0-or-later
// Nested, crossing and touching parts: which of them is fluid.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/repair/repair.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

TriangleMesh turnedOver(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangle) std::swap(t[0], t[1]);
  return mesh;
}

TriangleMesh ball(double radius) {
  return sphereMesh({20, 20, 20}, radius, 40, 24);
}

TriangleMesh cube(const Double3& low, double side) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertex.push_back(low + side * Double3{1.0 * (i & 1), 1.0 * (i >> 1 & 1), 1.0 * (i >> 2)});
  for (const std::array<std::uint32_t, 4>& q : {std::array<std::uint32_t, 4>{0, 2, 3, 1},
                                                {4, 5, 7, 6},
                                                {0, 1, 5, 4},
                                                {2, 6, 7, 3},
                                                {0, 4, 6, 2},
                                                {1, 3, 7, 5}}) {
    mesh.triangle.push_back({q[0], q[1], q[2]});
    mesh.triangle.push_back({q[0], q[2], q[3]});
  }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

std::uint64_t fluidNodes(const TriangleMesh& mesh) {
  return voxelise(repair(soupOf(mesh), 1.0, "a.stl").mesh, {40, 40, 40}, {false, false, false})
      .count();
}

std::uint64_t nodesIn(double radius) {
  return fluidNodes(ball(radius));
}

// The middles of the openings that are left of open tubes, in the order of their closing.
std::vector<Double3> endsLeft(const TriangleMesh& tubes, std::uint64_t dropped) {
  RepairedMesh mesh = repair(soupOf(tubes), 1.0, "a.stl");
  CHECK(dropBuriedCaps(mesh.mesh, partsOf(mesh.mesh), mesh.caps) == dropped);
  std::vector<Double3> middle;
  for (const Cap& cap : mesh.caps) {
    const double share = 1.0 / (3.0 * static_cast<double>(cap.triangle.size()));
    Double3& sum = middle.emplace_back();
    for (const std::uint32_t t : cap.triangle)
      for (const std::uint32_t v : mesh.mesh.triangle[t]) sum = sum + share * mesh.mesh.vertex[v];
  }
  return middle;
}

bool anyAt(const std::vector<Double3>& points, const Double3& place) {
  return std::any_of(points.begin(), points.end(),
                     [&](const Double3& p) { return length(p - place) < 1e-3; });
}

}  // namespace

TEST_CASE("Nested parts: shells of alternating winding are fluid, solid, fluid from the outside",
          "[unit]") {
  const TriangleMesh shells = joined(joined(ball(18), turnedOver(ball(12))), ball(6));
  for (const bool insideOut : {false, true}) {
    INFO((insideOut ? "inside-out" : "as they should be"));
    const TriangleMesh file = insideOut ? turnedOver(shells) : shells;
    CHECK(fluidNodes(file) == nodesIn(18) - nodesIn(12) + nodesIn(6));
    const RepairedMesh mesh = repair(soupOf(file), 1.0, "a.stl");
    CHECK(mesh.parts.parts == 3);
    CHECK(mesh.parts.cavities == 1);
    CHECK(mesh.parts.covered == 0);
    REQUIRE(mesh.warnings.size() == 1);
    CHECK_THAT(mesh.warnings[0], Catch::Contains("solid"));
  }
}

TEST_CASE(
    "Nested parts: a shell within another one of the same winding changes nothing, with a warning",
    "[unit]") {
  const TriangleMesh shells = joined(ball(6), ball(18));
  CHECK(fluidNodes(shells) == nodesIn(18));
  const RepairedMesh mesh = repair(soupOf(shells), 1.0, "a.stl");
  CHECK(mesh.parts.covered == 1);
  REQUIRE(mesh.warnings.size() == 1);
  CHECK_THAT(mesh.warnings[0], Catch::Contains("orientation"));
}

TEST_CASE("Nested parts: in a cavity, a shell of the cavity's winding changes nothing either",
          "[unit]") {
  const TriangleMesh shells = joined(joined(ball(18), turnedOver(ball(12))), turnedOver(ball(6)));
  CHECK(fluidNodes(shells) == nodesIn(18) - nodesIn(12));
}

TEST_CASE("Nested parts: crossing tubes are one solid, whichever of them is inside-out", "[unit]") {
  const TriangleMesh along = tubeMesh({2, 20, 20}, {38, 20.3, 20.2}, 6.0, 40, true);
  const TriangleMesh up = tubeMesh({20.1, 20, 2}, {20, 19.8, 38}, 5.0, 40, true);
  const BitLattice a =
      voxelise(repair(soupOf(along), 1.0, "a.stl").mesh, {40, 40, 40}, {false, false, false});
  const BitLattice b =
      voxelise(repair(soupOf(up), 1.0, "a.stl").mesh, {40, 40, 40}, {false, false, false});
  std::uint64_t either = 0;
  for (int z = 0; z < 40; ++z)
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 40; ++x) either += a.at(x, y, z) || b.at(x, y, z) ? 1 : 0;
  CHECK(either < a.count() + b.count());
  CHECK(fluidNodes(joined(along, up)) == either);
  CHECK(fluidNodes(joined(along, turnedOver(up))) == either);
  CHECK(fluidNodes(joined(turnedOver(along), up)) == either);
}

TEST_CASE("Nested parts: a cavity that ends in the plane of its vessel's end stays one", "[unit]") {
  const TriangleMesh vessel = tubeMesh({20, 20, 2}, {20, 20, 38}, 12.0, 40, true);
  const TriangleMesh catheter = tubeMesh({22, 20, 2}, {22, 20, 38}, 4.0, 24, true);
  const RepairedMesh mesh = repair(soupOf(joined(vessel, turnedOver(catheter))), 1.0, "a.stl");
  CHECK(mesh.parts.cavities == 1);
  CHECK(enclosedVolume(mesh.mesh) ==
        Approx(enclosedVolume(vessel) - enclosedVolume(catheter)).epsilon(1e-5));
}

TEST_CASE(
    "Nested parts: bodies that touch in a corner or along an edge are two, whatever their winding",
    "[unit]") {
  const TriangleMesh big = cube({4, 4, 4}, 16);
  for (const TriangleMesh& beside : {cube({20, 20, 20}, 12), cube({20, 20, 4}, 16)})
    for (const bool turn : {false, true}) {
      const TriangleMesh file = joined(big, turn ? turnedOver(beside) : beside);
      const RepairedMesh mesh = repair(soupOf(file), 1.0, "a.stl");
      INFO("turned " << turn << ", " << enclosedVolume(beside));
      CHECK(mesh.parts.parts == 2);
      CHECK(mesh.parts.cavities == 0);
      CHECK(mesh.parts.covered == 0);
      CHECK(enclosedVolume(mesh.mesh) == Approx(enclosedVolume(big) + enclosedVolume(beside)));
      CHECK(fluidNodes(file) == fluidNodes(big) + fluidNodes(beside));
    }
}

TEST_CASE("Nested parts: a solid body that touches its vessel's wall from inside is a cavity",
          "[unit]") {
  const TriangleMesh vessel = cube({4, 4, 4}, 20);
  const TriangleMesh body = cube({4, 4, 4}, 8);
  const RepairedMesh mesh = repair(soupOf(joined(vessel, turnedOver(body))), 1.0, "a.stl");
  CHECK(mesh.parts.cavities == 1);
  CHECK(enclosedVolume(mesh.mesh) == Approx(enclosedVolume(vessel) - enclosedVolume(body)));
  const RepairedMesh same = repair(soupOf(joined(vessel, body)), 1.0, "a.stl");
  CHECK(same.parts.covered == 1);
}

TEST_CASE("Nested parts: an end inside another part is no opening", "[unit]") {
  const TriangleMesh vessel = tubeMesh({2, 20, 20}, {38, 20, 20}, 6.0, 40, false);
  const TriangleMesh branch = tubeMesh({20, 21, 20}, {20, 38, 20}, 4.0, 40, false);
  for (const bool turn : {false, true}) {
    const auto ends = endsLeft(joined(vessel, turn ? turnedOver(branch) : branch), 1);
    CHECK(ends.size() == 3);
    CHECK_FALSE(anyAt(ends, {20, 21, 20}));
    CHECK(anyAt(ends, {20, 38, 20}));
  }
}

TEST_CASE("Nested parts: ends outside the other part stay openings", "[unit]") {
  const TriangleMesh vessel = tubeMesh({2, 20, 20}, {38, 20, 20}, 6.0, 40, false);
  CHECK(endsLeft(joined(vessel, tubeMesh({20, 4, 20}, {20, 38, 20}, 4.0, 40, false)), 0).size() ==
        4);
  // Half of an end does.
  CHECK(
      endsLeft(joined(vessel, tubeMesh({2.5, 20, 26}, {38, 20.5, 36}, 4.0, 40, false)), 0).size() ==
      4);
}

TEST_CASE("Nested parts: tubes that meet end to end are one", "[unit]") {
  const TriangleMesh wide = tubeMesh({2, 20, 20}, {20.001, 20, 20}, 6.0, 40, false);
  const auto ends = endsLeft(joined(wide, tubeMesh({20, 20, 20}, {38, 20, 20}, 4.0, 40, false)), 1);
  CHECK(ends.size() == 3);
  CHECK(anyAt(ends, {20.001, 20, 20}));
}

TEST_CASE("Nested parts: an end inside a solid body in a vessel stays as it is", "[unit]") {
  const TriangleMesh vessel = tubeMesh({2, 20, 20}, {38, 20, 20}, 12.0, 40, false);
  const TriangleMesh pipe = tubeMesh({20, 20, 20}, {20, 38, 20}, 2.0, 40, false);
  CHECK(endsLeft(joined(joined(vessel, turnedOver(ball(9))), pipe), 0).size() == 4);
}

TEST_CASE("Nested parts: a part covered by another one has no openings", "[unit]") {
  const TriangleMesh outer = tubeMesh({2, 20, 20}, {38, 20, 20}, 12.0, 40, false);
  const TriangleMesh inner = tubeMesh({2, 20, 20}, {38, 20, 20}, 6.0, 32, false);
  for (const bool innerFirst : {false, true}) {
    RepairedMesh mesh =
        repair(soupOf(innerFirst ? joined(inner, outer) : joined(outer, inner)), 1.0, "a.stl");
    CHECK(mesh.parts.covered == 1);
    CHECK(dropBuriedCaps(mesh.mesh, partsOf(mesh.mesh), mesh.caps) == 2);
    REQUIRE(mesh.caps.size() == 2);
    for (const Cap& cap : mesh.caps) CHECK(cap.triangle.size() == 40);
  }
}

TEST_CASE("Nested parts: a vessel present twice with different meshes keeps the openings of one",
          "[unit]") {
  const TriangleMesh one = tubeMesh({2, 20, 20}, {38, 20, 20}, 12.0, 80, false);
  const TriangleMesh other = tubeMesh({2, 20, 20}, {38, 20, 20}, 12.0, 94, false);
  CHECK(endsLeft(joined(one, other), 2).size() == 2);
}

TEST_CASE("Nested parts: ragged ends and holes in a wall are named, not counted as loose triangles",
          "[unit]") {
  const auto sentenceFor = [](const TriangleMesh& mesh) {
    return sentenceOfError(ExitCode::BadInput, [&] { repair(soupOf(mesh), 1.0, "a.stl"); });
  };
  TriangleMesh ragged = tubeMesh({0, 0, 0}, {0, 0, 40}, 3.0, 48, false);
  for (std::size_t v = 0; v < ragged.vertex.size(); ++v) ragged.vertex[v][2] += v % 2 ? 0.6 : -0.6;
  CHECK_THAT(sentenceFor(ragged), Catch::Contains("48 edges") && Catch::Contains("--cut"));
  TriangleMesh window = ball(18);
  dropTriangles(window,
                [&](std::size_t t) { return window.vertex[window.triangle[t][0]][0] > 36.0; });
  CHECK_THAT(sentenceFor(window), Catch::Contains("hole"));
}

TEST_CASE(
    "Nested parts: bodies of opposite winding on one face are refused for their non-manifold edges",
    "[unit]") {
  const TriangleMesh pair = joined(cube({4, 4, 4}, 16), turnedOver(cube({20, 4, 4}, 16)));
  checkError(ExitCode::BadInput, [&] { repair(soupOf(pair), 1.0, "a.stl"); }, {"% of"});
}
