// SPDX-License-Identifier: GPL-3.0-or-later
// A geometry before a run: faces of voxels, layers of the lattice, marks, the page and cases.
#include <catch2/catch.hpp>
#include <map>

#include "pipelines/stage/case/case_file.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/preview/case_recipe.hpp"
#include "preprocess/preview/lattice_layers.hpp"
#include "preprocess/preview/preview.hpp"
#include "preprocess/preview/preview_page.hpp"
#include "preprocess/preview/voxel_faces.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::preview;
using tessera::preprocess::lattice::BoxFace;

namespace {

// A channel of 3 x 4 nodes along x through a box of 6 x 5 x 6, open at both ends.
LatticeGeometry channel(const std::string& inlet = "inlet") {
  LatticeGeometry geometry;
  geometry.frame.spacing = 1e-3;
  geometry.frame.origin = {0.1, 0.2, 0.3};
  geometry.fluid = BitLattice({6, 5, 6});
  for (int z = 1; z < 5; ++z)
    for (int y = 1; y < 4; ++y)
      for (int x = 0; x < 6; ++x) geometry.fluid.set(x, y, z);
  const std::vector<BoxFace> faces{{0, false, 1}, {0, true, 2}};
  geometry.boundary =
      preprocess::lattice::findImageLinks(geometry.fluid, geometry.periodic, faces, {}).boundary;
  for (int k = 0; k < 2; ++k) {
    Opening opening;
    opening.id = k + 1;
    opening.name = k == 0 ? inlet : "outlet";
    opening.centre = geometry.frame.toWorld({k == 0 ? -0.5 : 5.5, 2.0, 2.5});
    opening.normal = {k == 0 ? -1.0 : 1.0, 0.0, 0.0};
    opening.area = 12e-6;
    opening.radius = std::sqrt(opening.area / 3.14159265358979);
    geometry.openings.push_back(opening);
  }
  return geometry;
}

double areaOf(const VoxelFaces& faces, Patch patch, Double3& direction) {
  double area = 0.0;
  direction = {};
  for (std::size_t t = 0; t < faces.triangle.size(); ++t) {
    if (faces.patch[t] != patch) continue;
    const stage::Triangle& c = faces.triangle[t];
    const Double3 n = 0.5 * cross(faces.vertex[c[1]] - faces.vertex[c[0]],
                                  faces.vertex[c[2]] - faces.vertex[c[0]]);
    area += length(n);
    direction = direction + n;
  }
  return area;
}

}  // namespace

TEST_CASE("Preview: voxel faces close the fluid, face outwards and know their openings", "[unit]") {
  const LatticeGeometry geometry = channel();
  const VoxelFaces faces = voxelFaces(geometry, 100000);
  Double3 direction{};
  CHECK(areaOf(faces, openingPatch(1), direction) == Approx(12e-6));
  CHECK(direction[0] == Approx(-12e-6));
  CHECK(areaOf(faces, openingPatch(2), direction) == Approx(12e-6));
  CHECK(direction[0] == Approx(12e-6));
  CHECK(areaOf(faces, 0, direction) == Approx(6 * 14 * 1e-6));
  CHECK(wallFaces(geometry) == 6 * 14);
  double volume = 0.0;
  for (const stage::Triangle& c : faces.triangle)
    volume += dot(faces.vertex[c[0]], cross(faces.vertex[c[1]], faces.vertex[c[2]])) / 6.0;
  CHECK(volume == Approx(72e-9));
  CHECK(faces.vertex.size() < faces.triangle.size());  // shared
}

TEST_CASE("Preview: sides across which the fluid goes on are no walls", "[unit]") {
  // Fluid across z, and across x but for y = 0 at its low end.
  LatticeGeometry geometry;
  geometry.frame.spacing = 1e-3;
  geometry.fluid = BitLattice({5, 4, 3});
  geometry.periodic = {true, false, true};
  geometry.wallNames = {"wall"};
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x)
        if (x > 0 || y > 0) geometry.fluid.set(x, y, z);
  geometry.boundary =
      preprocess::lattice::findImageLinks(geometry.fluid, geometry.periodic, {}, {}).boundary;
  const VoxelFaces faces = voxelFaces(geometry, 100000);
  REQUIRE(faces.isPeriodic.size() == faces.triangle.size());
  double wall = 0.0, side = 0.0;
  for (std::size_t t = 0; t < faces.triangle.size(); ++t) {
    const stage::Triangle& c = faces.triangle[t];
    const double area = 0.5e6 * length(cross(faces.vertex[c[1]] - faces.vertex[c[0]],
                                             faces.vertex[c[2]] - faces.vertex[c[0]]));
    (faces.isPeriodic[t] ? side : wall) += area;
  }
  CHECK(side == Approx(2 * 19 + 2 * 3 * 3));
  // Both sides of y, and the solid column's three faces, one of them across x.
  CHECK(wall == Approx(3 * (4 + 5) + 3 * 3));
  CHECK(wall == Approx(wallFaces(geometry)));
  const Preview preview = makePreview(geometry, {});
  CHECK(preview.parts.labels.back().name == "periodic side, the fluid goes on at the opposite one");
  CHECK(std::count(preview.label.begin(), preview.label.end(), preview.parts.labels.size() - 1) ==
        std::count(faces.isPeriodic.begin(), faces.isPeriodic.end(), true));
}

