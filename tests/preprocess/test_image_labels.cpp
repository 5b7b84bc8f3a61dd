// SPDX-License-Identifier: GPL-3.0-or-later
// Segments by name, and labels that name walls and openings, through the program.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>

#include "preprocess/file/lattice_file.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using tessera::chain::checkRefused;
using tessera::chain::WorkFolder;

namespace {

using LabelAt = std::function<int(int, int, int)>;

std::string voxelsOf(const Int3& size, const LabelAt& label) {
  std::string bytes;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x) bytes += static_cast<char>(label(x, y, z));
  return bytes;
}

std::string labelCommand(const Int3& size, const std::string& rest) {
  return "tessera-preprocess --quiet --voxel 1um --type u8 --dims " + std::to_string(size[0]) +
         "," + std::to_string(size[1]) + "," + std::to_string(size[2]) +
         " image.raw --report r.json -o g.vdb " + rest;
}

std::string segNrrd(const Int3& size, const LabelAt& label, const std::string& segments) {
  return "NRRD0004\ntype: uchar\ndimension: 3\nencoding: raw\nspace: left-posterior-superior\n"
         "sizes: " +
         std::to_string(size[0]) + " " + std::to_string(size[1]) + " " + std::to_string(size[2]) +
         "\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nkinds: domain domain domain\n" + segments +
         "\n" + voxelsOf(size, label);
}

LatticeGeometry geometryOf(const WorkFolder& work) {
  return readLatticeFile(work.path("g.vdb")).geometry;
}

std::vector<std::string> openingNames(const WorkFolder& work) {
  std::vector<std::string> names;
  for (const Opening& opening : geometryOf(work).openings) names.push_back(opening.name);
  return names;
}

// Visits links to walls: name of the wall, and the node beyond.
template <class Visit>
void forEachWallLink(const LatticeGeometry& geometry, const Visit& visit) {
  std::size_t link = 0;
  for (std::size_t k = 0; k < geometry.boundary.node.size(); ++k) {
    const Int3 node = geometry.fluid.nodeAt(geometry.boundary.node[k]);
    for (std::uint32_t rest = geometry.boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      const Patch patch = geometry.boundary.patch[link];
      if (!isOpening(patch))
        visit(geometry.wallNames[patch], node + directionStep(std::countr_zero(rest)));
    }
  }
}

// A channel along x in solid 1, with a sleeve of solid 3 for x < 6; fluid is 2, beyond x = 5 it
// is 4.
int sleeved(int x, int y, int z) {
  if (y >= 3 && y < 7 && z >= 3 && z < 7) return x < 6 ? 2 : 4;
  return y >= 2 && y < 8 && z >= 2 && z < 8 && x < 6 ? 3 : 1;
}
constexpr Int3 sleevedSize{12, 10, 10};

}  // namespace

TEST_CASE("Image labels: walls next to a label have its name", "[pipeline]") {
  const WorkFolder work;
  work.write("image.raw", voxelsOf(sleevedSize, sleeved));
  const std::string faces = "--pore 2,4 --faces x-,x+ --wall-label 3=stent ";
  std::map<std::string, int> links;
  const auto requireNames = [&](const LatticeGeometry& geometry, const LabelAt& label) {
    links.clear();
    CHECK(geometry.wallNames == std::vector<std::string>{"wall", "stent"});
    forEachWallLink(geometry, [&](const std::string& wall, const Int3& beyond) {
      CHECK(wall == (label(beyond[0], beyond[1], beyond[2]) == 3 ? "stent" : "wall"));
      ++links[wall];
    });
  };
  work.mustRun(labelCommand(sleevedSize, faces));
  requireNames(geometryOf(work), sleeved);
  CHECK(links.at("stent") > 100);
  CHECK(links.at("wall") > 100);
  // By the case; mirrored, where nodes on the far side are the image's own.
  work.write("case.toml", "[preprocess]\nwall_label = [\"3=stent\"]\n");
  work.mustRun(labelCommand(sleevedSize, "--pore 2,4 --mirror x --case case.toml"));
  requireNames(geometryOf(work), [](int x, int y, int z) {
    const int at = (x + 24) % 24;
    return sleeved(at < 12 ? at : 23 - at, y, z);
  });
  // At half the spacing: two nodes of each voxel, the box half a node before voxel 0.
  work.mustRun(labelCommand(sleevedSize, faces + "--spacing 0.5um"));
  requireNames(geometryOf(work), [](int x, int y, int z) { return sleeved(x / 2, y / 2, z / 2); });
}

