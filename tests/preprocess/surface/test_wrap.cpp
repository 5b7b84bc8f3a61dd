// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps of tubes with damage of known kinds: radius, openings and volume are those of the intact
// tube.
#include <tbb/global_control.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "preprocess/surface/repair/wrap.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/damaged_tube.hpp"

using namespace tessera;
using namespace tessera::preprocess::surface;
using namespace tessera::test;

namespace {

constexpr double alpha = 1.0, offset = alpha * wrapOffsetShare;
constexpr double radius = DamagedTube::radius, tubeLength = DamagedTube::length;

RepairedMesh wrapped(const TriangleSoup& soup, double length = alpha,
                     std::vector<CutPlane> cuts = {}) {
  return wrap(soup, 1.0, "a.stl", {{}, fillHole, std::move(cuts)}, length);
}

struct End {
  Double3 centre{}, normal{};
  double area = 0.0, offPlane = 0.0;
};

End endOf(const TriangleMesh& mesh, const Cap& cap) {
  End end;
  Double3 sum{}, middle{};
  for (const std::uint32_t t : cap.triangle) {
    const double size = 0.5 * length(areaVector(mesh, t));
    sum = sum + 0.5 * areaVector(mesh, t);
    for (const std::uint32_t v : mesh.triangle[t]) middle = middle + (size / 3.0) * mesh.vertex[v];
    end.area += size;
  }
  end.normal = (1.0 / length(sum)) * sum;
  end.centre = (1.0 / end.area) * middle;
  for (const std::uint32_t t : cap.triangle)
    for (const std::uint32_t v : mesh.triangle[t])
      end.offPlane = std::max(end.offPlane, std::abs(dot(mesh.vertex[v] - end.centre, end.normal)));
  return end;
}

bool isManifold(const TriangleMesh& mesh) {
  const EdgeTable edges = edgesOf(mesh);
  const EdgeCensus census = censusOf(mesh, edges);
  return census.open + census.sameDirection + census.nonManifold == 0;
}

// Radius within the offset, two flat ends at 0 and 40, volume within 2 %. shaken: largest
// displacement of the tube's corners.
void checkTube(const RepairedMesh& mesh, double shaken = 0.0) {
  CHECK(isManifold(mesh.mesh));
  CHECK(mesh.edges.start.size() == mesh.mesh.vertex.size() + 1);
  CHECK(mesh.edges.end.size() == 3 * mesh.mesh.triangle.size());
  CHECK(mesh.closed.triangles == mesh.mesh.triangle.size());
  for (const Double3& v : mesh.mesh.vertex) {
    const double r = std::hypot(v[0], v[1]);
    if (r > 0.5 * radius) CHECK(std::abs(r - radius) <= offset + 2.0 * shaken);
  }
  const double volume = std::numbers::pi * radius * radius * tubeLength;
  CHECK(enclosedVolume(mesh.mesh) == Approx(volume).epsilon(0.02));
  CHECK(mesh.wrap.value().volume == Approx(enclosedVolume(mesh.mesh)));
  REQUIRE(mesh.caps.size() == 2);
  for (const Cap& cap : mesh.caps) {
    const End end = endOf(mesh.mesh, cap);
    const double z = end.normal[2] < 0.0 ? 0.0 : tubeLength;
    CHECK(length(end.centre - Double3{0.0, 0.0, z}) < offset + 2.0 * shaken);
    CHECK(std::abs(end.normal[2]) > 0.999);
    CHECK(end.offPlane < 1e-4);
    CHECK(std::sqrt(end.area / std::numbers::pi) == Approx(radius).margin(offset + shaken));
  }
}

// Both ends torn along a wave far from any plane.
DamagedTube tornTube() {
  DamagedTube tube(1);
  for (Index j = 0; j < DamagedTube::rings; ++j)
    for (Index i = 0; i < DamagedTube::columns; ++i) {
      const double wave = 20.0 + 15.0 * std::sin(6.0 * std::numbers::pi * i / 64.0);
      if (j < wave || j > 80.0 + wave) tube.removeColumn(i, j, j + 1);
    }
  return tube;
}

}  // namespace

TEST_CASE("Wrap: a tube with holes, missing strips, turned and crossing triangles is the tube",
          "[unit]") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    DamagedTube tube(seed);
    tube.removeAny(300);
    for (int k = 0; k < 6; ++k) {
      const auto first = static_cast<Index>(3 + tube.any(100));
      tube.removeColumn(static_cast<Index>(tube.any(64)), first, std::min<Index>(116, first + 30));
    }
    tube.turnAny(1500);
    tube.addCrossing(200);
    const TriangleSoup soup = tube.soup();
    checkError(ExitCode::BadInput,
               [&] {
                 repair(soup, 1.0, "a.stl", {{}, fillHole});
               },
               {"a.stl", "--wrap"});
    const RepairedMesh mesh = wrapped(soup);
    checkTube(mesh);
    CHECK(mesh.wrap->farthest < 0.2 * radius);
    CHECK_FALSE(mesh.wrap->volumeBefore);
  }
}

