// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces that others wrote: VTK's own .vtp files, the shared data; several surfaces as one.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "preprocess/read/surface/surface_readers.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/surface/topology/weld.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
using namespace tessera::test;
namespace fs = std::filesystem;

namespace {

std::map<std::string, double> areasByFace(const TriangleSoup& soup) {
  std::map<std::string, double> areas;
  for (std::size_t t = 0; t < soup.triangles(); ++t) {
    std::array<Double3, 3> p{};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t a = 0; a < 3; ++a) p[k][a] = soup.corner[3 * t + k][a];
    areas[soup.face.empty() ? "" : soup.faceName[soup.face[t]]] +=
        0.5 * length(cross(p[1] - p[0], p[2] - p[0]));
  }
  return areas;
}

bool hasVtk() {
  return std::system("/usr/bin/python3 -c 'import vtkmodules.vtkIOXML' >/dev/null 2>&1") == 0;
}

}  // namespace

TEST_CASE("Foreign surfaces: VTK's own files are read as VTK reads them, in every encoding",
          "[unit]") {
  if (!hasVtk()) {
    WARN("skipped: python3-vtk9 is not installed");
    return;
  }
  const TemporaryFolder folder;
  const std::string command = "/usr/bin/python3 '" TESSERA_SOURCE
                              "/tests/preprocess/read/write_with_vtk.py' '" +
                              folder.path().string() + "' > '" + (folder / "seen").string() + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  std::map<std::string, double> seen;
  std::ifstream file(folder / "seen");
  for (std::string name; file >> name;) file >> seen[name];
  REQUIRE(seen.size() == 4);
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".vtp") continue;
    ++files;
    INFO(entry.path());
    const TriangleSoup soup = readVtp(entry.path());
    CHECK(static_cast<double>(soup.triangles()) == seen["triangles"]);
    for (const auto& [face, area] : areasByFace(soup))
      CHECK(area == Approx(seen.at(face)).epsilon(1e-6));
  }
  CHECK(files == 32);
  for (const char* name : {"lz4.refused", "lzma.refused"})
    checkError(ExitCode::BadInput, [&] { readVtp(folder / name); }, {"DataCompressor"});
}

TEST_CASE("Foreign surfaces: the shared files of other programs are read", "[unit]") {
  const fs::path data = fs::path(TESSERA_SHARED_DATA) / "dirty";
  if (!fs::exists(data)) {
    WARN("skipped: " << data << " is not there");
    return;
  }
  const TriangleSoup fuze = readPly(data / "fuze_ascii.ply");
  CHECK(fuze.triangles() == 1000);
  const TriangleSoup negative = readObj(data / "negative_indices.obj");
  CHECK(negative.triangles() == 12);  // a cube
}

TEST_CASE("Foreign surfaces: several solids of an ASCII STL are faces, one is none, SPACE= is kept",
          "[unit]") {
  const TriangleSoup soup = soupOf(sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4));
  const std::string one = asciiStl(soup);
  std::string other = one;
  other.replace(other.find("made for a test"), 15, "inlet SPACE=RAS");
  const TriangleSoup both = parseStl(one + other, "in");
  REQUIRE(both.faceName == std::vector<std::string>{"made for a test", "inlet SPACE=RAS"});
  CHECK(both.face[soup.triangles() - 1] == 0);
  CHECK(both.face[soup.triangles()] == 1);
  CHECK(both.space == "RAS");
  CHECK(parseStl(one + one, "in").face.empty());
  CHECK(parseStl(binaryStl(soup, "3D Slicer output. SPACE=LPS"), "in").space == "LPS");
  CHECK(parseStl(binaryStl(soup), "in").space.empty());
}

TEST_CASE("Foreign surfaces: too large a coordinate in an ASCII STL is refused, not read as zero",
          "[unit]") {
  std::string text = asciiStl(soupOf(sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4)));
  text.replace(text.find("vertex ") + 7, 1, "1e60 0 0\nvertex ");
  CHECK_THROWS_AS(parseStl(text, "in"), StageError);
  const std::string facet =
      "facet normal 0 0 1\nouter loop\nvertex 1e60 0 0\nvertex 1 0 0\n"
      "vertex 0 1 0\nendloop\nendfacet\n";
  checkError(ExitCode::BadInput, [&] { parseStl("solid\n" + facet + "endsolid\n", "in"); },
             {"triangle 1 of 1"});
}

TEST_CASE("Foreign surfaces: united surfaces keep their positions, however far from zero",
          "[unit]") {
  const TemporaryFolder folder;
  TriangleMesh near = sphereMesh({500000.1, -4000000.2, 70.3}, 0.7, 12, 7);
  TriangleMesh far = sphereMesh({500003.1, -4000000.2, 70.3}, 0.7, 12, 7);
  writeWhole(folder / "near.ply", plyFile(near, Bytes::Little, true));
  writeWhole(folder / "far.obj", objFile(far));
  const TriangleSoup all = readSurfaces({folder / "near.ply", folder / "far.obj"});
  REQUIRE(all.triangles() == near.triangle.size() + far.triangle.size());
  CHECK(all.faceName == std::vector<std::string>{"near", "far"});
  double worst = 0.0;
  const auto compare = [&](const TriangleMesh& mesh, std::size_t first) {
    for (std::size_t i = 0; i < 3 * mesh.triangle.size(); ++i)
      for (std::size_t a = 0; a < 3; ++a)
        worst = std::max(worst, std::abs(all.origin[a] + all.corner[first + i][a] -
                                         mesh.vertex[mesh.triangle[i / 3][i % 3]][a]));
  };
  compare(near, 0);
  compare(far, 3 * near.triangle.size());
  CHECK(worst < 1e-6);
  const WeldedMesh welded = weld(all, 0.001);  // the origin is not lost on the way
  CHECK(welded.mesh.vertex.size() == near.vertex.size() + far.vertex.size());
  CHECK(length(welded.mesh.vertex[0] - 0.001 * near.vertex[near.triangle[0][0]]) < 1e-9);
}