TEST_CASE("Image labels: openings in fluid of a label have its name", "[pipeline]") {
  const WorkFolder work;
  work.write("image.raw", voxelsOf(sleevedSize, sleeved));
  const std::string faces = "--pore 2,4 --faces x-,x+ ";
  work.mustRun(labelCommand(sleevedSize, faces + "--branch 2=aorta --branch 4=iliac"));
  for (const Opening& opening : geometryOf(work).openings)
    CHECK(opening.name == (opening.normal[0] < 0 ? "aorta" : "iliac"));
  work.mustRun(labelCommand(sleevedSize, faces + "--branch 2,4=aorta"));
  CHECK(openingNames(work) == std::vector<std::string>{"aorta", "aorta_2"});
  work.mustRun(labelCommand(sleevedSize, faces + "--branch 2=aorta --name aorta=inlet"));
  for (const Opening& opening : geometryOf(work).openings)
    CHECK(opening.name == (opening.normal[0] < 0 ? "inlet" : "x+"));
  work.write("case.toml", "[preprocess]\nbranch = [\"4=iliac\"]\n");
  work.mustRun(labelCommand(sleevedSize, faces + "--case case.toml"));
  for (const Opening& opening : geometryOf(work).openings)
    CHECK(opening.name == (opening.normal[0] < 0 ? "x-" : "iliac"));
}

TEST_CASE("Image labels: labels name walls and openings of a smoothed image", "[pipeline]") {
  const WorkFolder work;
  const Int3 size{24, 34, 20};
  // Two tubes along x, fluid 2 and 4, the first one in solid 3 for x < 12.
  const auto inTube = [](int y, int z, double middle, double radius) {
    return (y - middle) * (y - middle) + (z - 9.5) * (z - 9.5) < radius * radius;
  };
  work.write("image.raw", voxelsOf(size, [&](int x, int y, int z) {
               if (inTube(y, z, 8.5, 5.2)) return 2;
               if (inTube(y, z, 25.5, 4.2)) return 4;
               return inTube(y, z, 8.5, 8.0) && x < 12 ? 3 : 1;
             }));
  work.mustRun(labelCommand(
      size, "--pore 2,4 --smooth --wall-label 3=stent --branch 2=aorta --branch 4=vein"));
  const LatticeGeometry geometry = geometryOf(work);
  REQUIRE(geometry.openings.size() == 4);
  for (const Opening& opening : geometry.openings)
    CHECK_THAT(opening.name, Catch::StartsWith(opening.centre[1] < 17e-6 ? "aorta" : "vein"));
  CHECK(geometry.wallNames == std::vector<std::string>{"wall", "stent"});
  std::size_t stent = 0;
  for (std::size_t t = 0; t < geometry.surface.triangle.size(); ++t) {
    if (isOpening(geometry.surface.label[t])) continue;
    Double3 centre{};
    for (const std::uint32_t v : geometry.surface.triangle[t])
      for (std::size_t a = 0; a < 3; ++a)
        centre[a] += static_cast<double>(geometry.surface.vertex[v][a]) / 3.0;
    if (std::abs(centre[0] - 11.5) < 0.7) continue;  // next to the stent's end
    const bool isStent = centre[0] < 11.5 && centre[1] < 17.0;
    CHECK(geometry.surface.label[t] == (isStent ? 1 : 0));
    stent += isStent;
  }
  CHECK(stent > 500);
  std::map<std::string, int> links;
  forEachWallLink(geometry, [&](const std::string& wall, const Int3&) { ++links[wall]; });
  CHECK(links["stent"] > 500);
}

