// SPDX-License-Identifier: GPL-3.0-or-later
// --cut: ends of a vessel at planes.
#include <algorithm>
#include <catch2/catch.hpp>

#include "preprocess/surface/edit/cut_surface.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "preprocess/surface/topology/parts.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

CutPlane planeAt(const Double3& point, const Double3& direction) {
  return {point, 1.0 / length(direction) * direction, "given"};
}

RepairedMesh repairedWith(const TriangleSoup& soup, std::vector<CutPlane> cuts) {
  return repair(soup, 1.0, "a.stl", {{}, {}, std::move(cuts)});
}

// Area of a regular polygon.
double polygonArea(double radius, unsigned sides) {
  return 0.5 * sides * radius * radius * std::sin(2.0 * std::numbers::pi / sides);
}

// The openings that cuts made.
std::vector<Opening> cutOpenings(RepairedMesh& mesh) {
  std::vector<Cap> caps;
  for (const Cap& cap : mesh.caps)
    if (cap.origin == CapOrigin::Cut) caps.push_back(cap);
  return labelOpenings(mesh.mesh, caps).opening;
}

double areaOfTriangles(const TriangleMesh& mesh, const Cap& cap) {
  double area = 0.0;
  for (const std::uint32_t t : cap.triangle) area += 0.5 * length(areaVector(mesh, t));
  return area;
}

// A prism from z = 0 to 4 over a ring of points.
TriangleMesh prismOf(const std::vector<Double3>& ring) {
  const auto n = static_cast<Index>(ring.size());
  TriangleMesh mesh;
  for (const double z : {0.0, 4.0})
    for (const Double3& p : ring) mesh.vertex.push_back({p[0], p[1], z});
  for (Index i = 0; i < n; ++i) {
    const Index next = (i + 1) % n;
    mesh.triangle.push_back({i, next, n + next});
    mesh.triangle.push_back({i, n + next, n + i});
  }
  return mesh;
}

// A ring around z: the tube's radius is 1, its middle at 4.
TriangleMesh torusMesh(Index around, Index sides) {
  TriangleMesh mesh;
  for (Index i = 0; i < around; ++i)
    for (Index j = 0; j < sides; ++j) {
      const double a = 2.0 * std::numbers::pi * i / around, b = 2.0 * std::numbers::pi * j / sides;
      mesh.vertex.push_back(
          {(4.0 + std::cos(b)) * std::cos(a), (4.0 + std::cos(b)) * std::sin(a), std::sin(b)});
      const Index right = (i + 1) % around * sides, up = (j + 1) % sides;
      mesh.triangle.push_back({i * sides + j, right + j, right + up});
      mesh.triangle.push_back({i * sides + j, right + up, i * sides + up});
    }
  return mesh;
}

TriangleSoup insideOut(TriangleSoup soup) {
  for (std::size_t t = 0; t < soup.triangles(); ++t)
    std::swap(soup.corner[3 * t], soup.corner[3 * t + 1]);
  return soup;
}

}  // namespace

TEST_CASE("Cut: it ends a tube in a flat opening, square or oblique, open or closed", "[unit]") {
  const double area = polygonArea(0.5, 40);
  for (const bool closed : {true, false})
    for (const double slope : {0.0, 0.3, 1.0}) {
      INFO((closed ? "closed" : "open") << ", slope " << slope);
      const TriangleSoup tube = soupOf(tubeMesh({0, 0, 0}, {0, 0, 6}, 0.5, 40, closed));
      RepairedMesh mesh = repairedWith(insideOut(tube), {planeAt({0, 0, 4}, {slope, 0, 1})});
      CHECK(enclosedVolume(mesh.mesh) == Approx(4.0 * area).epsilon(1e-6));
      REQUIRE(mesh.caps.size() == (closed ? 1 : 2));
      const std::vector<Opening> openings = cutOpenings(mesh);
      REQUIRE(openings.size() == 1);
      const double stretch = std::sqrt(1.0 + slope * slope);
      CHECK(openings[0].area == Approx(area * stretch).epsilon(1e-6));
      CHECK(openings[0].normal[2] == Approx(1.0 / stretch).epsilon(1e-9));
      CHECK(length(openings[0].centre - Double3{0, 0, 4}) < 1e-6);
    }
}

