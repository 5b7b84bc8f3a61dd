// SPDX-License-Identifier: GPL-3.0-or-later
// Named faces of a file: from the soup through repair to walls and openings.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

// Index of the face, of n along z, to which a triangle belongs.
std::uint16_t faceAt(const Double3& a, const Double3& b, const Double3& c, int n) {
  const double z = (a[2] + b[2] + c[2]) / 3.0;
  return static_cast<std::uint16_t>(std::min(n - 1, static_cast<int>((z + 1.0) / 2.0 * n)));
}

TriangleSoup sphereOfThreeFaces() {
  const TriangleMesh mesh = sphereMesh({0, 0, 0}, 1.0, 48, 24);
  TriangleSoup soup = soupOf(mesh);
  for (const Triangle& t : mesh.triangle)
    soup.face.push_back(faceAt(mesh.vertex[t[0]], mesh.vertex[t[1]], mesh.vertex[t[2]], 3));
  soup.faceName = {"south", "tropics", "north"};
  return soup;
}

}  // namespace

TEST_CASE("Faces: they stay with their triangles through every repair", "[unit]") {
  TriangleSoup soup = sphereOfThreeFaces();
  const auto erase = [&](std::size_t t) {
    const auto at = static_cast<std::ptrdiff_t>(t);
    soup.corner.erase(soup.corner.begin() + 3 * at, soup.corner.begin() + 3 * at + 3);
    soup.face.erase(soup.face.begin() + at);
  };
  erase(1000);
  for (std::size_t t = 100; t < 110; ++t)  // twice
    for (std::size_t c = 0; c < 3; ++c) soup.corner.push_back(soup.corner[3 * t + c]);
  for (std::size_t t = 100; t < 110; ++t) soup.face.push_back(soup.face[t]);
  soup.corner[3 * 50] = soup.corner[3 * 50 + 1];  // without area
  std::swap(soup.corner[3 * 500], soup.corner[3 * 500 + 1]);

  const TriangleMesh mesh = repair(soup, 1.0, "a.vtp").mesh;
  REQUIRE(mesh.label.size() == mesh.triangle.size());
  std::size_t filled = 0;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const auto& [a, b, c] = mesh.triangle[t];
    if (a >= 48 * 23 + 2 || b >= 48 * 23 + 2 || c >= 48 * 23 + 2)
      ++filled;  // a fan over a hole takes the label of what is beside it
    else
      REQUIRE(mesh.label[t] == faceAt(mesh.vertex[a], mesh.vertex[b], mesh.vertex[c], 3));
    REQUIRE(mesh.label[t] < 3);
  }
  CHECK(filled < 10);
}

namespace {

// A tube of three faces: wall, start, end.
TriangleSoup tubeOfThreeFaces(bool capsOnOneFace) {
  const TriangleMesh mesh = tubeMesh({0, 0, 0}, {0, 0, 5}, 1.0, 24, true);
  TriangleSoup soup = soupOf(mesh);
  for (const Patch label : mesh.label)
    soup.face.push_back(isOpening(label) ? static_cast<std::uint16_t>(openingId(label)) : 0);
  soup.faceName = {"wall", "start", "end"};
  if (capsOnOneFace)
    for (std::uint16_t& face : soup.face) face = face > 0 ? 1 : 0;
  return soup;
}

std::vector<std::string> namesOf(const std::vector<Cap>& caps) {
  std::vector<std::string> names;
  for (const Cap& cap : caps) names.push_back(cap.name);
  return names;
}

FoundCaps faceCapsOf(const TriangleSoup& soup) {
  return findFaceCaps(repair(soup, 1.0, "a.vtp").mesh, soup.faceName);
}

}  // namespace

TEST_CASE("Faces: flat ones with a rim are openings of their names, the others walls", "[unit]") {
  const TriangleSoup soup = tubeOfThreeFaces(false);
  TriangleMesh mesh = repair(soup, 1.0, "a.vtp").mesh;
  const FoundCaps found = findFaceCaps(mesh, soup.faceName);
  CHECK(namesOf(found.caps) == std::vector<std::string>{"start", "end"});
  CHECK(found.warnings.empty());
  const LabelledOpenings openings = labelOpenings(mesh, found.caps);
  REQUIRE(openings.opening.size() == 2);
  CHECK(openings.opening[0].name == "start");
  CHECK(openings.opening[1].centre[2] == Approx(5.0));
  CHECK(openings.origin == std::vector<CapOrigin>{CapOrigin::Face, CapOrigin::Face});
  CHECK(labelWalls(mesh, soup.faceName) == std::vector<std::string>{"wall"});
  CHECK(std::count(mesh.label.begin(), mesh.label.end(), Patch{0}) == 48);
}

