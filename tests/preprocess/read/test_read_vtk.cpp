// SPDX-License-Identifier: GPL-3.0-or-later
// Legacy VTK and VTU: all layouts of one mesh give the same triangles, other cells and damage a
// sentence.
#include <catch2/catch.hpp>

#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/files/surface_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::test;

namespace {

std::string refused(const std::string& bytes) {
  return sentenceOfError(ExitCode::BadInput, [&] { parseVtk(bytes, "in"); });
}

std::string refusedVtu(const std::string& bytes) {
  return sentenceOfError(ExitCode::BadInput, [&] { parseVtu(wholeFileOf(bytes), "in"); });
}

// A text with five points, of which the first four are a square.
std::string text(const std::string& cells, const std::string& kind = "POLYDATA") {
  return "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET " + kind +
         "\nPOINTS 5 float\n0 0 0 1 0 0\n1 1 0 0 1 0 0 0 1\n" + cells;
}

std::string changed(std::string file, const std::string& from, const std::string& to) {
  return file.replace(file.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("VTK files: both layouts, text and binary, PolyData and grids give the same triangles",
          "[unit]") {
  const TriangleMesh mesh = someMesh();
  const TriangleSoup expected = soupOf(mesh);
  for (int bits = 0; bits < 32; ++bits) {
    VtkStyle style;
    style.binary = (bits & 1) != 0;
    style.offsets = (bits & 2) != 0;
    style.grid = (bits & 4) != 0;
    style.doubles = (bits & 8) != 0;
    style.extras = (bits & 16) != 0;
    INFO(bits);
    const TriangleSoup soup = parseVtk(vtkFile(mesh, style), "in");
    CHECK(soup.corner == expected.corner);
    CHECK(soup.face.empty());
  }
}

TEST_CASE("VTK files: polygons, strips, pixels and quads are cut into their triangles", "[unit]") {
  const auto triangles = [](const std::string& file) { return parseVtk(file, "in").triangles(); };
  CHECK(triangles(text("POLYGONS 2 9\n4 0 1 2 3\n3 0 1 4\n")) == 3);
  const TriangleSoup strip = parseVtk(text("TRIANGLE_STRIPS 1 5\n4 0 1 3 2\n"), "in");
  REQUIRE(strip.triangles() == 2);
  CHECK(strip.corner[3] == Float3{0, 1, 0});  // 3 1 2
  CHECK(strip.corner[4] == Float3{1, 0, 0});
  const std::string cells = "CELLS 5 22\n4 0 1 2 3\n4 0 1 3 2\n4 0 1 3 2\n3 0 1 4\n2 0 1\n";
  const TriangleSoup grid =
      parseVtk(text(cells + "CELL_TYPES 5\n9 8 6 5 3\n", "UNSTRUCTURED_GRID"), "in");
  REQUIRE(grid.triangles() == 7);
  for (std::size_t t = 0; t < 6; ++t) {  // all are wound as the quad is
    std::array<Double3, 3> p{};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t a = 0; a < 3; ++a) p[k][a] = grid.corner[3 * t + k][a];
    CHECK(cross(p[1] - p[0], p[2] - p[0])[2] == Approx(1.0));
  }
}

TEST_CASE("VTK files: lines may end as on Windows and keywords be in any case", "[unit]") {
  const std::string file = text("polygons 1 4\n3 0 1 2\n");
  std::string windows;
  for (const char c : file) windows += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(parseVtk(windows, "in").corner == parseVtk(file, "in").corner);
  CHECK(parseVtk(text("POLYGONS 1 4 3 0 1 2 CELL_DATA 1\n"), "in").triangles() == 1);
}

TEST_CASE("VTK files: 3D Slicer's frame is kept", "[unit]") {
  const std::string file = text("POLYGONS 1 4\n3 0 1 2\n");
  CHECK(parseVtk(file, "in").space.empty());
  CHECK(parseVtk(changed(file, "by hand", "3D Slicer output. SPACE=LPS"), "in").space == "LPS");
}

TEST_CASE("VTK files: other cells are refused with their type", "[unit]") {
  const std::string cells = text("CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", "UNSTRUCTURED_GRID");
  CHECK_THAT(refused(cells), Catch::Contains("type 10") && Catch::Contains("Extract Surface"));
  CHECK_THAT(refused(changed(cells, "\n10\n", "\n5\n")), Catch::Contains("4 points"));
  CHECK_THAT(refused(changed(cells, "CELL_TYPES 1\n10\n", "")), Catch::Contains("CELL_TYPES"));
  CHECK_THAT(refused(changed(cells, "CELL_TYPES 1", "CELL_TYPES 2")), Catch::Contains("2 cell"));
  CHECK_THAT(refused(text("", "STRUCTURED_GRID")), Catch::Contains("STRUCTURED_GRID"));
}

TEST_CASE("VTK files: damage is refused with the place", "[unit]") {
  const TriangleMesh mesh = someMesh();
  for (const bool offsets : {false, true})
    for (const bool binary : {false, true}) {
      const std::string file = vtkFile(mesh, {binary, offsets, false, false, false});
      CHECK_THAT(refused(file.substr(0, file.size() - 40)), Catch::Contains("truncated"));
      CHECK_THAT(refused(changed(file, "POINTS 74", "POINTS 740000000000")),
                 Catch::Contains("truncated"));
      CHECK_THAT(refused(changed(file, "POINTS 74", "POINTS 9223372036854775807")),
                 Catch::Contains("9223372036854775807"));
    }
  CHECK_THAT(refused(""), Catch::Contains("vtk DataFile"));
  CHECK_THAT(refused("<!DOCTYPE html>\n"), Catch::Contains("<!DOCTYPE html>"));
  CHECK_THAT(refused(text("POLYGONS 1 4\n3 0 1 5\n")), Catch::Contains("vertex 5"));
  CHECK_THAT(refused(text("POLYGONS 1 4\n4 0 1 2\n")), Catch::Contains("cell 1 of 1"));
  CHECK_THAT(refused(text("POLYGONS 1 8\n3 0 1 2\n3 0 1 2\n")), Catch::Contains("list of 8"));
  const std::string arrays = "POLYGONS 2 3\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n";
  CHECK(parseVtk(text(arrays + "0 1 2\n"), "in").triangles() == 1);
  CHECK_THAT(refused(text(changed(arrays, "\n0 3\n", "\n0 4\n") + "0 1 2\n")),
             Catch::Contains("cell 1"));
  CHECK_THAT(refused(text(changed(arrays, "\n0 3\n", "\n1 3\n") + "0 1 2\n")),
             Catch::Contains("cell 1"));
  CHECK_THAT(refused(text("NORMALS 3\n")), Catch::Contains("in:8"));
}

TEST_CASE("VTU files: every encoding gives the same triangles and faces", "[unit]") {
  const TriangleMesh mesh = someMesh();
  const TriangleSoup expected = soupOf(mesh);
  for (const VtpPlace place :
       {VtpPlace::Ascii, VtpPlace::Inline, VtpPlace::AppendedRaw, VtpPlace::AppendedBase64})
    for (int bits = 0; bits < 8; ++bits) {
      VtpStyle style;
      style.grid = true;
      style.place = place;
      style.compressed = (bits & 1) != 0;
      style.bigEndian = style.header64 = (bits & 2) != 0;
      style.wide = (bits & 4) != 0;
      style.pieces = 1 + bits % 3;
      style.faceArray = "ModelFaceID";
      const TriangleSoup soup = parseVtu(wholeFileOf(vtpFile(mesh, style)), "in");
      CHECK(soup.corner == expected.corner);
      CHECK(soup.faceName == std::vector<std::string>{"face0", "face1", "face2", "face3"});
      CHECK(soup.face[6] == 2);
    }
}

TEST_CASE("VTU files: other cells, other data sets and missing types are refused", "[unit]") {
  VtpStyle style;
  style.grid = true;
  const std::string file = vtpFile(someMesh(), style);
  const std::size_t types = file.find("Name=\"types\"");
  std::string other = file;
  other.replace(file.find('\n', types) + 1, 1, "12");
  CHECK_THAT(refusedVtu(other), Catch::Contains("type 12"));
  CHECK_THAT(refusedVtu(changed(file, "\"types\"", "\"kinds\"")), Catch::Contains("types"));
  CHECK_THAT(refusedVtu(vtpFile(someMesh(), {})), Catch::Contains("UnstructuredGrid"));
}