TEST_CASE("Cut: of the vessels that the plane crosses only the nearest to the point is cut",
          "[unit]") {
  const TriangleMesh near = tubeMesh({0, 0, 0}, {0, 0, 6}, 0.5, 20, true);
  const TriangleMesh far = tubeMesh({1.2, 0, 0}, {1.2, 0, 6}, 0.6, 30, true);
  const RepairedMesh mesh =
      repairedWith(soupOf(joined(near, far)), {planeAt({0.1, 0, 4}, {0, 0.1, 1})});
  const double cut = 4.0 * polygonArea(0.5, 20), whole = 6.0 * polygonArea(0.6, 30);
  CHECK(enclosedVolume(mesh.mesh) == Approx(cut + whole).epsilon(1e-6));
  const Parts parts = partsOf(mesh.mesh);
  REQUIRE(parts.part.size() == 2);
  CHECK(parts.part[1].triangles == far.triangle.size());
  CHECK(mesh.warnings.empty());
}

TEST_CASE("Cut: a ring of vertices in the plane is cut along its edges", "[unit]") {
  const TriangleMesh sphere = sphereMesh({0, 0, 0}, 1.0, 48, 24);
  RepairedMesh mesh = repairedWith(soupOf(sphere), {planeAt({0, 0, 0}, {0, 0, 1})});
  CHECK(enclosedVolume(mesh.mesh) == Approx(0.5 * enclosedVolume(sphere)).epsilon(1e-6));
  CHECK(mesh.closingFrom == sphere.triangle.size() / 2);
  const std::vector<Opening> openings = cutOpenings(mesh);
  REQUIRE(openings.size() == 1);
  CHECK(openings[0].area == Approx(polygonArea(1.0, 48)).epsilon(1e-6));
}

TEST_CASE("Cut: a non-convex cross-section is covered once", "[unit]") {
  // A channel along three sides of a square.
  const TriangleMesh channel = prismOf(
      {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {3, 4, 0}, {3, 1, 0}, {1, 1, 0}, {1, 4, 0}, {0, 4, 0}});
  RepairedMesh mesh = repairedWith(
      soupOf(channel), {planeAt({0.5, 0.5, 1}, {0.1, 0, 1}), planeAt({0.5, 0.5, 0.1}, {0, 0, -1})});
  REQUIRE(mesh.caps.size() == 2);
  for (const Cap& cap : mesh.caps)
    CHECK(areaOfTriangles(mesh.mesh, cap) == Approx(10.0).epsilon(0.006));
  const std::vector<Opening> openings = cutOpenings(mesh);
  REQUIRE(openings.size() == 2);
  CHECK(openings[0].area == Approx(10.0).epsilon(1e-6));
  CHECK(openings[1].area == Approx(10.0 * std::sqrt(1.01)).epsilon(1e-6));
}

TEST_CASE("Cut: around a catheter the opening is the ring between", "[unit]") {
  TriangleMesh inner = tubeMesh({0.1, 0, 1}, {0.1, 0, 5}, 0.3, 24, true);
  for (Triangle& t : inner.triangle) std::swap(t[0], t[1]);
  const TriangleMesh both = joined(tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 40, true), inner);
  for (const double x : {-0.5, 0.1, 0.9}) {  // between, within the catheter, near the wall
    INFO("point at " << x);
    RepairedMesh mesh = repairedWith(soupOf(both), {planeAt({x, 0, 3}, {0, 0, 1})});
    const double area = polygonArea(1.0, 40) - polygonArea(0.3, 24);
    const std::vector<Opening> openings = cutOpenings(mesh);
    REQUIRE(openings.size() == 1);
    CHECK(openings[0].area == Approx(area).epsilon(1e-6));
    CHECK(enclosedVolume(mesh.mesh) ==
          Approx(3.0 * polygonArea(1.0, 40) - 2.0 * polygonArea(0.3, 24)).epsilon(1e-6));
  }
}