TEST_CASE("Faces: caps of other digits over those of a closed surface name its openings",
          "[unit]") {
  const TriangleMesh mesh = tubeMesh({0.3, 0.2, 0.1}, {3.1, 2.7, 5.3}, 1.0, 48, true);
  TriangleSoup soup = soupOf(mesh);
  soup.face.assign(mesh.triangle.size(), 0);
  soup.faceName = {"body", "start", "end"};
  const auto sixDigits = [](float x) {
    const double step = std::pow(10.0, std::floor(std::log10(std::abs(x) + 1e-30)) - 5.0);
    return static_cast<float>(step * std::round(x / step));
  };
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    if (!isOpening(mesh.label[t])) continue;
    soup.face.push_back(static_cast<std::uint16_t>(openingId(mesh.label[t])));
    for (std::size_t c = 3 * t; c < 3 * t + 3; ++c) {
      const Float3 corner = soup.corner[c];
      soup.corner.push_back({sixDigits(corner[0]), sixDigits(corner[1]), sixDigits(corner[2])});
    }
  }
  const RepairedMesh repaired = repair(soup, 1.0, "a.stl");
  CHECK(repaired.mesh.triangle.size() == mesh.triangle.size());
  const FoundCaps found = findFaceCaps(repaired.mesh, soup.faceName);
  REQUIRE(found.caps.size() == 2);
  for (const Cap& cap : found.caps) CHECK((cap.name == "start" || cap.name == "end"));
}

TEST_CASE("Faces: two caps on one face are two openings", "[unit]") {
  CHECK(namesOf(faceCapsOf(tubeOfThreeFaces(true)).caps) ==
        std::vector<std::string>{"start1", "start2"});
  TriangleSoup soup = tubeOfThreeFaces(true);
  for (std::string& name : soup.faceName) name = name == "start" ? "face2" : name;
  CHECK(namesOf(faceCapsOf(soup).caps) == std::vector<std::string>{"face2_1", "face2_2"});
}

TEST_CASE("Faces: those of a round surface are walls that keep their labels", "[unit]") {
  TriangleSoup soup = sphereOfThreeFaces();
  TriangleMesh mesh = repair(soup, 1.0, "a.vtp").mesh;
  soup.faceName.insert(soup.faceName.begin() + 1, "unused");
  for (Patch& label : mesh.label) label = static_cast<Patch>(label + (label > 0 ? 1 : 0));
  CHECK(findFaceCaps(mesh, soup.faceName).caps.empty());
  labelOpenings(mesh, {});
  CHECK(labelWalls(mesh, soup.faceName) == std::vector<std::string>{"south", "tropics", "north"});
  CHECK(*std::max_element(mesh.label.begin(), mesh.label.end()) == 2);
}

TEST_CASE("Faces: those of a box touch each other and stay walls, with a hint", "[unit]") {
  // A prism of four sides, each a face.
  const TriangleMesh box = tubeMesh({0, 0, 0}, {0, 0, 1.4}, 1.0, 4, true);
  TriangleSoup soup = soupOf(box);
  for (std::size_t t = 0; t < box.triangle.size(); ++t)
    soup.face.push_back(
        static_cast<std::uint16_t>(isOpening(box.label[t]) ? 3 + openingId(box.label[t]) : t / 2));
  soup.faceName = {"a", "b", "c", "d", "e", "f"};
  const FoundCaps found = faceCapsOf(soup);
  CHECK(found.caps.empty());
  REQUIRE(found.warnings.size() == 1);
  CHECK_THAT(found.warnings[0], Catch::Contains("--faces"));
}

TEST_CASE("Faces: the sides of a long duct with a face each do not hide its ends", "[unit]") {
  const TriangleMesh duct = tubeMesh({0, 0, 0}, {0, 0, 12}, 1.0, 4, true);
  TriangleSoup soup = soupOf(duct);
  for (std::size_t t = 0; t < duct.triangle.size(); ++t)
    soup.face.push_back(static_cast<std::uint16_t>(
        isOpening(duct.label[t]) ? 3 + openingId(duct.label[t]) : t / 2));
  soup.faceName = {"a", "b", "c", "d", "e", "f"};
  CHECK(namesOf(faceCapsOf(soup).caps) == std::vector<std::string>{"e", "f"});
}
