// SPDX-License-Identifier: GPL-3.0-or-later
// PLY, OBJ, OFF and VTP: all encodings of one mesh give the same triangles, damage gives a
// sentence.
#include <catch2/catch.hpp>

#include "preprocess/read/formats.hpp"
#include "preprocess/read/readers.hpp"
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

TriangleSoup parseVtpOf(const std::string& bytes, const std::string& name) {
  return parseVtp(wholeFileOf(bytes), name);
}

template <class Parse>
std::string sentenceFor(Parse parse, const std::string& bytes) {
  return sentenceOfError(ExitCode::BadInput, [&] { parse(bytes, "in"); });
}

double areaOf(const TriangleSoup& soup, const std::string& face = "") {
  double area = 0.0;
  for (std::size_t t = 0; t < soup.triangles(); ++t) {
    if (!face.empty() && soup.faceName[soup.face[t]] != face) continue;
    std::array<Double3, 3> p{};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t a = 0; a < 3; ++a) p[k][a] = soup.corner[3 * t + k][a];
    area += 0.5 * length(cross(p[1] - p[0], p[2] - p[0]));
  }
  return area;
}

void requireLabels(const TriangleSoup& soup, const std::string& prefix) {
  REQUIRE(soup.faceName.size() == 4);
  for (std::size_t t = 0; t < soup.triangles(); ++t)
    REQUIRE(soup.faceName[soup.face[t]] == prefix + std::to_string(t % 4));
}

}  // namespace

TEST_CASE(
    "Polygon files: PLY gives the same triangles in text and in both byte orders, plain or rich",
    "[unit]") {
  const TriangleMesh mesh = someMesh();
  const TriangleSoup expected = soupOf(mesh);
  for (const Bytes bytes : {Bytes::Text, Bytes::Little, Bytes::Big})
    for (const bool rich : {false, true}) {
      const TriangleSoup soup = parsePly(plyFile(mesh, bytes, rich), "in");
      CHECK(soup.corner == expected.corner);
      CHECK(soup.origin == Double3{0.0, 0.0, 0.0});
      CHECK(soup.face.empty());
    }
  CHECK(parsePly(plyFile(mesh, Bytes::Text, false, "\r\n"), "in").corner == expected.corner);
  CHECK(parsePly(plyFile(mesh, Bytes::Little, true, "\r\n"), "in").corner == expected.corner);
}

TEST_CASE(
    "Polygon files: values beyond the header's properties end a line of a PLY and are skipped",
    "[unit]") {
  const TriangleSoup soup = parsePly(
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\nproperty int z\n"
      "element face 2\nproperty list uchar int vertex_indices\nproperty uchar red\nend_header\n"
      "0 0 0\n1 0 0 7 7\n0 1 0\n3 0 1 2 9 1 1 1\n3 0 2 1 9\n",
      "in");
  REQUIRE(soup.triangles() == 2);
  CHECK(soup.corner[4] == Float3{0, 1, 0});
}

TEST_CASE("Polygon files: strips of a PLY end at -1 and are wound alternately", "[unit]") {
  const TriangleSoup soup = parsePly(
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty int x\nproperty int y\nproperty int z\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 1 3 2\n",
      "in");
  REQUIRE(soup.triangles() == 3);
  CHECK(soup.corner[3] == Float3{0, 1, 0});  // 2 1 3
  CHECK(soup.corner[4] == Float3{1, 0, 0});
  CHECK(soup.corner[6] == Float3{1, 0, 0});  // 1 3 2
}

TEST_CASE("Polygon files: OBJ is read forwards, backwards, continued and with every form of corner",
          "[unit]") {
  const TriangleMesh mesh = someMesh();
  const TriangleSoup expected = soupOf(mesh);
  for (const std::string newline : {"\n", "\r\n"})
    for (const std::string corner : {"", "/1", "//1", "/1/1"})
      for (const bool backwards : {false, true})
        for (const bool continued : {false, true}) {
          const TriangleSoup soup =
              parseObj(objFile(mesh, {newline, corner, backwards, continued, ""}), "in");
          CHECK(soup.corner == expected.corner);
          CHECK(soup.face.empty());
        }
}