TEST_CASE("Cut: a ragged end beyond the plane does not matter", "[unit]") {
  const TriangleSoup sphere = soupOf(sphereMesh({0, 0, 0}, 1.0, 128, 80));
  TriangleSoup torn;
  for (std::size_t t = 0; t < sphere.triangles(); ++t) {
    const Float3& p = sphere.corner[3 * t];
    if (p[2] < 0.2 + 0.6 * std::sin(3.0 * std::atan2(p[1] + 0.2, p[0] - 0.3)))
      torn.corner.insert(torn.corner.end(), &sphere.corner[3 * t], &sphere.corner[3 * t] + 3);
  }
  checkError(ExitCode::BadInput, [&] { repairedWith(torn, {}); }, {"--cut"});
  checkError(ExitCode::Usage,
             [&] {
               repairedWith(torn, {planeAt({0, 0, 0.3}, {0, 0, 1})});
             },
             {"open"});
  const RepairedMesh mesh = repairedWith(torn, {planeAt({0, 0, -0.5}, {0, 0, 1})});
  CHECK(mesh.caps.size() == 1);
  CHECK(enclosedVolume(mesh.mesh) == Approx(std::numbers::pi * 0.25 * 2.5 / 3.0).epsilon(0.01));
}

TEST_CASE("Cut: one that separates nothing is refused, a second cut may separate it", "[unit]") {
  const TriangleSoup ring = soupOf(torusMesh(60, 24));
  const CutPlane one = planeAt({4, 0, 0}, {0, 1, 0});
  checkError(ExitCode::Usage, [&] { repairedWith(ring, {one}); }, {"connected elsewhere"});
  // A plane through the whole ring leaves an opening of two loops.
  RepairedMesh halved = repairedWith(ring, {planeAt({4, 0, 0}, {0, 0, 1})});
  CHECK(enclosedVolume(halved.mesh) ==
        Approx(0.5 * enclosedVolume(torusMesh(60, 24))).epsilon(1e-5));
  const std::vector<Opening> openings = cutOpenings(halved);
  REQUIRE(openings.size() == 1);
  CHECK(openings[0].area == Approx(polygonArea(5.0, 60) - polygonArea(3.0, 60)).epsilon(1e-6));
}

TEST_CASE("Cut: impossible cuts are refused with the reason", "[unit]") {
  const TriangleSoup tube = soupOf(tubeMesh({0, 0, 0}, {0, 0, 6}, 0.5, 20, true));
  const auto sentenceFor = [&](const std::vector<CutPlane>& cuts) {
    return sentenceOfError(ExitCode::Usage, [&] { repairedWith(tube, cuts); });
  };
  CHECK_THAT(sentenceFor({planeAt({0, 0, 7}, {0, 0, 1})}),
             Catch::Contains("--cut \"given\"") && Catch::Contains("(500, 500, 6000)"));
  CHECK_THAT(sentenceFor({planeAt({0, 0, 4}, {0, 0, 1}), planeAt({0, 0, 2}, {0, 0, 1})}),
             Catch::Contains("cut"));
  const RepairedMesh mesh = repairedWith(tube, {planeAt({3, 0, 4}, {0, 0, 1})});
  REQUIRE(mesh.warnings.size() == 1);
  CHECK_THAT(mesh.warnings[0], Catch::Contains("cross-section"));
}

TEST_CASE("Cut: cut faces keep their labels, and the opening has none", "[unit]") {
  const TriangleMesh tube = tubeMesh({0, 0, 0}, {0, 0, 6}, 0.5, 20, true);
  TriangleSoup soup = soupOf(tube);
  for (const Patch label : tube.label)
    soup.face.push_back(isOpening(label) ? static_cast<std::uint16_t>(openingId(label)) : 0);
  soup.faceName = {"wall", "start", "end"};
  RepairedMesh mesh = repairedWith(soup, {planeAt({0, 0, 4}, {0, 0.2, 1})});
  REQUIRE(mesh.mesh.label.size() == mesh.mesh.triangle.size());
  const std::vector<Opening> openings = cutOpenings(mesh);
  REQUIRE(openings.size() == 1);
  CHECK(openings[0].name == "opening1");
  CHECK(labelWalls(mesh.mesh, soup.faceName) == std::vector<std::string>{"wall", "start"});
}