TEST_CASE("Image labels: segments are fluid by name and name walls and openings", "[pipeline]") {
  const WorkFolder work;
  const std::string segments =
      "Segment0_Name:=calcium\nSegment0_LabelValue:=3\nSegment1_Name:=aorta\n"
      "Segment1_LabelValue:=2\nSegment2_Name:=iliac artery\nSegment2_LabelValue:=4\n"
      "Segment3_Name:=not here\nSegment3_LabelValue:=9\n";
  work.write("a.seg.nrrd", segNrrd(sleevedSize, sleeved, segments));
  const std::string command = "tessera-preprocess a.seg.nrrd --faces x-,x+ -o g.vdb --pore ";
  work.mustRun(command + "'aorta, iliac artery'");
  const LatticeGeometry geometry = geometryOf(work);
  CHECK(geometry.fluid.count() == 4 * 4 * 12);
  CHECK(geometry.wallNames == std::vector<std::string>{"wall", "calcium"});
  for (const Opening& opening : geometry.openings)
    CHECK(opening.name == (opening.normal[0] < 0 ? "aorta" : "iliac artery"));
  // A name by an option comes before that of the segment; a single fluid segment names no opening.
  work.mustRun(command + "2,4 --wall-label calcium=stent --branch 'iliac artery=leg'");
  CHECK(geometryOf(work).wallNames == std::vector<std::string>{"wall", "stent"});
  for (const Opening& opening : geometryOf(work).openings)
    CHECK(opening.name == (opening.normal[0] < 0 ? "aorta" : "leg"));
  work.mustRun("tessera-preprocess a.seg.nrrd --faces x- -o g.vdb --pore aorta");
  CHECK(openingNames(work) == std::vector<std::string>{"x-"});
  work.mustRun("rm g.vdb");
  checkRefused(work, command + "venous", 2, "calcium (3), aorta (2), iliac artery (4)");
}

TEST_CASE("Image labels: labels that name nothing are refused", "[pipeline]") {
  const WorkFolder work;
  work.write("image.raw", voxelsOf(sleevedSize, sleeved));
  const auto refused = [&](const std::string& options, const char* words) {
    std::string command = labelCommand(sleevedSize, options);
    command.erase(command.find("--quiet "), 8);
    checkRefused(work, command, 2, words);
  };
  const std::string faces = "--pore 2,4 --faces x-,x+ ";
  refused(faces + "--wall-label 4=stent", "--wall-label 4=stent");
  refused(faces + "--wall-label 9=stent", "\"stent\"");
  refused(faces + "--wall-label stent", "3=stent");
  refused(faces + "--wall-label 3=7", "3=stent");
  refused(faces + "--wall-label calcium=stent", "calcium");
  refused(faces + "--branch 3=aorta", "--branch 3=aorta");
  refused("--pore 2,4 --faces x- --branch 4=aorta", "\"aorta\"");
  // Labels that an earlier option names.
  refused(faces + "--wall-label 1,3=wall --wall-label 3=stent",
          "nothing is left for \"stent\", as voxels of label 3 are \"wall\"");
  refused(faces + "--branch 2=aorta --branch 2=iliac",
          "nothing is left for \"iliac\", as voxels of label 2 are \"aorta\"");
  work.write("case.toml", "[preprocess]\nbranch = [\"2\"]\n");
  refused(faces + "--case case.toml", "case.toml:2");
  work.write("tube.stl", "solid\nendsolid\n");
  for (const std::string option : {"--wall-label 3=a", "--branch 3=a"})
    checkRefused(work, "tessera-preprocess tube.stl --unit mm --longest 9 -o g.vdb " + option, 2,
                 "images");
}

TEST_CASE("Image labels: those without a voxel are warned about, with those that the image has",
          "[pipeline]") {
  const WorkFolder work;
  work.write("image.raw", voxelsOf(sleevedSize, sleeved));
  const auto warnings = [&](const std::string& options) {
    work.mustRun(labelCommand(sleevedSize, "--faces x-,x+ " + options));
    std::string all;
    const auto report = work.json("r.json");
    for (const auto& warning : report.at("warnings")) all += warning.get<std::string>() + "\n";
    return all;
  };
  CHECK_THAT(warnings("--pore 2,4,9 --wall-label 3,77=stent --branch 2,50-60=aorta"),
             Catch::Contains("no voxel has the labels 9 (--pore), 77 (--wall-label) and 50 to 60 "
                             "(--branch), without effect; the image has 1, 2, 3 and 4."));
  CHECK_THAT(warnings("--pore 2,4,9"), Catch::Contains("no voxel has the label 9 (--pore)"));
  CHECK_THAT(warnings("--pore 2,4-9 --branch 2,4-77=vessel --wall-label 3=stent"),
             !Catch::Contains("no voxel"));
  // Labels outside of the part that is cropped.
  CHECK_THAT(
      warnings("--pore 2,4 --crop 0,0,0,6,10,10"),
      Catch::Contains("label 4 (--pore)") && Catch::Contains("the image, cropped, has 1, 2"));
}
