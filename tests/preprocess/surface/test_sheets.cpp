// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets of a surface: which parts are some, and that the closed surface is as without them.
#include <catch2/catch.hpp>
#include <numbers>

#include "preprocess/surface/repair/repair.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

constexpr Index sides = 48;

RepairedMesh repaired(const TriangleMesh& mesh, const RepairRequest& request = {}) {
  return repair(soupOf(mesh), 1.0, "a.stl", request);
}

std::uint64_t countOf(const RepairedMesh& mesh, const std::string& name) {
  for (const auto& [key, count] : mesh.repairs)
    if (key == name) return count;
  return 0;
}

TriangleMesh reversed(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangle) std::swap(t[1], t[2]);
  return mesh;
}

// A ring across z with the vertices of tubeMesh() on its outer rim, where `outer` is its radius.
TriangleMesh ring(double z, double inner, double outer, Index around = sides) {
  TriangleMesh mesh;
  for (const double radius : {inner, outer})
    for (Index i = 0; i < around; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / around;
      mesh.vertex.push_back({radius * std::sin(angle), -radius * std::cos(angle), z});
    }
  for (Index i = 0; i < around; ++i) {
    const Index next = (i + 1) % around;
    mesh.triangle.push_back({i, around + i, around + next});
    mesh.triangle.push_back({i, around + next, next});
  }
  mesh.label.assign(mesh.triangle.size(), 0);
  return mesh;
}

// A tube of radius 1 along z from 0 to 10 with a row of vertices at 5.
TriangleMesh pipe(bool capped) {
  TriangleMesh mesh = joined(tubeMesh({0, 0, 0}, {0, 0, 5}, 1.0, sides, false),
                             tubeMesh({0, 0, 5}, {0, 0, 10}, 1.0, sides, false));
  if (capped) mesh = joined(joined(mesh, reversed(ring(0, 1e-3, 1.0))), ring(10, 1e-3, 1.0));
  return mesh;
}

double areaOfRing(double inner, double outer) {
  return 0.5 * sides * std::sin(2.0 * std::numbers::pi / sides) * (outer * outer - inner * inner);
}

// Checks that a surface has one sheet and is otherwise the pipe.
void checkSheet(const TriangleMesh& sheet, double area, const Double3& centre) {
  for (const bool capped : {false, true})
    for (const bool turned : {false, true})
      for (const bool twoSided : {false, true}) {
        INFO("capped " << capped << ", turned " << turned << ", two-sided " << twoSided);
        TriangleMesh mesh = joined(pipe(capped), turned ? reversed(sheet) : sheet);
        if (twoSided) mesh = joined(mesh, turned ? sheet : reversed(sheet));
        const RepairedMesh alone = repaired(pipe(capped));
        const RepairedMesh found = repaired(mesh);
        REQUIRE(found.sheets.sheet.size() == 1);
        CHECK(found.sheets.sheet[0].area == Approx(area).epsilon(1e-5));
        CHECK(length(found.sheets.sheet[0].centre - centre) < 1e-5);
        CHECK(surfaceArea(found.sheets.mesh) == Approx(area).epsilon(1e-5));
        CHECK(found.mesh.triangle.size() == alone.mesh.triangle.size());
        CHECK(enclosedVolume(found.mesh) == Approx(enclosedVolume(alone.mesh)).epsilon(1e-9));
        CHECK(found.caps.size() == alone.caps.size());
        CHECK(found.closedLoops.size() == alone.closedLoops.size());
        CHECK(countOf(found, "debris_parts_dropped") == 0);
        CHECK(countOf(found, "holes_closed") == countOf(alone, "holes_closed"));
        const RepairedMesh dropped =
            repaired(mesh, {.weld = {}, .fillHole = {}, .cuts = {}, .keepSheets = false});
        CHECK(dropped.sheets.sheet.empty());
        CHECK(dropped.sheets.mesh.triangle.empty());
        CHECK(countOf(dropped, "sheets_dropped") == 1);
      }
}

void checkNone(const TriangleMesh& mesh) {
  const RepairedMesh found = repaired(mesh);
  CHECK(found.sheets.sheet.empty());
  CHECK(found.sheets.mesh.triangle.empty());
}

// Half a ball, open towards +z.
TriangleMesh cup(const Double3& centre, double radius) {
  TriangleMesh mesh = sphereMesh(centre, radius, 32, 16);
  dropTriangles(mesh, [&](std::size_t t) {
    const Triangle& v = mesh.triangle[t];
    return mesh.vertex[v[0]][2] + mesh.vertex[v[1]][2] + mesh.vertex[v[2]][2] > 3.0 * centre[2];
  });
  return mesh;
}

}  // namespace

TEST_CASE("Sheets of a surface: a valve is one, free or joined to the wall", "[unit]") {
  checkSheet(ring(5, 0.5, 0.95), areaOfRing(0.5, 0.95), {0, 0, 5});
  checkSheet(ring(5, 0.5, 1.0), areaOfRing(0.5, 1.0), {0, 0, 5});
}