TEST_CASE("Preview: more faces than allowed become those of larger cells", "[unit]") {
  const LatticeGeometry geometry = channel();
  const VoxelFaces faces = voxelFaces(geometry, 40);
  CHECK(faces.triangle.size() <= 80);
  CHECK(!faces.triangle.empty());
  Double3 direction{};
  CHECK(areaOf(faces, openingPatch(1), direction) > 0.0);
}

TEST_CASE("Preview: layers hold the lattice's nodes and the tiles that they meet", "[unit]") {
  const LatticeGeometry geometry = channel();
  const std::vector<Int3> tiles{{-1, 0, 0}, {3, 0, 4}};
  const picture::ViewLattice lattice = latticeLayers(geometry, tiles, {4, 4, 4});
  REQUIRE(lattice.slice.size() == 6 + 5 + 6);
  CHECK(lattice.cell == 1);
  for (const picture::ViewSlice& slice : lattice.slice) {
    const auto a = static_cast<std::size_t>(slice.axis);
    const std::size_t u = a == 0 ? 1 : 0, v = a == 2 ? 1 : 2;
    std::map<std::pair<int, int>, int> shown;
    for (std::size_t b = 0; 2 * b < slice.block.size(); ++b)
      for (int k = 0; k < 16; ++k)
        if (const int value = slice.value[16 * b + static_cast<std::size_t>(k)])
          shown[{4 * slice.block[2 * b] + k % 4, 4 * slice.block[2 * b + 1] + k / 4}] = value;
    std::size_t fluid = 0;
    Int3 node{};
    node[a] = slice.at;
    for (node[u] = 0; node[u] < geometry.fluid.size[u]; ++node[u])
      for (node[v] = 0; node[v] < geometry.fluid.size[v]; ++node[v])
        if (geometry.fluid.at(node[0], node[1], node[2])) {
          ++fluid;
          const bool atEnd = node[0] == 0 || node[0] == 5;
          const bool atWall = node[1] != 2 || node[2] == 1 || node[2] == 4;
          CHECK(shown[{node[u], node[v]}] == (atEnd ? 3 : atWall ? 2 : 1));
        }
    CHECK(shown.size() == fluid);
    std::size_t met = 0;
    for (const Int3& tile : tiles) met += slice.at >= tile[a] && slice.at < tile[a] + 4;
    CHECK(slice.tile.size() == 2 * met);
  }
}

TEST_CASE("Preview: a page escapes every name and holds each opening and candidate", "[unit]") {
  const std::string name = "</script><script>alert(1)</script>\" & \\";
  const LatticeGeometry geometry = channel(name);
  PreviewNotes notes;
  notes.title = name;
  notes.warnings = {name};
  OtherPlace other;
  other.number = "C1";
  other.reason = name;
  other.option = "--open 1";
  other.normal = {0, 0, 1};
  notes.others = {other};
  const Preview preview = makePreview(geometry, notes);
  REQUIRE(preview.parts.marks.size() == 3);
  CHECK(preview.parts.marks[0].number == "1");
  CHECK(preview.parts.marks[2].number == "C1");
  CHECK(preview.fromVoxels);
  const std::string page = previewPage(preview, caseGeometryOf(geometry, name));
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("--open 1") != std::string::npos);
  std::size_t scripts = 0;
  for (std::size_t at = page.find("</script>"); at != std::string::npos;
       at = page.find("</script>", at + 1))
    ++scripts;
  CHECK(scripts == 4);  // two of data, two of code
}

TEST_CASE("Preview: cases to start from are valid TOML, whatever the names", "[unit]") {
  const std::string name = GENERATE(std::string("inlet"), std::string("a\"b\\c\n[x]\x7f\x01"),
                                    std::string("# \xc3\xa4\xe2\x82\xac \xff"));
  const LatticeGeometry geometry = channel(name);
  const CaseGeometry facts = caseGeometryOf(geometry, name);
  for (const std::string& recipe : recipeNames()) {
    if (recipe == "2d") continue;
    const std::string text = caseText(caseRecipe(facts, recipe));
    INFO(text);
    const stage::CaseFile file = stage::CaseFile::parse(text, "case.toml");
    CHECK(file.tables("opening").size() == 2);
    CHECK(file.table("fluid").has("fluid"));
  }
  const stage::CaseFile named =
      stage::CaseFile::parse("[[opening]]\nname = " + tomlString("a\"b\\c\n\x7f") + "\n", "x");
  CHECK(named.tables("opening").front().text("name") == "a\"b\\c\n\x7f");
}

TEST_CASE("Preview: the recipe suits the geometry, and an id with two meanings becomes a name",
          "[unit]") {
  LatticeGeometry geometry = channel();
  CaseGeometry facts = caseGeometryOf(geometry, "channel.png");
  CHECK(recipeFor(facts) == "rock");
  CHECK(facts.porosity == Approx(72.0 / 180.0));
  facts.fromVoxels = false;
  CHECK(recipeFor(facts) == "steady");
  CHECK(caseRecipe(facts, "steady").openings[0].kind == "velocity");
  facts.openings[0].name = "face2";
  facts.openings[1].name = "face1";
  const CaseRecipe recipe = caseRecipe(facts, "steady");
  CHECK(recipe.openings[0].key == "name = \"face2\"");
  facts.dimensions = 2;
  CHECK(recipeFor(facts) == "2d");
  const CaseRecipe pulsatile = caseRecipe(caseGeometryOf(geometry, "x"), "pulsatile");
  CHECK(pulsatile.waveform.find("time[s],velocity[m/s]\n0.000,") != std::string::npos);
  CHECK(caseText(pulsatile).find("waveform = \"inlet.csv\"") != std::string::npos);
}
