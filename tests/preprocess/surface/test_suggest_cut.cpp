// SPDX-License-Identifier: GPL-3.0-or-later
// Where a closed surface with rounded ends could be cut.
#include <catch2/catch.hpp>
#include <cstdio>

#include "preprocess/surface/edit/cut_surface.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::surface;
using namespace tessera::test;

namespace {

CutPlane planeOf(const std::string& text) {
  CutPlane plane;
  REQUIRE(std::sscanf(text.c_str(), "%lf,%lf,%lf;%lf,%lf,%lf", &plane.point[0], &plane.point[1],
                      &plane.point[2], &plane.normal[0], &plane.normal[1], &plane.normal[2]) == 6);
  plane.normal = (1.0 / length(plane.normal)) * plane.normal;
  return plane;
}

}  // namespace

TEST_CASE("Suggested cut: it takes a rounded end off squarely", "[unit]") {
  for (const double tube : {6.0, 30.0}) {
    INFO("tube of " << tube << " radii");
    TriangleMesh mesh = turned(capsuleMesh(tube));
    const auto text = suggestCut(mesh, 1.0);
    REQUIRE(text);
    const CutPlane plane = planeOf(*text);
    const CutEnds ends = cutAway(mesh, {plane}, 1e-6);
    CHECK(ends.warnings.empty());
    std::vector<BoundaryLoop> loops = boundaryLoops(mesh, edgesOf(mesh));
    REQUIRE(loops.size() == 1);
    CHECK(length(loops[0].areaVector) == Approx(std::numbers::pi).epsilon(0.02));
    CHECK(std::abs(plane.normal[0]) > 0.998);  // along the tube
    CHECK(std::abs(plane.point[0]) < 0.5 * tube + 0.5);
    CHECK(std::abs(plane.point[0]) > 0.5 * tube - 2.0);
  }
}

TEST_CASE("Suggested cut: points are given in the unit of the file", "[unit]") {
  TriangleMesh mesh = capsuleMesh(10.0);
  const auto metres = suggestCut(mesh, 1.0);
  for (Double3& v : mesh.vertex) v = 1e-3 * v;
  const auto millimetres = suggestCut(mesh, 1e-3);
  REQUIRE(metres);
  REQUIRE(millimetres);
  CHECK(length(planeOf(*metres).point - planeOf(*millimetres).point) < 1e-3);
}

TEST_CASE("Suggested cut: a ball and a cube have no end to cut", "[unit]") {
  CHECK_FALSE(suggestCut(sphereMesh({1, 2, 3}, 1.0, 40, 24), 1.0));
  CHECK_FALSE(suggestCut(tubeMesh({0, 0, 0}, {0, 0, 1.414}, 1.0, 4, true), 1.0));
}