TEST_CASE("Sheets of a surface: a membrane that shuts the vessel is one", "[unit]") {
  TriangleMesh membrane = ring(5, 1e-3, 1.0);
  membrane.vertex.push_back({0, 0, 5});
  for (Index i = 0; i < sides; ++i) membrane.triangle.push_back({2 * sides, i, (i + 1) % sides});
  membrane.label.assign(membrane.triangle.size(), 0);
  checkSheet(membrane, areaOfRing(0.0, 1.0), {0, 0, 5});
  checkSheet(ring(5, 1e-3, 1.0), areaOfRing(1e-3, 1.0), {0, 0, 5});
}

TEST_CASE("Sheets of a surface: a septum along the vessel and a bent leaflet are some", "[unit]") {
  TriangleMesh septum;
  for (int k = 0; k <= 8; ++k)
    for (const double x : {-0.9, 0.9}) septum.vertex.push_back({x, 0.1, 1.0 + k});
  for (Index k = 0; k < 8; ++k) {
    septum.triangle.push_back({2 * k, 2 * k + 1, 2 * k + 3});
    septum.triangle.push_back({2 * k, 2 * k + 3, 2 * k + 2});
  }
  septum.label.assign(septum.triangle.size(), 0);
  checkSheet(septum, 8.0 * 1.8, {0.0, 0.1, 5.0});
  const RepairedMesh found = repaired(joined(pipe(false), cup({0.1, 0.0, 6.0}, 0.6)));
  REQUIRE(found.sheets.sheet.size() == 1);
  CHECK(found.sheets.sheet[0].area == Approx(2.0 * std::numbers::pi * 0.36).epsilon(0.02));
  CHECK(found.parts.parts == 1);
}

TEST_CASE("Sheets of a surface: each leaflet counts, in the order of the file", "[unit]") {
  const RepairedMesh found = repaired(
      joined(joined(pipe(true), ring(7, 0.3, 0.9)), joined(ring(2, 0.4, 0.8), ring(5, 0.5, 1.0))));
  REQUIRE(found.sheets.sheet.size() == 3);
  CHECK(found.sheets.sheet[0].centre[2] == Approx(7.0));
  CHECK(found.sheets.sheet[1].centre[2] == Approx(2.0));
  CHECK(found.sheets.sheet[2].centre[2] == Approx(5.0));
}

TEST_CASE("Sheets of a surface: caps meshed separately, bodies with holes and vessels are none",
          "[unit]") {
  // Over an open end, with other vertices, and also slightly within it.
  for (const double z : {0.0, 0.02}) checkNone(joined(pipe(false), ring(z, 1e-3, 1.0, 37)));
  for (const double z : {0.0, 0.005}) checkNone(joined(pipe(true), ring(z, 1e-3, 0.99, 37)));
  // Inner tubes that end where the vessel does, or outside of it.
  checkNone(joined(pipe(false), tubeMesh({0, 0, 0}, {0, 0, 10}, 0.5, sides, false)));
  checkNone(joined(pipe(false), tubeMesh({0, 0, 5}, {0, 3, 5}, 0.5, sides, false)));
  TriangleMesh ball = reversed(sphereMesh({0, 0, 5}, 0.5, 32, 16));
  dropTriangles(ball, [](std::size_t t) { return t >= 100 && t < 103; });
  const RepairedMesh found = repaired(joined(pipe(true), ball));
  CHECK(found.sheets.sheet.empty());
  CHECK(found.parts.cavities == 1);
}

TEST_CASE("Sheets of a surface: flakes are debris", "[unit]") {
  const TriangleMesh mesh = joined(pipe(true), ring(5, 0.01, 0.02, 8));
  checkNone(mesh);
  CHECK(countOf(repaired(mesh), "debris_parts_dropped") == 1);
}

TEST_CASE("Sheets of a surface: those in an opening or outside of the vessel are warned about",
          "[unit]") {
  const auto warnings = [](const TriangleMesh& mesh) {
    return joined(repaired(mesh).warnings, " ");
  };
  for (const bool capped : {false, true})
    CHECK_THAT(warnings(joined(pipe(capped), ring(10, 0.4, 0.95))),
               Catch::Contains("without volume") && Catch::Contains("(0, 0, 1e+04) mm"));
  CHECK_THAT(warnings(joined(pipe(true), ring(12, 0.01, 0.5))), Catch::Contains("without volume"));
  CHECK(warnings(joined(pipe(true), ring(5, 0.4, 0.95))).empty());
  CHECK(warnings(joined(pipe(false), ring(10, 1e-3, 0.99))).empty());  // a cap
  CHECK(warnings(joined(pipe(true), ring(5, 0.1, 0.15, 3))).empty());  // flakes
}