TEST_CASE("Wrap: ends of unconnected triangles are found", "[unit]") {
  DamagedTube tube(4);
  tube.shake(0.05);
  const TriangleSoup soup = tube.soup();
  checkTube(wrapped(soup), 0.05);
}

TEST_CASE("Wrap: ends whose rims a missing strip divides are found", "[unit]") {
  for (const Index strips : {Index{1}, Index{3}}) {
    DamagedTube tube(5);
    for (Index k = 0; k < strips; ++k) tube.removeColumn(7 + 20 * k, 0, DamagedTube::rings);
    checkTube(wrapped(tube.soup()), 0.03);  // rims are found by welding at half of alpha
  }
}

TEST_CASE("Wrap: a closed surface keeps its flat ends, volume and faces", "[unit]") {
  TriangleMesh closed = tubeMesh({0, 0, 0}, {0, 0, tubeLength}, radius, 64, true);
  TriangleSoup soup = soupOf(closed);
  for (const Patch label : closed.label)
    soup.face.push_back(isOpening(label) ? static_cast<std::uint16_t>(openingId(label)) : 0);
  soup.faceName = {"artery", "in", "out"};
  const RepairedMesh mesh = wrapped(soup);
  checkTube(mesh);
  CHECK(*mesh.wrap->volumeBefore == Approx(enclosedVolume(closed)));
  CHECK(mesh.wrap->endsAreKnown);
  REQUIRE(mesh.caps.size() == 2);
  for (const Cap& cap : mesh.caps)
    CHECK(cap.name == (endOf(mesh.mesh, cap).normal[2] < 0.0 ? "in" : "out"));
  REQUIRE(mesh.mesh.label.size() == mesh.mesh.triangle.size());
  for (std::size_t t = 0; t < mesh.closingFrom; ++t) CHECK(mesh.mesh.label[t] == 0);
}

TEST_CASE("Wrap: walls and separately meshed caps keep the names of their faces", "[unit]") {
  DamagedTube tube(6);
  tube.removeAny(300);
  TriangleSoup soup = tube.soup();
  for (std::size_t t = 0; t < soup.triangles(); ++t)
    soup.face.push_back(soup.corner[3 * t][2] < 0.5F * static_cast<float>(tubeLength) ? 0 : 1);
  const TriangleMesh disc = tubeMesh({0, 0, 0}, {0, 0, tubeLength}, 4.9, 50, true);
  for (std::size_t t = 0; t < disc.triangle.size(); ++t) {
    if (disc.label[t] != openingPatch(1)) continue;
    for (const std::uint32_t v : disc.triangle[t])
      soup.corner.push_back(
          {static_cast<float>(disc.vertex[v][0]), static_cast<float>(disc.vertex[v][1]), 0.01F});
    soup.face.push_back(2);
  }
  soup.faceName = {"low", "high", "lid"};
  const RepairedMesh mesh = wrapped(soup);
  checkTube(mesh);
  for (const Cap& cap : mesh.caps) {
    const bool low = endOf(mesh.mesh, cap).normal[2] < 0.0;
    CHECK(cap.face.has_value() == low);
    if (low) CHECK(*cap.face == 2);
  }
  for (std::size_t t = 0; t < mesh.closingFrom; ++t) {
    const double z = mesh.mesh.vertex[mesh.mesh.triangle[t][0]][2];
    if (std::abs(z - 0.5 * tubeLength) > 2.0 * alpha && z > 0.1)
      CHECK(mesh.mesh.label[t] == (z < 0.5 * tubeLength ? 0 : 1));
  }
}

TEST_CASE("Wrap: an open vessel does not become a shell round its wall", "[unit]") {
  const TriangleSoup torn = tornTube().soup();
  checkError(ExitCode::BadInput, [&] { wrapped(torn); }, {"a.stl", "--wrap"});
  // A length above the radius of the ends closes them.
  const RepairedMesh closed = wrapped(torn, 1.4 * radius);
  CHECK(closed.wrap->volume > std::numbers::pi * radius * radius * 0.5 * tubeLength);
  CHECK(closed.caps.empty());
}

