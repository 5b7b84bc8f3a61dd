// SPDX-License-Identifier: GPL-3.0-or-later
// Filleted ends of flat and square ducts, whose flanks are as flat as they are.
#include <catch2/catch.hpp>

#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::surface;
using namespace tessera::test;

namespace {

// Duct along z with flat ends that are filleted by 0.15; its outline has two straight sides of 2
// halfWidth, in pieces, and semicircles of radius 1. rows: of the wall.
struct StadiumDuct {
  double halfWidth = 0.0, height = 40.0;
  Index rows = 1, pieces = 1;
};

TriangleMesh meshOf(const StadiumDuct& duct) {
  constexpr Index arc = 10, steps = 4;
  constexpr double fillet = 0.15, pi = std::numbers::pi;
  const auto [halfWidth, height, rows, pieces] = duct;
  std::vector<std::array<double, 2>> profile;  // inset and z
  for (Index k = 0; k <= steps; ++k) {
    const double angle = 0.5 * pi * k / steps;
    profile.push_back({fillet * (1.0 - std::sin(angle)), fillet * (1.0 - std::cos(angle))});
  }
  for (Index k = 1; k < rows; ++k)
    profile.push_back({0.0, fillet + (height - 2.0 * fillet) * k / rows});
  for (Index k = 0; k <= steps; ++k)
    profile.push_back({profile[steps - k][0], height - profile[steps - k][1]});
  TriangleMesh mesh;
  const Index around = 2 * (arc + pieces);
  for (const auto& [inset, z] : profile)
    for (const double side : {1.0, -1.0}) {
      for (Index k = 0; k <= arc; ++k) {
        const double angle = pi * k / arc - 0.5 * pi, r = 1.0 - inset;
        mesh.vertex.push_back(
            {side * (halfWidth + r * std::cos(angle)), side * r * std::sin(angle), z});
      }
      for (Index k = 1; k < pieces; ++k)
        mesh.vertex.push_back(
            {side * halfWidth * (1.0 - 2.0 * k / pieces), side * (1.0 - inset), z});
    }
  const Index last = around * static_cast<Index>(profile.size() - 1);
  for (Index k = 0; k < around; ++k) {
    const Index next = (k + 1) % around;
    for (Index low = 0; low < last; low += around) {
      mesh.triangle.push_back({low + k, low + next, low + around + next});
      mesh.triangle.push_back({low + k, low + around + next, low + around + k});
    }
    if (k == 0 || next == 0) continue;
    mesh.triangle.push_back({0, next, k});
    mesh.triangle.push_back({last, last + k, last + next});
  }
  return mesh;
}

std::vector<Opening> openingsOf(const TriangleMesh& mesh) {
  RepairedMesh repaired = repair(soupOf(mesh), 1.0, "a.stl");
  const double tolerance = 1e-4 * boundsOf(repaired.mesh).longest();
  const FoundCaps flat = findUnevenCaps(repaired.mesh, tolerance, repaired.caps);
  CHECK(flat.warnings.empty());
  return labelOpenings(repaired.mesh, flat.caps).opening;
}

// Turned so that no axis of the duct is one of the file.
TriangleMesh onNoAxis(TriangleMesh mesh) {
  const Double3 x = unit(Double3{2, 1, -1}), z = unit(cross(x, Double3{1, 3, 2}));
  const Double3 y = cross(z, x);
  for (Double3& v : mesh.vertex) v = v[0] * x + v[1] * y + v[2] * z;
  return mesh;
}

}  // namespace

TEST_CASE("Duct ends: the filleted ends of flat ducts are openings, their flanks are not",
          "[unit]") {
  // Flanks of many rows have as many edges round them as ends have.
  std::vector<StadiumDuct> ducts{{3.0, 12.0, 20, 1}, {2.0, 12.0, 20, 1}, {3.0, 12.0, 7, 1}};
  for (const double halfWidth : {3.0, 5.0, 8.0})
    for (const auto& [rows, pieces] : {std::pair<Index, Index>{1, 1}, {20, 1}, {1, 6}})
      ducts.push_back({halfWidth, 40.0, rows, pieces});
  for (const StadiumDuct& duct : ducts) {
    INFO(duct.halfWidth << " half width, " << duct.height << " high, " << duct.rows << " rows, "
                        << duct.pieces << " pieces");
    const TriangleMesh upright = meshOf(duct);
    for (const TriangleMesh& mesh : {upright, onNoAxis(upright)}) {
      const std::vector<Opening> openings = openingsOf(mesh);
      REQUIRE(openings.size() == 2);
      const Double3 between = openings[1].centre - openings[0].centre, along = unit(between);
      CHECK(length(between) == Approx(duct.height).epsilon(0.01));
      for (const Opening& opening : openings) CHECK(std::abs(dot(opening.normal, along)) > 0.99);
    }
  }
}