TEST_CASE("Polygon files: groups, materials or objects of an OBJ are faces where there are several",
          "[unit]") {
  TriangleMesh mesh = someMesh();
  for (const std::string group : {"g", "usemtl", "o"})
    requireLabels(parseObj(objFile(mesh, {"\n", "", false, false, group}), "in"), "part");
  mesh.label.assign(mesh.label.size(), 5);
  CHECK(parseObj(objFile(mesh, {"\n", "", false, false, "g"}), "in").face.empty());
}

TEST_CASE(
    "Polygon files: weights, colours, lines, a byte order mark and odd continuations of an OBJ are "
    "skipped",
    "[unit]") {
  const TriangleSoup soup = parseObj(
      "\xef\xbb\xbf# with a byte order mark\r\nv 0 0 0 1.0\r\nv 1 0\\\r\n 0 255 0 0\nv 0 1 0\n"
      "l 1 2\np 1\nf 1 2\\\n 3 # 4\nf 1//1 3//1 \\\n2//1\n",
      "in");
  REQUIRE(soup.triangles() == 2);
  CHECK(soup.corner[1] == Float3{1, 0, 0});
  CHECK(soup.corner[4] == Float3{0, 1, 0});
}

TEST_CASE("Polygon files: the whole line is the name of a part of an OBJ", "[unit]") {
  const TriangleSoup soup = parseObj(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\no Left part # first\nf 1 2 3\no Left wall\nf 3 2 1\n", "in");
  CHECK(soup.faceName == std::vector<std::string>{"Left part", "Left wall"});
}

TEST_CASE("Polygon files: the number of vertices of an OFF may touch the keyword", "[unit]") {
  const std::string rest = "3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  CHECK(parseOff("OFF" + rest, "in").corner == parseOff("OFF\n" + rest, "in").corner);
}

TEST_CASE("Polygon files: skipped properties of a PLY may have any content", "[unit]") {
  const TriangleSoup soup = parsePly(
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\nproperty int z\n"
      "property float quality\nelement face 1\nproperty list uchar int vertex_indices\n"
      "end_header\n0 0 0 1.#QNAN\n1 0 0 -nan(ind)\n0 1 0 x\n3 0 1 2\n",
      "in");
  CHECK(soup.corner[1] == Float3{1, 0, 0});
}

TEST_CASE("Polygon files: OFF is read with and without colours, normals and textures", "[unit]") {
  const TriangleMesh mesh = someMesh();
  for (const std::string keyword : {"OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCNOFF"})
    CHECK(parseOff(offFile(mesh, keyword), "in").corner == soupOf(mesh).corner);
}

TEST_CASE("Polygon files: VTP gives the same triangles in every encoding", "[unit]") {
  const TriangleMesh mesh = someMesh();
  const TriangleSoup expected = soupOf(mesh);
  for (const VtpPlace place :
       {VtpPlace::Ascii, VtpPlace::Inline, VtpPlace::AppendedRaw, VtpPlace::AppendedBase64})
    for (int bits = 0; bits < 64; ++bits) {
      VtpStyle style;
      style.place = place;
      style.compressed = (bits & 1) != 0;
      style.bigEndian = (bits & 2) != 0;
      style.header64 = (bits & 4) != 0;
      style.doubles = (bits & 8) != 0;
      style.wide = (bits & 16) != 0;
      style.pieces = (bits & 32) != 0 ? 3 : 1;
      style.faceArray = "ModelFaceID";
      const TriangleSoup soup = parseVtpOf(vtpFile(mesh, style), "in");
      CHECK(soup.corner == expected.corner);
      requireLabels(soup, "face");
    }
}

TEST_CASE("Polygon files: CapID of a VTP names caps and the wall, ModelFaceID takes precedence",
          "[unit]") {
  const TriangleMesh mesh = someMesh();
  VtpStyle style;
  style.faceArray = "CapID";
  const TriangleSoup soup = parseVtpOf(vtpFile(mesh, style), "in");
  REQUIRE(soup.faceName == std::vector<std::string>{"wall", "cap1", "cap2", "cap3"});
  CHECK(soup.face[5] == 1);
}

TEST_CASE("Polygon files: a concave polygon is cut into triangles that cover it once", "[unit]") {
  // An arrow and a comb of teeth, tilted; both areas are known.
  std::vector<Double3> arrow = {{0, 0, 0}, {4, -3, 0}, {1, 0, 0}, {4, 3, 0}};
  std::vector<Double3> comb = {{0, 0, 0}, {20, 0, 0}};
  for (int i = 10; i-- > 0;) {
    comb.push_back({2.0 * i + 2, 5, 0});
    comb.push_back({2.0 * i + 1, 1, 0});
  }
  for (const std::string format : {"ply", "obj", "off", "vtk", "vtp", "vtu"})
    for (auto [ring, area] : {std::pair{arrow, 3.0}, std::pair{comb, 0.0}}) {
      if (area == 0.0)
        for (std::size_t i = 0; i < ring.size(); ++i) {
          const Double3& p = ring[i];
          const Double3& q = ring[(i + 1) % ring.size()];
          area += 0.5 * (p[0] * q[1] - p[1] * q[0]);
        }
      for (Double3& p : ring) p = {p[0], p[1], p[0] + 0.25 * p[1]};  // area times 1.4361...
      const TemporaryFolder folder;
      const auto path = folder / ("a." + format);
      writeWhole(path, polygonFile(ring, format));
      const TriangleSoup soup = readSurface(path);
      CHECK(soup.triangles() == ring.size() - 2);
      CHECK(areaOf(soup) == Approx(area * std::sqrt(1.0 + 1.0 + 0.0625)).epsilon(1e-6));
    }
}

TEST_CASE("Polygon files: coordinates far from zero keep their digits by an origin", "[unit]") {
  TriangleMesh mesh = someMesh();
  for (Double3& p : mesh.vertex) p = p + Double3{500000.1, -4000000.2, 70.3};
  VtpStyle style;
  style.doubles = true;
  for (const TriangleSoup& soup :
       {parsePly(plyFile(mesh, Bytes::Big, true), "in"), parseObj(objFile(mesh), "in"),
        parseOff(offFile(mesh), "in"), parseVtpOf(vtpFile(mesh, style), "in")}) {
    REQUIRE(soup.triangles() == mesh.triangle.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < soup.corner.size(); ++i)
      for (std::size_t a = 0; a < 3; ++a)
        worst = std::max(worst, std::abs(soup.origin[a] + soup.corner[i][a] -
                                         mesh.vertex[mesh.triangle[i / 3][i % 3]][a]));
    CHECK(worst < 1e-7);
    CHECK(length(soup.origin - Double3{500001.1, -3999998.2, 73.3}) < 1.0);
  }
}

TEST_CASE("Polygon files: damaged PLY files are refused with reason and place", "[unit]") {
  const std::string text = plyFile(someMesh(), Bytes::Text);
  const std::string binary = plyFile(someMesh(), Bytes::Little);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  CHECK_THAT(sentenceFor(parsePly, ""), Catch::Contains("PLY"));
  CHECK_THAT(sentenceFor(parsePly, text.substr(0, 60)), Catch::Contains("in:"));
  CHECK_THAT(sentenceFor(parsePly, text.substr(0, text.size() / 2)), Catch::Contains("truncated"));
  CHECK_THAT(sentenceFor(parsePly, binary.substr(0, binary.size() - 9)),
             Catch::Contains("truncated"));
  CHECK_THAT(sentenceFor(parsePly, with("vertex 74", "vertex 4000000000")),
             Catch::Contains("4000000000"));
  CHECK_THAT(sentenceFor(parsePly, with("float y", "float t")), Catch::Contains("x, y and z"));
  CHECK_THAT(sentenceFor(parsePly, with("float y", "real y")), Catch::Contains("in:6"));
  CHECK_THAT(sentenceFor(parsePly, with("\n3 ", "\n99999 ")), Catch::Contains("99999"));
  CHECK_THAT(sentenceFor(parsePly, with("\n3 0 ", "\n3 74 ")), Catch::Contains("vertex 74"));
  CHECK_THAT(sentenceFor(parsePly, with("ascii", "binary_middle")), Catch::Contains("in:2"));
}

TEST_CASE("Polygon files: damaged OBJ and OFF files are refused with the line", "[unit]") {
  CHECK_THAT(sentenceFor(parseObj, "v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n"), Catch::Contains("in:2"));
  CHECK_THAT(sentenceFor(parseObj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
             Catch::Contains("vertex 3"));
  CHECK_THAT(sentenceFor(parseObj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 0 2\n"),
             Catch::Contains("in:4"));
  CHECK_THAT(sentenceFor(parseObj, "v 0 0 0\nsurf 0 1 0 1 1 2\n"), Catch::Contains("curved"));
  CHECK_THAT(sentenceFor(parseObj, "v 0 0 0\nv 1e999 0 0\nv 0 1 0\nf 1 2 3\n"),
             Catch::Contains("vertex 2 of 3"));
  CHECK_THAT(sentenceFor(parseObj, "v 0 0 0\n"), Catch::Contains("faces"));
  CHECK_THAT(sentenceFor(parseOff, "OFF BINARY\n"), Catch::Contains("binary OFF"));
  CHECK_THAT(sentenceFor(parseOff, "4OFF\n3 1 0\n"), Catch::Contains("three-dimensional"));
  CHECK_THAT(sentenceFor(parseOff, "OFF\n3000000000 1 0\n0 0 0\n"), Catch::Contains("3000000000"));
  CHECK_THAT(sentenceFor(parseOff, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n"),
             Catch::Contains("in:7"));
}

TEST_CASE("Polygon files: damaged VTP files are refused with the array or the byte", "[unit]") {
  VtpStyle style;
  style.compressed = true;
  style.place = VtpPlace::AppendedRaw;
  const std::string file = vtpFile(someMesh(), style);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = file;
    return changed.replace(changed.find(from), from.size(), to);
  };
  CHECK_THAT(sentenceFor(parseVtpOf, ""), Catch::Contains("XML"));
  CHECK_THAT(sentenceFor(parseVtpOf, file.substr(0, 400)), Catch::Contains("truncated"));
  CHECK_THAT(sentenceFor(parseVtpOf, file.substr(0, file.size() - 300)),
             Catch::Contains("truncated"));
  CHECK_THAT(sentenceFor(parseVtpOf, with("vtkZLibDataCompressor", "vtkLZ4DataCompressor")),
             Catch::Contains("vtkLZ4DataCompressor"));
  CHECK_THAT(sentenceFor(parseVtpOf, with("Points=\"74\"", "Points=\"740000000\"")),
             Catch::Contains("64 times"));
  CHECK_THAT(sentenceFor(parseVtpOf, with("Points=\"74\"", "Points=\"740000\"")),
             Catch::Contains("8880000"));
  CHECK_THAT(sentenceFor(parseVtpOf, with("PolyData\"", "ImageData\"")),
             Catch::Contains("PolyData"));
  style.place = VtpPlace::Ascii;
  std::string text = vtpFile(someMesh(), style);
  const auto connectivity = text.find(">", text.find("Name=\"connectivity\"")) + 2;
  text.replace(connectivity, text.find('\n', connectivity) - connectivity, "74");
  CHECK_THAT(sentenceFor(parseVtpOf, text), Catch::Contains("point 74"));
  CHECK_THAT(sentenceFor(parseVtpOf, with("offset=\"0\"", "offset=\"999999\"")),
             Catch::Contains("999999"));
}

TEST_CASE("Polygon files: a web page or a pointer file is quoted by its first words", "[unit]") {
  const std::string page = "<!DOCTYPE html>\r\n<html><body>404 Not Found</body></html>\n";
  for (const auto& parse : {parsePly, parseOff, parseStl})
    CHECK_THAT(sentenceFor(parse, page), Catch::Contains("\"<!DOCTYPE html>\""));
  CHECK_THAT(sentenceFor(parseStl, page + std::string(200, ' ')), Catch::Contains("STL"));
  CHECK_THAT(sentenceFor(parsePly, "\x01\x02\x03\x04\x05"), !Catch::Contains("\x01"));
}

TEST_CASE("Polygon files: an unknown format is refused with the formats that are read", "[unit]") {
  const TemporaryFolder folder;
  const auto path = folder / "a.stp";
  const auto said = [&] { return sentenceOfError(ExitCode::BadInput, [&] { kindOfFile(path); }); };
  CHECK_THAT(said(), Catch::Contains("a.stp"));
  writeWhole(path, "ISO-10303-21;\n");
  CHECK_THAT(said(), Catch::Contains(".ply") && Catch::Contains(".vtp"));
}