TEST_CASE("Wrap: cuts end the vessel, before the wrap or in it", "[unit]") {
  DamagedTube tube(8);
  tube.removeAny(300);
  const auto lengthOf = [](const RepairedMesh& mesh) { return boundsOf(mesh.mesh).extent()[2]; };
  const CutPlane plane{{0, 0, 30}, {0, 0, 1}, "0,0,30;0,0,1"};
  const RepairedMesh mesh = wrapped(tube.soup(), alpha, {plane});
  CHECK(lengthOf(mesh) == Approx(30.0).epsilon(1e-6));
  CHECK(mesh.caps.size() == 2);
  tube.shake(0.05);
  const RepairedMesh shaken = wrapped(tube.soup(), alpha, {plane});
  CHECK(lengthOf(shaken) == Approx(30.0).epsilon(0.005));
  CHECK(std::count_if(shaken.caps.begin(), shaken.caps.end(),
                      [](const Cap& cap) { return cap.origin == CapOrigin::Cut; }) == 1);
  CHECK(shaken.wrap->farthest < alpha);  // not to the part that was cut off
}

TEST_CASE("Wrap: solids inside a vessel are lost with a warning", "[unit]") {
  TriangleMesh body = sphereMesh({0, 0, 20}, 2.0, 30, 20);
  for (Triangle& t : body.triangle) std::swap(t[1], t[2]);
  const RepairedMesh mesh =
      wrapped(soupOf(joined(tubeMesh({0, 0, 0}, {0, 0, tubeLength}, radius, 64, true), body)));
  checkTube(mesh);
  CHECK(mesh.wrap->enclosedShare > 0.01);
  CHECK(mesh.sheets.sheet.empty());
  REQUIRE(mesh.warnings.size() == 2);
  const double share = surfaceArea(body) / (surfaceArea(body) + surfaceArea(mesh.mesh));
  CHECK(mesh.wrap->enclosedShare == Approx(share).epsilon(0.1));
  CHECK_THAT(mesh.warnings.back(), Catch::Contains("mm2") && Catch::Contains("lost"));
}

TEST_CASE("Wrap: sheets inside a vessel stay as they are, free or joined to its wall", "[unit]") {
  DamagedTube tube(11);
  const auto put = [&](Double3 a, Double3 b, Double3 c) {
    const auto single = [](const Double3& p) {
      return Float3{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
    };
    tube.triangle.push_back({single(a), single(b), single(c)});
    tube.isGone.push_back(0);
  };
  // A free square, and a septum whose rim is that of a ring of the wall.
  put({-2, -2, 10}, {2, -2, 10}, {2, 2, 10});
  put({-2, -2, 10}, {2, 2, 10}, {-2, 2, 10});
  const std::size_t ring = 2 * DamagedTube::columns * 75;  // z = 25
  for (std::size_t k = 0; k < DamagedTube::columns; ++k) {
    const auto& t = tube.triangle[ring + 2 * k];
    const auto at = [](const Float3& p) { return Double3{p[0], p[1], p[2]}; };
    put({0, 0, 25}, at(t[0]), at(t[1]));
  }
  tube.removeAny(300);
  std::fill(tube.isGone.begin() + 2 * DamagedTube::columns * DamagedTube::rings, tube.isGone.end(),
            0);
  for (std::size_t k = 0; k < 2 * DamagedTube::columns; ++k) {  // the wall at the septum
    tube.isGone[ring + k] = 0;
    tube.isGone[ring - 2 * DamagedTube::columns + k] = 0;
  }
  const RepairedMesh mesh = wrapped(tube.soup());
  checkTube(mesh);
  REQUIRE(mesh.sheets.sheet.size() == 2);
  const Sheet& square = mesh.sheets.sheet[mesh.sheets.sheet[0].area < 20.0 ? 0 : 1];
  const Sheet& septum = mesh.sheets.sheet[mesh.sheets.sheet[0].area < 20.0 ? 1 : 0];
  CHECK(square.area == Approx(16.0));
  CHECK(length(square.centre - Double3{0, 0, 10}) < 1e-6);
  CHECK(septum.area == Approx(32.0 * radius * radius * std::sin(std::numbers::pi / 32.0)));
  CHECK(length(septum.centre - Double3{0, 0, 25}) < 1e-6);
  const RepairedMesh dropped = wrap(tube.soup(), 1.0, "a.stl", {{}, fillHole, {}, false}, alpha);
  CHECK(dropped.sheets.sheet.empty());
  CHECK(dropped.sheets.mesh.triangle.empty());
}

TEST_CASE("Wrap: a length that is too short or too long is refused", "[unit]") {
  const TriangleSoup soup = DamagedTube(9).soup();
  checkError(ExitCode::Usage, [&] { wrapped(soup, 1e-3); }, {"--wrap", "a.stl"});
  checkError(ExitCode::Usage, [&] { wrapped(soup, 11.0); }, {"--wrap", "a.stl"});
}

TEST_CASE("Wrap: the bytes do not depend on the run or the number of threads", "[unit]") {
  DamagedTube tube(10);
  tube.removeAny(300);
  const TriangleSoup soup = tube.soup();
  const auto withThreads = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return wrapped(soup).mesh;
  };
  const TriangleMesh one = withThreads(1), four = withThreads(4);
  CHECK(one.vertex == four.vertex);
  CHECK(one.triangle == four.triangle);
}
