// SPDX-License-Identifier: GPL-3.0-or-later
// 3MF files through lib3mf in its process.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/files/three_mf_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::test;
using tessera::chain::checkRefused;
using tessera::chain::WorkFolder;

namespace {

const preprocess::geometry::TriangleMesh corner{
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, {}};

TriangleSoup soupOf3mf(const std::string& bytes, const std::string& name = "a.3mf") {
  const TemporaryFolder folder;
  writeWhole(folder / name, bytes);
  return readSurfaces({folder / name});
}

// Six times the volume, positive where the triangles face outwards.
double signedVolume(const TriangleSoup& soup) {
  double sum = 0.0;
  for (std::size_t t = 0; t < soup.triangles(); ++t) {
    Double3 p[3]{};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t a = 0; a < 3; ++a) p[k][a] = static_cast<double>(soup.corner[3 * t + k][a]);
    sum += dot(p[0], cross(p[1], p[2]));
  }
  return sum;
}

float highest(const TriangleSoup& soup, std::size_t axis) {
  float high = -1e30F;
  for (const Float3& point : soup.corner) high = std::max(high, point[axis]);
  return high;
}

}  // namespace

TEST_CASE("3MF: the build is read with its transforms, in millimetres", "[unit]") {
  const TriangleSoup soup =
      soupOf3mf(threeMfFile("inch", objectOf(corner, 1),
                            "<item objectid=\"1\" transform=\"0 2 0 -1 0 0 0 0 1 3 4 5\"/>"));
  REQUIRE(soup.triangles() == 4);
  CHECK(soup.faceName.empty());
  CHECK(soup.ownUnit == 0.0254);
  // x becomes 2 y, y becomes -x; the translation behind it.
  CHECK(highest(soup, 0) == Approx(3 * 25.4));
  CHECK(highest(soup, 1) == Approx(6 * 25.4));
  CHECK(highest(soup, 2) == Approx(6 * 25.4));
  CHECK(signedVolume(soup) == Approx(2 * std::pow(25.4, 3)));
}

TEST_CASE("3MF: components are placed one inside another, objects are faces", "[unit]") {
  const std::string nested =
      objectOf(corner, 1, "name=\"leaf\"") +
      "<object id=\"2\" type=\"model\"><components><component objectid=\"1\" transform=\"1 0 0 0 1 "
      "0 0 0 1 10 0 0\"/><component objectid=\"1\" transform=\"-1 0 0 0 1 0 0 0 1 0 0 0\"/>"
      "</components></object>" +
      objectOf(corner, 3, "name=\"Gef\xc3\xa4\xc3\x9f\"");
  const TriangleSoup soup = soupOf3mf(threeMfFile(
      "millimeter", nested,
      "<item objectid=\"2\" transform=\"2 0 0 0 2 0 0 0 2 0 0 0\"/><item objectid=\"3\"/>"));
  REQUIRE(soup.triangles() == 12);
  CHECK(soup.faceName == std::vector<std::string>{"leaf", "leaf_2", "Gef\xc3\xa4\xc3\x9f"});
  CHECK(highest(soup, 0) == Approx(22.0));
  CHECK(signedVolume(soup) == Approx(8.0 + 8.0 + 1.0));  // the mirrored one faces outwards too
}

TEST_CASE("3MF: support material is left out, also compressed by gzip", "[unit]") {
  std::string support = objectOf(corner, 2);
  support.replace(support.find("\"model\""), 7, "\"support\"");
  const std::string file = threeMfFile("meter", objectOf(corner, 1) + support,
                                       "<item objectid=\"1\"/><item objectid=\"2\"/>");
  CHECK(soupOf3mf(gzipOf(file), "a.3mf.gz").triangles() == 4);
}

TEST_CASE("3MF: a file without a mesh, a damaged and a cut one are refused", "[unit]") {
  const std::string file = threeMfFile("millimeter", objectOf(corner, 1), "<item objectid=\"1\"/>");
  const auto refused = [](const std::string& bytes) {
    checkError(ExitCode::BadInput, [&] { soupOf3mf(bytes); }, {"a.3mf"});
  };
  refused(threeMfFile("millimeter", objectOf(corner, 1), ""));
  refused("PK");
  refused(zipOf({{"a.txt", "text"}}));
  for (std::size_t length = 1; length < file.size(); length += 211) refused(file.substr(0, length));
}

TEST_CASE("tessera-preprocess: a 3MF surface needs no unit, and a wrong one is refused",
          "[pipeline]") {
  const WorkFolder work;
  const auto mesh = tubeMesh({0, 0, 0}, {0, 0, 1.2}, 0.2, 48, true);
  work.write("tube.3mf", threeMfFile("centimeter", objectOf(mesh, 1), "<item objectid=\"1\"/>"));
  const std::string command = "tessera-preprocess --quiet tube.3mf --across 20 -o a.vdb ";
  work.mustRun(command + "--report a.json");
  const double volume = 24.0 * std::sin(2 * std::numbers::pi / 48) * 4 * 12 * 1e-9;
  CHECK(work.json("a.json").at("volume_mesh_m3").get<double>() == Approx(volume));
  CHECK(work.json("a.json").at("openings").size() == 2);
  work.mustRun(command + "--unit cm --report b.json");
  CHECK(work.json("b.json").at("volume_mesh_m3").get<double>() == Approx(volume));
  checkRefused(work, command + "--unit mm", 2, "--unit");
}

TEST_CASE("tessera-preprocess: with a file without a unit, a 3MF surface is converted to --unit",
          "[pipeline]") {
  const WorkFolder work;
  const auto wall = tubeMesh({0, 0, 0}, {0, 0, 1}, 0.25, 48, false);
  const auto whole = tubeMesh({0, 0, 0}, {0, 0, 25.4}, 0.25 * 25.4, 48, true);
  preprocess::geometry::TriangleMesh caps = whole;
  const std::size_t walls = wall.triangle.size();
  caps.triangle.erase(caps.triangle.begin(),
                      caps.triangle.begin() + static_cast<std::ptrdiff_t>(walls));
  caps.label.clear();
  work.write("wall.3mf", threeMfFile("inch", objectOf(wall, 1), "<item objectid=\"1\"/>"));
  work.write("caps.stl", binaryStl(soupOf(caps)));
  const std::string command =
      "tessera-preprocess --quiet wall.3mf caps.stl --across 20 -o a.vdb --report a.json ";
  work.mustRun(command + "--unit mm");
  const double volume = 24.0 * std::sin(2 * std::numbers::pi / 48) / 16.0 * std::pow(0.0254, 3);
  CHECK(work.json("a.json").at("volume_mesh_m3").get<double>() == Approx(volume));
  CHECK(work.json("a.json").at("openings").size() == 2);
  checkRefused(work, command, 2, "--unit");
}
