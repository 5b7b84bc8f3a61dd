// SPDX-License-Identifier: GPL-3.0-or-later
// Faces that a file tells: from the soup through repair to walls and openings.
#include <catch2/catch.hpp>

#include "preprocess/surface/repair.hpp"
#include "tests/preprocess/lattice_meshes.hpp"
#include "tests/preprocess/surface_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

// Which of n faces along z a triangle lies on.
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

TEST_CASE("Faces stay with their triangles through every repair", "[unit]") {
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
