// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts of a surface against those of its lattice, through the program.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/fixtures/files/tube_files.hpp"

using namespace tessera;
using namespace tessera::test;
using tessera::chain::WorkFolder;

namespace {

// Surface of revolution through points (radius, z), from the axis to the axis.
TriangleMesh revolved(const std::vector<std::array<double, 2>>& profile) {
  constexpr Index around = 40;
  TriangleMesh mesh;
  for (const auto& [radius, z] : profile)
    for (Index i = 0; i < around; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / around;
      mesh.vertex.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  for (Index k = 0; k + 1 < profile.size(); ++k)
    for (Index i = 0; i < around; ++i) {
      const Index a = k * around, b = a + around, next = (i + 1) % around;
      if (profile[k][0] > 0.0) mesh.triangle.push_back({a + i, a + next, b + next});
      if (profile[k + 1][0] > 0.0) mesh.triangle.push_back({a + i, b + next, b + i});
    }
  return mesh;
}

// Two vessels of radius 2 with flat ends at z = 0 and 20, joined by a neck of radius 0.15, the
// upper one shorter.
TriangleMesh hourglass() {
  std::vector<std::array<double, 2>> profile{{0.0, 0.0}};
  for (int k = 0; k <= 20; ++k) profile.push_back({2.0, 0.5 * k});
  profile.push_back({0.15, 12.0});
  profile.push_back({0.15, 13.0});
  for (int k = 0; k <= 10; ++k) profile.push_back({2.0, 15.0 + 0.5 * k});
  profile.push_back({0.0, 20.0});
  return revolved(profile);
}

struct Parts {
  int ofMesh, ofLattice;
  bool operator==(const Parts&) const = default;
};
Parts partsFor(const WorkFolder& work, const std::string& options, std::string& warnings) {
  warnings =
      work.mustRun("tessera-preprocess --unit mm -o g.vdb --report r.json " + options).errors;
  const auto report = work.json("r.json");
  return {report.at("mesh_parts"), report.at("lattice_parts")};
}

}  // namespace

TEST_CASE("Topology: a neck narrower than a node splits the lattice, with the place of the smaller",
          "[pipeline]") {
  const WorkFolder work;
  put(work, "vessel.stl", hourglass());
  std::string warnings;
  // No node lies on the axis.
  CHECK(partsFor(work, "vessel.stl --spacing 0.5mm", warnings) == Parts{1, 2});
  REQUIRE(work.json("r.json").at("openings").size() == 2);
  CHECK_THAT(warnings, Catch::Contains("has 2 connected"));
  const std::size_t at = warnings.find(" around (");
  REQUIRE(at != std::string::npos);
  double x = 9.0, y = 9.0, z = 0.0;
  CHECK(std::sscanf(warnings.c_str() + at, " around (%lf, %lf, %lf) mm", &x, &y, &z) == 3);
  CHECK(std::hypot(x, y) < 0.1);
  CHECK((z > 15.0 && z < 19.0));
  CHECK(partsFor(work, "vessel.stl --spacing 0.1mm", warnings) == Parts{1, 1});
  CHECK_THAT(warnings, !Catch::Contains("cut off"));
}

TEST_CASE("Topology: parts that overlap or abut are one, parts that nearly touch are two",
          "[pipeline]") {
  const WorkFolder work;
  std::string warnings;
  const TriangleMesh tube = tubeMesh({0, 0, 0}, {0, 0, 12}, 1.0, 48, true);
  put(work, "s.stl", joined(tube, tubeMesh({2.05, 0, 0}, {2.05, 0, 12}, 1.0, 48, true)));
  CHECK(partsFor(work, "s.stl --spacing 0.12mm", warnings) == Parts{2, 2});
  CHECK_THAT(warnings, !Catch::Contains("part of the lattice"));
  put(work, "s.stl", joined(tube, tubeMesh({0, 0, 6}, {7, 0, 6.5}, 0.7, 48, true)));
  CHECK(partsFor(work, "s.stl --spacing 0.12mm", warnings) == Parts{1, 1});
  put(work, "s.stl", joined(tube, tubeMesh({0, 0, 12}, {0, 0, 17}, 0.8, 48, true)));
  CHECK(partsFor(work, "s.stl --spacing 0.12mm", warnings) == Parts{1, 1});
  CHECK_THAT(warnings, !Catch::Contains("part of the lattice"));
}

TEST_CASE("Topology: a part without a node is warned about with its place", "[pipeline]") {
  const WorkFolder work;
  std::string warnings;
  put(work, "s.stl",
      joined(tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true),
             sphereMesh({0.1, 5.13, 6.17}, 0.08, 12, 8)));
  CHECK(partsFor(work, "s.stl --spacing 0.4mm", warnings) == Parts{2, 1});
  CHECK_THAT(warnings, Catch::Contains("1 of the 2 parts") && Catch::Contains("5.13, 6.17) mm"));
  // One that has nodes and no opening is made solid, with its place, and no second warning.
  put(work, "s.stl",
      joined(tubeMesh({0, 0, 0}, {0, 0, 12}, 2.0, 48, true), sphereMesh({0, 6, 6}, 1.0, 24, 16)));
  CHECK(partsFor(work, "s.stl --spacing 0.2mm", warnings) == Parts{2, 1});
  CHECK_THAT(warnings, Catch::Contains("made solid") && Catch::Contains(", 6, 6) mm") &&
                           !Catch::Contains("without a node"));
  CHECK(partsFor(work, "s.stl --spacing 0.2mm --keep all", warnings) == Parts{2, 2});
}
