// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps of tubes with sheets that are rooted on the wall: diaphragms, funnels, septa with a hole
// and leaflets of many sizes, before lengths of the wrap that are longer or shorter than they are.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "preprocess/surface/repair/wrap.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/damaged_tube.hpp"

using namespace tessera;
using namespace tessera::preprocess::surface;
using namespace tessera::test;

namespace {

constexpr std::size_t ringTriangles = 2 * DamagedTube::columns;
constexpr std::size_t rootRing = 75;  // of the wall, z = 25

// A sheet from the wall inward: its free edge is `width` from the wall and `rise` above the root.
struct Rooted {
  double width = 0.0, rise = 0.0;
  Index columns = DamagedTube::columns;  // from the first one
};

Double3 doubleOf(const Float3& p) {
  return {p[0], p[1], p[2]};
}

Float3 inward(const Double3& root, const Rooted& sheet, double share) {
  const double scale = 1.0 - share * sheet.width / DamagedTube::radius;
  return {static_cast<float>(scale * root[0]), static_cast<float>(scale * root[1]),
          static_cast<float>(root[2] + share * sheet.rise)};
}

// Two rows of triangles. Returns the area.
double addSheet(DamagedTube& tube, const Rooted& sheet) {
  double area = 0.0;
  const auto put = [&](const Float3& a, const Float3& b, const Float3& c) {
    tube.triangle.push_back({a, b, c});
    tube.isGone.push_back(0);
    area += 0.5 * length(cross(doubleOf(b) - doubleOf(a), doubleOf(c) - doubleOf(a)));
  };
  for (Index k = 0; k < sheet.columns; ++k) {
    const auto& wall = tube.triangle[ringTriangles * rootRing + 2 * k];
    const Double3 one = doubleOf(wall[0]), other = doubleOf(wall[1]);
    for (const double from : {0.0, 0.5}) {
      const Float3 a = inward(one, sheet, from), b = inward(other, sheet, from);
      const Float3 c = inward(other, sheet, from + 0.5), d = inward(one, sheet, from + 0.5);
      put(a, b, c);
      put(a, c, d);
    }
  }
  return area;
}

// The wall is damaged except where the sheet is rooted.
double addRootedSheet(DamagedTube& tube, const Rooted& sheet) {
  tube.removeAny(300);
  for (std::size_t t = ringTriangles * (rootRing - 1); t < ringTriangles * (rootRing + 1); ++t)
    tube.isGone[t] = 0;
  return addSheet(tube, sheet);
}

RepairedMesh wrapped(const DamagedTube& tube, double alpha, bool keepSheets = true) {
  return wrap(tube.soup(), 1.0, "a.stl", {{}, fillHole, {}, keepSheets}, alpha);
}

void checkKept(const Rooted& sheet, double alpha) {
  INFO("width " << sheet.width << ", rise " << sheet.rise << ", " << sheet.columns
                << " columns, alpha " << alpha);
  DamagedTube tube(21);
  const double area = addRootedSheet(tube, sheet);
  const RepairedMesh mesh = wrapped(tube, alpha);
  REQUIRE(mesh.sheets.sheet.size() == 1);
  CHECK(mesh.sheets.sheet[0].area == Approx(area));
  CHECK(mesh.sheets.mesh.triangle.size() == 4 * sheet.columns);
  CHECK(mesh.caps.size() == 2);
  CHECK(mesh.closedLoops.empty());
  CHECK(mesh.wrap->enclosedShare < 0.002);
  CHECK(mesh.warnings.empty());
  const double withinOffset = 2.0 * wrapOffsetShare * alpha / DamagedTube::radius;
  CHECK(mesh.wrap->volume ==
        Approx(std::numbers::pi * DamagedTube::radius * DamagedTube::radius * 40.0)
            .epsilon(std::max(0.025, withinOffset)));
}

}  // namespace

TEST_CASE("Wrap of rooted sheets: diaphragms are kept whatever the length of the wrap", "[unit]") {
  for (const double width : {0.6, 1.15, 4.0})
    for (const double alpha : {1.0, 2.0}) checkKept({width, 0.0}, alpha);
}

TEST_CASE("Wrap of rooted sheets: slanted ones are no ends of the vessel", "[unit]") {
  checkKept({1.15, 1.15}, 1.0);
  checkKept({1.15, -2.0}, 2.0);
  checkKept({2.5, 4.0}, 2.0);
}

TEST_CASE("Wrap of rooted sheets: leaflets on a part of the wall are kept", "[unit]") {
  checkKept({3.0, 0.0, 20}, 1.0);
  checkKept({1.5, 0.8, 24}, 1.0);
  checkKept({3.0, -1.0, 24}, 2.0);
}

TEST_CASE("Wrap of rooted sheets: they may be much smaller than the length of the wrap", "[unit]") {
  checkKept({0.6, 0.0}, 3.6);      // a ring
  checkKept({1.5, 0.8, 12}, 3.0);  // a leaflet
  checkKept({1.5, 0.8, 12}, 6.0);
  checkKept({1.0, 0.4, 2}, 2.0);  // flaps of 1 mm
  checkKept({1.0, -0.4, 2}, 4.0);
  checkKept({1.0, 0.0, 2}, 6.0);
}

