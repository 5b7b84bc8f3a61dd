// SPDX-License-Identifier: GPL-3.0-or-later
// --extend: tubes over openings.
#include <algorithm>
#include <catch2/catch.hpp>

#include "preprocess/surface/edit/cut_surface.hpp"
#include "preprocess/surface/edit/extension_tube.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "preprocess/surface/topology/edge_table.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

struct Vessel {
  TriangleMesh mesh;
  std::vector<Opening> openings;
};

Vessel vesselOf(const TriangleMesh& mesh, std::vector<CutPlane> cuts = {}) {
  RepairedMesh repaired = repair(soupOf(mesh), 1.0, "a.stl", {{}, {}, std::move(cuts)});
  Vessel vessel;
  vessel.openings = labelOpenings(repaired.mesh, repaired.caps).opening;
  vessel.mesh = std::move(repaired.mesh);
  return vessel;
}

std::uint64_t unevenEdges(const TriangleMesh& mesh) {
  const EdgeCensus census = censusOf(mesh, edgesOf(mesh));
  return census.open + census.sameDirection + census.nonManifold;
}

}  // namespace

TEST_CASE("Extension: it moves the opening and keeps area, normal and wall", "[unit]") {
  const Double3 end{4, 8, 5};
  Vessel vessel = vesselOf(tubeMesh({1, 2, 3}, end, 0.5, 31, false));
  const double volume = enclosedVolume(vessel.mesh);
  Opening& opening = vessel.openings[1];
  const Opening before = opening;
  // 4 A / P of a polygon is the diameter of the circle in it.
  const double diameter = hydraulicDiameter(vessel.mesh, opening);
  CHECK(diameter == Approx(std::cos(std::numbers::pi / 31)).epsilon(1e-5));
  CHECK_FALSE(firstObstacle(vessel.mesh, opening, 5.0));
  extendBy(vessel.mesh, opening, 5.0);
  CHECK(unevenEdges(vessel.mesh) == 0);
  CHECK(length(opening.centre - (before.centre + 5.0 * before.normal)) < 1e-9);
  CHECK(enclosedVolume(vessel.mesh) == Approx(volume + 5.0 * before.area).epsilon(1e-9));
  Cap cap;
  for (std::uint32_t t = 0; t < vessel.mesh.triangle.size(); ++t)
    if (vessel.mesh.label[t] == openingPatch(2)) cap.triangle.push_back(t);
  Double3 area{};
  for (const std::uint32_t t : cap.triangle) area = area + 0.5 * areaVector(vessel.mesh, t);
  CHECK(length(area - before.area * before.normal) < 1e-9);
  for (const std::uint32_t t : cap.triangle)
    for (const std::uint32_t v : vessel.mesh.triangle[t])
      CHECK(std::abs(dot(vessel.mesh.vertex[v] - opening.centre, opening.normal)) < 1e-9);
}

TEST_CASE("Extension: a rim that is not flat leads to an end that is", "[unit]") {
  TriangleMesh tube = tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 40, false);
  for (Double3& v : tube.vertex)
    if (v[2] > 3.0) v[2] += 0.05 * std::sin(3.0 * std::atan2(v[1], v[0]));
  Vessel vessel = vesselOf(tube);
  REQUIRE(vessel.openings.size() == 2);
  Opening& opening = vessel.openings[1];
  const double volume = enclosedVolume(vessel.mesh);
  extendBy(vessel.mesh, opening, 3.0);
  CHECK(unevenEdges(vessel.mesh) == 0);
  CHECK(enclosedVolume(vessel.mesh) == Approx(volume + 3.0 * opening.area).epsilon(1e-6));
  CHECK(boundsOf(vessel.mesh).high[2] == Approx(9.0).epsilon(1e-4));
}

TEST_CASE("Extension: one that would run into the vessel is refused with the possible length",
          "[unit]") {
  // The end of a tube faces the side of another part, 2.5 away.
  const TriangleMesh both = joined(tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 40, false),
                                   tubeMesh({-5, 0.3, 9.5}, {5, 0.3, 9.5}, 1.0, 80, false));
  const Vessel vessel = vesselOf(both);
  const auto up = std::find_if(vessel.openings.begin(), vessel.openings.end(),
                               [](const Opening& opening) { return opening.normal[2] > 0.9; });
  REQUIRE(up != vessel.openings.end());
  CHECK_FALSE(firstObstacle(vessel.mesh, *up, 2.4));
  const auto hit = firstObstacle(vessel.mesh, *up, 10.0);
  REQUIRE(hit);
  CHECK(*hit == Approx(2.5).epsilon(0.01));
  // One that passes without touching does not.
  const TriangleMesh beside = joined(tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 40, false),
                                     tubeMesh({-5, 2.1, 9.5}, {5, 2.1, 9.5}, 1.0, 80, false));
  const Vessel free = vesselOf(beside);
  for (const Opening& opening : free.openings)
    if (opening.normal[2] > 0.9) CHECK_FALSE(firstObstacle(free.mesh, opening, 10.0));
}

TEST_CASE("Extension: a ring is extended as a ring", "[unit]") {
  TriangleMesh inner = tubeMesh({0, 0, 1}, {0, 0, 5}, 0.3, 24, true);
  for (Triangle& t : inner.triangle) std::swap(t[0], t[1]);
  Vessel vessel = vesselOf(joined(tubeMesh({0, 0, 0}, {0, 0, 6}, 1.0, 40, true), inner),
                           {{{0.5, 0, 3}, {0, 0, 1}, "given"}});
  REQUIRE(vessel.openings.size() == 1);
  Opening& opening = vessel.openings[0];
  const double volume = enclosedVolume(vessel.mesh);
  CHECK_FALSE(firstObstacle(vessel.mesh, opening, 4.0));
  extendBy(vessel.mesh, opening, 4.0);
  CHECK(unevenEdges(vessel.mesh) == 0);
  CHECK(enclosedVolume(vessel.mesh) == Approx(volume + 4.0 * opening.area).epsilon(1e-6));
}
