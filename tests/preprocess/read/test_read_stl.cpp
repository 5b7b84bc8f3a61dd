// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>
#include <limits>

#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

TriangleSoup readText(const std::string& content) {
  const TemporaryFolder folder;
  writeWhole(folder / "a.stl", content);
  return readStl(folder / "a.stl");
}

std::string sentenceFor(const std::string& content) {
  return sentenceOfError(ExitCode::BadInput, [&] { readText(content); });
}

TriangleSoup someSoup() {
  return soupOf(sphereMesh({1.0, 2.0, 3.0}, 0.7, 12, 7));
}

}  // namespace

TEST_CASE("STL: a binary file is recognised by its size, not by its header", "[unit]") {
  const TriangleSoup soup = someSoup();
  CHECK(readText(binaryStl(soup)).corner == soup.corner);
  CHECK(readText(binaryStl(soup, "solid exported\nfacet normal")).corner == soup.corner);
}

TEST_CASE("STL: a large binary file, read in pieces, keeps the order of its triangles", "[unit]") {
  const TriangleSoup soup = soupOf(sphereMesh({1.0, 2.0, 3.0}, 0.7, 400, 200));
  REQUIRE(soup.triangles() > 2 * 65536);
  CHECK(readText(binaryStl(soup)).corner == soup.corner);
}

TEST_CASE("STL: an ASCII file gives the same coordinates as a binary one", "[unit]") {
  const TriangleSoup soup = someSoup();
  CHECK(readText(asciiStl(soup)).corner == soup.corner);
  CHECK(readText(asciiStl(soup, "\r\n")).corner == soup.corner);
}

TEST_CASE("STL: several solids, capitals, plus signs and exponents are read", "[unit]") {
  const std::string facet =
      "FACET NORMAL 0 0 1\n\tOUTER LOOP\nVERTEX +1.5e0 -2E-1 .25\nVERTEX 1 0 0\nVERTEX 0 1 "
      "1e-60\nENDLOOP\nENDFACET\n";
  const TriangleSoup soup =
      readText("solid\n" + facet + "endsolid\nSolid b b\n" + facet + facet + "EndSolid b b\n");
  REQUIRE(soup.triangles() == 3);
  CHECK(soup.corner[0] == Float3{1.5F, -0.2F, 0.25F});
  CHECK(soup.corner[2] == Float3{0.0F, 1.0F, 0.0F});
}

TEST_CASE("STL: damaged files are refused with the reason", "[unit]") {
  const std::string binary = binaryStl(someSoup());
  const std::string ascii = asciiStl(someSoup());
  CHECK_THAT(sentenceFor(""), Catch::Contains("0 bytes"));
  CHECK_THAT(sentenceFor(binary.substr(0, binary.size() - 1)), Catch::Contains("truncated"));
  CHECK_THAT(sentenceFor("solid" + binary.substr(5) + "x"), Catch::Contains("bytes"));
  CHECK_THAT(sentenceFor(binaryStl({})), Catch::Contains("triangles"));
  CHECK_THAT(sentenceFor("solid nothing\nendsolid nothing\n"), Catch::Contains("triangles"));
  CHECK_THAT(sentenceFor("solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2\n"),
             Catch::Contains("a.stl:"));
  CHECK_THAT(sentenceFor("ply\nformat ascii 1.0\n"), Catch::Contains("STL"));
  for (const double share : {0.2, 0.5, 0.9, 0.999}) {
    const auto length = static_cast<std::size_t>(share * static_cast<double>(ascii.size()));
    CHECK_THAT(sentenceFor(ascii.substr(0, length)), Catch::Contains("truncated"));
  }
}

TEST_CASE("STL: coordinates that are no numbers are refused with the triangle's number", "[unit]") {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    TriangleSoup soup = someSoup();
    soup.corner[3 * 10 + 1][2] = bad;
    CHECK_THAT(sentenceFor(binaryStl(soup)), Catch::Contains("triangle 11"));
    CHECK_THAT(sentenceFor(asciiStl(soup)), Catch::Contains("triangle 11"));
  }
}

TEST_CASE("STL: a missing file and a folder are refused", "[unit]") {
  const TemporaryFolder folder;
  checkError(ExitCode::BadInput, [&] { readStl(folder / "none.stl"); }, {"none.stl"});
  checkError(ExitCode::BadInput, [&] { readStl(folder.path()); }, {folder.path().string()});
}