TEST_CASE("Wrap of free sheets: they may be much smaller than the length of the wrap", "[unit]") {
  for (const double alpha : {2.0, 4.0, 6.0})
    for (const double x : {0.0, 3.8}) {  // in the middle, or within a tenth of 6 of the wall
      INFO("alpha " << alpha << ", x " << x);
      DamagedTube tube(25);
      tube.removeAny(300);
      const auto at = [&](double y, double z) {
        return Float3{static_cast<float>(x + 0.3 * (z - 20.0)), static_cast<float>(y),
                      static_cast<float>(z)};
      };
      const auto put = [&](const Float3& a, const Float3& b, const Float3& c) {
        tube.triangle.push_back({a, b, c});
        tube.isGone.push_back(0);
      };
      put(at(-0.5, 20.0), at(0.5, 20.0), at(0.5, 21.0));
      put(at(-0.5, 20.0), at(0.5, 21.0), at(-0.5, 21.0));
      const RepairedMesh mesh = wrapped(tube, alpha);
      REQUIRE(mesh.sheets.sheet.size() == 1);
      CHECK(mesh.sheets.sheet[0].area == Approx(std::sqrt(1.09)));
      CHECK(mesh.caps.size() == 2);
      CHECK(mesh.warnings.empty());
    }
}

TEST_CASE("Wrap of sheets: those beyond a cut are gone without a warning", "[unit]") {
  DamagedTube tube(27);
  const double area = addRootedSheet(tube, {1.5, 0.8, 12});  // z = 25
  for (const float y : {-0.5F, 0.5F}) {
    tube.triangle.push_back({Float3{-0.5F, -y, 33}, Float3{0.5F, -y, 33}, Float3{2.0F * y, y, 33}});
    tube.isGone.push_back(0);
  }
  const CutPlane cut{{0, 0, 30}, {0, 0, 1}, "z"};
  const RepairedMesh mesh = wrap(tube.soup(), 1.0, "a.stl", {{}, fillHole, {cut}}, 4.0);
  REQUIRE(mesh.sheets.sheet.size() == 1);
  CHECK(mesh.sheets.sheet[0].area == Approx(area));
  for (const std::string& warning : mesh.warnings) CHECK_THAT(warning, !Catch::Contains("lost"));
}

TEST_CASE("Wrap of sheets: single triangles are debris of a damaged surface", "[unit]") {
  DamagedTube tube(26);
  tube.removeAny(300);
  tube.triangle.push_back({Float3{0, 0, 20}, Float3{1, 0, 20}, Float3{0, 1, 20.5F}});
  tube.isGone.push_back(0);
  const RepairedMesh mesh = wrapped(tube, 2.0);
  CHECK(mesh.sheets.sheet.empty());
  CHECK(mesh.warnings.empty());
  CHECK(std::ranges::count(mesh.repairs, std::pair<std::string, std::uint64_t>(
                                             "single_triangles_dropped", 1)) == 1);
}

TEST_CASE("Wrap of rooted sheets: dropped on request", "[unit]") {
  DamagedTube tube(22);
  addRootedSheet(tube, {1.15, 0.0});
  const RepairedMesh mesh = wrapped(tube, 1.0, false);
  CHECK(mesh.sheets.sheet.empty());
  CHECK(mesh.closedLoops.empty());
  CHECK(mesh.warnings.empty());
  CHECK(std::count(mesh.repairs.begin(), mesh.repairs.end(),
                   std::pair<std::string, std::uint64_t>{"sheets_dropped", 1}) == 1);
}

TEST_CASE("Wrap of rooted sheets: those that are lost are warned about with their area and place",
          "[unit]") {
  const auto lost = [](const RepairedMesh& mesh, double area, double share) {
    CHECK(mesh.sheets.sheet.empty());
    REQUIRE(mesh.warnings.size() == 1);
    CHECK_THAT(mesh.warnings[0], Catch::Contains("mm2") && Catch::Contains("lost"));
    const double surface = 2.0 * std::numbers::pi * DamagedTube::radius * 40.0 + area;
    CHECK(mesh.wrap->enclosedShare * surface <= 1.02 * area);
    CHECK(mesh.wrap->enclosedShare * surface > share * area);
  };
  // With a gap in the wall at its root it is connected to the wall.
  DamagedTube torn(24);
  const double area = addRootedSheet(torn, {2.0, 0.0});
  for (const std::size_t row : {rootRing - 1, rootRing})
    for (std::size_t t = 0; t < ringTriangles; t += row == rootRing ? 12 : 22)
      torn.isGone[ringTriangles * row + t] = torn.isGone[ringTriangles * row + t + 1] = 1;
  lost(wrapped(torn, 1.0), area, 0.6);
}