TEST_CASE("Sheets of a surface: they keep the face of their file", "[unit]") {
  TriangleMesh leaflet = ring(5, 0.5, 1.0);
  leaflet.label.assign(leaflet.triangle.size(), 1);
  const TriangleMesh mesh = joined(pipe(true), leaflet);
  TriangleSoup soup = soupOf(mesh);
  soup.face.assign(mesh.label.begin(), mesh.label.end());
  soup.faceName = {"wall", "leaflet"};
  const RepairedMesh found = repair(soup, 1.0, "a.stl");
  REQUIRE(found.sheets.sheet.size() == 1);
  CHECK(found.sheets.mesh.label == std::vector<Patch>(leaflet.triangle.size(), 1));
}

TEST_CASE("Sheets of a surface: bodies of two names that abut are united, of one name parted",
          "[unit]") {
  const TriangleMesh low = joined(
      joined(tubeMesh({0, 0, 0}, {0, 0, 5}, 1.0, sides, false), reversed(ring(0, 1e-3, 1.0))),
      ring(5, 1e-3, 1.0));
  TriangleMesh high = joined(
      joined(tubeMesh({0, 0, 5}, {0, 0, 10}, 1.0, sides, false), reversed(ring(5, 1e-3, 1.0))),
      ring(10, 1e-3, 1.0));
  for (const Patch label : {Patch{0}, Patch{1}}) {
    high.label.assign(high.triangle.size(), label);
    const TriangleMesh mesh = joined(low, high);
    TriangleSoup soup = soupOf(mesh);
    soup.face.assign(mesh.label.begin(), mesh.label.end());
    soup.faceName = {"low", "high"};
    CHECK(repair(soup, 1.0, "a.stl").sheets.sheet.size() == (label == 0 ? 1 : 0));
  }
}

TEST_CASE("Sheets of a surface: those beyond a cut go with it", "[unit]") {
  const TriangleMesh mesh = joined(joined(pipe(true), ring(8, 0.5, 0.95)), ring(3, 0.4, 0.9));
  for (const double z : {6.5, 2.0, 9.0}) {
    const RepairedMesh found = repaired(mesh, {.weld = {},
                                               .fillHole = {},
                                               .cuts = {{{0, 0, z}, {0, 0, 1}, "a cut"}},
                                               .keepSheets = true});
    CHECK(found.sheets.sheet.size() == (z < 3 ? 0 : z < 8 ? 1 : 2));
    if (z == 6.5) CHECK(found.sheets.sheet[0].centre[2] == Approx(3.0));
  }
}

TEST_CASE(
    "Sheets: a known one that is not held is lost, however small; a single triangle is debris",
    "[unit]") {
  TriangleMesh mesh;
  const auto put = [&](const Double3& corner, std::size_t triangles) {
    const auto v = static_cast<std::uint32_t>(mesh.vertex.size());
    for (const Double3& d : {Double3{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}})
      mesh.vertex.push_back(corner + d);
    mesh.triangle.push_back({v, v + 1, v + 2});
    if (triangles > 1) mesh.triangle.push_back({v, v + 2, v + 3});
  };
  put({0, 0, 1}, 2);
  put({7, 0, -1}, 2);
  put({0, 7, -1}, 1);
  put({7, 7, 1}, 2);
  const auto isAbove = [](const Double3& point) { return point[2] > 0.0; };
  InnerSearch search{10.0, isAbove, {1, 1, 1, 1, 1, 0, 0}, isAbove, 0.0};
  const InnerParts inner = innerParts(mesh, search);
  REQUIRE(inner.sheets.sheet.size() == 1);
  CHECK(inner.sheets.sheet[0].area == Approx(2.0));
  CHECK(inner.isSheet == std::vector<char>{1, 1, 0, 0, 0, 0, 0});
  REQUIRE(inner.lost.size() == 1);
  CHECK(inner.lost[0].area == Approx(2.0));
  CHECK(inner.debris == 1);
  CHECK(length(inner.lost[0].centre - Double3{8.0, 0.5, -1.0}) < 1e-12);
  search.size = 1.0;  // those that are not known are examined as well
  CHECK(innerParts(mesh, search).sheets.sheet.size() == 2);
}

TEST_CASE("Sheets: the rim of a membrane is no opening, although congruent to those of the ends",
          "[unit]") {
  const RepairedMesh found =
      repaired(joined(tubeMesh({0, 0, 0}, {0, 0, 10}, 1.0, 4, false), ring(4.1, 0.0, 1.0, 4)));
  CHECK(found.sheets.sheet.size() == 1);
  CHECK(found.caps.size() == 2);
  const std::vector<LoopHealth>& loops = found.asRead.openLoops;
  REQUIRE(loops.size() == 3);
  for (const LoopHealth& loop : loops) {
    CHECK(loop.perimeter == Approx(loops[0].perimeter));
    CHECK(loop.sheet == (std::abs(loop.centre[2] - 4.1) < 1e-5));
    CHECK(loop.opening == !loop.sheet);
  }
}
