// SPDX-License-Identifier: GPL-3.0-or-later
// Images through the program, as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "preprocess/file/lattice_file.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

// Label 0 where fluid(x, y, z), else 1.
template <class Fluid>
std::string labels(const Int3& size, const Fluid& fluid) {
  std::string bytes;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x) bytes += fluid(x, y, z) ? '\0' : '\1';
  return bytes;
}

std::string rawCommand(const Int3& size, const std::string& rest) {
  return "tessera-preprocess --quiet --voxel 1um --type u8 --pore 0 --dims " +
         std::to_string(size[0]) + "," + std::to_string(size[1]) + "," + std::to_string(size[2]) +
         " image.raw --report r.json -o g.vdb " + rest;
}

std::string refused(const WorkFolder& work, const std::string& command, int code) {
  const Outcome outcome = work.run(command);
  INFO(command << "\n" << outcome.errors);
  CHECK(outcome.code == code);
  CHECK_FALSE(std::filesystem::exists(work.path("g.vdb")));
  return outcome.errors;
}

}  // namespace

TEST_CASE("Image lattice: sides without a path between them are refused with the porosity",
          "[pipeline]") {
  const WorkFolder work;
  const Int3 size{12, 8, 8};
  // A channel along x with a wall in it, and a pocket.
  work.write("image.raw", labels(size, [](int x, int y, int z) {
               return (y > 2 && y < 6 && z > 2 && z < 6 && x != 5) || (x == 9 && y == 0 && z == 0);
             }));
  const std::string words = refused(work, rawCommand(size, "--faces x-,x+"), 3);
  CHECK_THAT(words, Catch::Contains("no path"));
  CHECK_THAT(words, Catch::Contains("0.1302"));
  work.mustRun(rawCommand(size, "--faces x+"));
  CHECK(work.json("r.json").at("effective_porosity").get<double>() == Approx(54.0 / 768));
  CHECK(work.json("r.json").at("dead_volume_m3").get<double>() == Approx(46e-18));
  CHECK(work.json("r.json").at("dead_nodes") == 46);
  CHECK(work.json("r.json").at("connected_parts") == 3);
  CHECK_THAT(work.mustRun(rawCommand(size, "--faces x+ --keep connected")).output,
             Catch::Contains("46 nodes"));
  CHECK(work.json("r.json").at("dead_nodes") == 46);
}

TEST_CASE("Image lattice: several labels and ranges are fluid", "[pipeline]") {
  const WorkFolder work;
  std::string bytes;
  for (char label = 0; label < 12; ++label) bytes += std::string(4, label);
  work.write("image.raw", bytes);
  const std::string command =
      "tessera-preprocess --quiet --voxel 1um --type u8 --dims 2,2,12 image.raw --report r.json -o "
      "g.vdb ";
  const auto nodes = [&](const std::string& labels) {
    work.mustRun(command + "--pore '" + labels + "'");
    return work.json("r.json").at("fluid_nodes").get<int>();
  };
  CHECK(nodes("3") == 4);
  CHECK(nodes("1,3,5-8") == 24);
  CHECK(nodes("0-1, 1-2,200") == 12);
  work.write("case.toml", "[preprocess]\npore = \"1,3,5-8\"\n");
  work.mustRun(command + "--case case.toml");
  CHECK(work.json("r.json").at("fluid_nodes") == 24);
  work.mustRun("rm g.vdb");
  for (const std::string labels : {"1,", "", "8-5", "1;3", "1-", "x", "1,,3"})
    CHECK_THAT(refused(work, command + "--pore '" + labels + "'", 2), Catch::Contains("1,3,5-8"));
  CHECK_THAT(refused(work, command + "--pore 20,30-40", 2), Catch::Contains("20 and 30 to 40"));
  work.write("case.toml", "[preprocess]\npore = \"1;2\"\n");
  CHECK_THAT(refused(work, command + "--case case.toml", 2), Catch::Contains("case.toml:2"));
}

TEST_CASE("Image lattice: a cropped image is that part alone, in its place", "[pipeline]") {
  const WorkFolder work;
  const auto isFluid = [](int x, int y, int z) { return (x + 2 * y + 3 * z) % 7 < 3; };
  const Int3 size{9, 8, 7}, part{4, 5, 3};
  work.write("image.raw", labels(size, isFluid));
  work.mustRun(rawCommand(size, "--crop 3,1,2,7,6,5 --mirror z --faces x-"));
  const LatticeGeometry cropped = readLatticeFile(work.path("g.vdb")).geometry;
  CHECK(work.json("r.json").at("nodes") == Int3{4, 5, 6});
  work.write("case.toml", "[preprocess]\ncrop = \"3,1,2,7,6,5\"\n");
  work.mustRun(rawCommand(size, "--case case.toml --mirror z --faces x-"));
  CHECK(readLatticeFile(work.path("g.vdb")).geometry.fluid.count() == cropped.fluid.count());
  work.write("image.raw",
             labels(part, [&](int x, int y, int z) { return isFluid(x + 3, y + 1, z + 2); }));
  work.mustRun(rawCommand(part, "--mirror z --faces x-"));
  const LatticeGeometry alone = readLatticeFile(work.path("g.vdb")).geometry;
  REQUIRE(cropped.fluid.size == alone.fluid.size);
  for (int z = 0; z < 6; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 4; ++x) REQUIRE(cropped.fluid.at(x, y, z) == alone.fluid.at(x, y, z));
  const Double3 moved = cropped.frame.origin - alone.frame.origin;
  CHECK(length(moved - Double3{3e-6, 1e-6, 2e-6}) < 1e-12);
  work.mustRun("rm g.vdb");
  work.write("image.raw", labels(size, isFluid));
  CHECK_THAT(refused(work, rawCommand(size, "--crop 0,0,0,9,8,8"), 2),
             Catch::Contains("9 x 8 x 7") && Catch::Contains("0,0,0,9,8,7"));
  CHECK_THAT(refused(work, rawCommand(size, "--crop 3,0,0,3,8,7"), 2), Catch::Contains("x0"));
  CHECK_THAT(refused(work, rawCommand(size, "--crop 0,0,0,9,8"), 2), Catch::Contains("6 whole"));
  work.write("tube.stl", "solid\nendsolid\n");
  CHECK_THAT(
      refused(work, "tessera-preprocess tube.stl --unit mm --longest 9 --crop 0,0,0,1,1,1 -o g.vdb",
              2),
      Catch::Contains("--cut"));
}

TEST_CASE("Image lattice: effective pores connect openings, dead ones reach none", "[pipeline]") {
  const WorkFolder work;
  const Int3 size{10, 24, 12};
  // Two vessels along x, apart from each other, and a blob.
  const auto inVessel = [](int y, int z, int middle) {
    return (y - middle) * (y - middle) + (z - 5) * (z - 5) < 10;
  };
  work.write("image.raw", labels(size, [&](int x, int y, int z) {
               return inVessel(y, z, 5) || inVessel(y, z, 18) ||
                      (x > 3 && x < 6 && y > 10 && y < 13 && z == 5);
             }));
  const Outcome outcome = work.mustRun(rawCommand(size, "--smooth"));
  const auto report = work.json("r.json");
  const std::uint64_t fluid = report.at("fluid_nodes");
  CHECK(report.at("openings").size() == 4);
  CHECK(report.at("dead_nodes") == 4);
  CHECK_THAT(outcome.errors, !Catch::Contains("no path"));
  CHECK(report.at("effective_porosity").get<double>() ==
        Approx(static_cast<double>(fluid - 4) / (10 * 24 * 12)));
}

TEST_CASE("Image lattice: a path over corners alone is warned about, since D3Q19 has none there",
          "[pipeline]") {
  const WorkFolder work;
  const Int3 size{10, 10, 10};
  for (const int apart : {1, 0}) {  // two channels of 3 x 3 that meet at a corner, or at an edge
    work.write("image.raw", labels(size, [&](int x, int y, int z) {
                 return x < 5 ? y < 3 && z < 3 : y >= 3 && y < 6 && z >= 2 + apart && z < 6;
               }));
    const Outcome outcome = work.mustRun(rawCommand(size, "--faces x-,x+"));
    CHECK(work.json("r.json").at("percolates") == nlohmann::json{{"x", true}});
    CHECK(work.json("r.json").at("warnings").size() == (apart == 1 ? 1 : 0));
    if (apart == 1) CHECK_THAT(outcome.errors, Catch::Contains("x- to x+"));
  }
  work.write("image.raw", labels(size, [](int x, int y, int z) { return x == y && y == z; }));
  const Outcome outcome = work.mustRun(rawCommand(size, "--periodic xyz"));
  CHECK_THAT(outcome.errors, Catch::Contains("axis z"));
}

TEST_CASE("Image lattice: a path that percolates is reported by axis", "[pipeline]") {
  const WorkFolder work;
  const Int3 size{6, 7, 8};
  work.write("image.raw", labels(size, [](int, int y, int z) { return y == 3 && z < 7; }));
  work.mustRun(rawCommand(size, "--faces x-,x+"));
  CHECK(work.json("r.json").at("percolates") == nlohmann::json{{"x", true}});
  CHECK(work.json("r.json").at("effective_porosity").get<double>() == Approx(1.0 / 8));
  const Outcome outcome = work.mustRun(rawCommand(size, "--periodic xz"));
  CHECK(work.json("r.json").at("percolates") == nlohmann::json{{"x", true}, {"z", false}});
  CHECK_THAT(outcome.errors, Catch::Contains("axis z"));
  work.mustRun(rawCommand(size, "--mirror z"));
  CHECK(work.json("r.json").at("nodes") == Int3{6, 7, 16});
  CHECK(work.json("r.json").at("percolates") == nlohmann::json{{"z", false}});
  CHECK(readLatticeFile(work.path("g.vdb")).geometry.periodic ==
        std::array<bool, 3>{false, false, true});
}

TEST_CASE("Image lattice: an image on other nodes keeps its position and its openings",
          "[pipeline]") {
  const WorkFolder work;
  const Int3 size{8, 8, 8};
  work.write("image.raw", labels(size, [](int, int y, int z) { return y >= 4 && z >= 4; }));
  work.mustRun(rawCommand(size, "--longest 16 --faces x-,x+"));
  const LatticeGeometry geometry = readLatticeFile(work.path("g.vdb")).geometry;
  CHECK(geometry.fluid.size == Int3{16, 16, 16});
  CHECK(geometry.fluid.count() == 16 * 8 * 8);
  CHECK(geometry.frame.spacing == Approx(5e-7));
  for (const double at : geometry.frame.origin) CHECK(at == Approx(-2.5e-7));
  REQUIRE(geometry.openings.size() == 2);
  CHECK(geometry.openings[0].area == Approx(16e-12));
  CHECK(geometry.openings[0].centre[1] == Approx(5.5e-6));
}

TEST_CASE("Image lattice: 2D images are resampled, mirrored and opened on x and y", "[pipeline]") {
  const WorkFolder work;
  work.write("channel.pgm", "P2 4 3 1\n1 1 1 1\n0 0 0 0\n1 1 0 1\n");
  const std::string command =
      "tessera-preprocess --quiet --voxel 1mm --pore 0 channel.pgm --report r.json -o g.vdb ";
  work.mustRun(command + "--faces x-,x+ --spacing 0.5mm");
  CHECK(work.json("r.json").at("nodes") == Int3{8, 6, 1});
  CHECK(work.json("r.json").at("fluid_nodes") == 20);
  CHECK(work.json("r.json").at("openings")[0].at("area_m2").get<double>() == Approx(0.5e-6));
  CHECK(work.json("r.json").at("percolates") == nlohmann::json{{"x", true}});
  work.mustRun(command + "--faces x-,x+ --spacing 0.25mm");  // 1 mm wide, one node thick
  CHECK(work.json("r.json").at("openings")[0].at("area_m2").get<double>() == Approx(0.25e-6));
  work.mustRun(command + "--mirror xy");
  CHECK(work.json("r.json").at("nodes") == Int3{8, 6, 1});
  CHECK(work.json("r.json").at("percolates") == nlohmann::json{{"x", true}, {"y", false}});
  std::filesystem::remove(work.path("g.vdb"));
  CHECK_THAT(refused(work, command + "--mirror z", 2), Catch::Contains("--mirror"));
  CHECK_THAT(refused(work, command + "--across 3", 2), Catch::Contains("--longest"));
  CHECK_THAT(refused(work, "tessera-preprocess --voxel 1mm --pore 0:1 channel.pgm -o g.vdb", 2),
             Catch::Contains("--pore"));
  CHECK_THAT(refused(work, command + "channel.pgm", 2), Catch::Contains("twice"));
}

TEST_CASE("Image lattice: Berea sandstone keeps its count, its percolation and its mirror image",
          "[pipeline]") {
  const std::filesystem::path path =
      std::filesystem::path(TESSERA_SHARED_DATA) / "porous/berea_pore.raw";
  if (!std::filesystem::exists(path)) {
    WARN("skipped: " << path << " is not there");
    return;
  }
  const WorkFolder work;
  const std::string command =
      "tessera-preprocess --quiet --voxel 3um --dims 110,110,110 --type u8 --pore 0 " +
      path.string() + " -o g.vdb --report r.json ";
  work.mustRun(command + "--faces x-,x+");
  CHECK(work.json("r.json").at("fluid_nodes") == 236764);
  CHECK(work.json("r.json").at("porosity").get<double>() == Approx(0.1779).margin(5e-5));
  CHECK(work.json("r.json").at("effective_porosity").get<double>() * 110 * 110 * 110 ==
        Approx(236733));
  work.mustRun(command + "--mirror xyz");
  CHECK(work.json("r.json").at("fluid_nodes") == 8 * 236764);
}

TEST_CASE("Image lattice: smoothing keeps the nodes and gives the walls their distances",
          "[pipeline]") {
  const WorkFolder work;
  const Int3 size{20, 24, 24};
  work.write("image.raw", labels(size, [](int, int y, int z) {
               return (y - 11.3) * (y - 11.3) + (z - 11.8) * (z - 11.8) < 64.0;
             }));
  work.mustRun(rawCommand(size, "--faces x-,x+"));
  const LatticeGeometry steps = readLatticeFile(work.path("g.vdb")).geometry;
  const double volume = work.json("r.json").at("volume_voxels_m3");
  work.mustRun(rawCommand(size, "--faces x-,x+ --smooth"));
  const LatticeGeometry smooth = readLatticeFile(work.path("g.vdb")).geometry;
  CHECK(smooth.boundary.node == steps.boundary.node);
  CHECK(smooth.fluid.count() == steps.fluid.count());
  CHECK(smooth.frame.origin == steps.frame.origin);
  CHECK(smooth.surface.triangle.size() > 1000);
  REQUIRE(smooth.openings.size() == 2);
  CHECK(smooth.openings[0].name == "x-");
  CHECK(smooth.openings[0].area == Approx(steps.openings[0].area).epsilon(0.01));
  CHECK(smooth.openings[0].centre[0] == Approx(-0.5e-6));
  const auto report = work.json("r.json");
  CHECK(report.at("volume_mesh_m3").get<double>() == Approx(volume).epsilon(1e-3));
  CHECK(report.at("effective_porosity") == report.at("porosity"));
  CHECK(report.at("percolates") == nlohmann::json{{"x", true}});
  const auto [least, most] =
      std::minmax_element(smooth.boundary.distance.begin(), smooth.boundary.distance.end());
  CHECK(distanceFromCode(*least) < 0.2);
  CHECK(distanceFromCode(*most) > 0.8);
  // The two ends of the vessel are openings without being named.
  work.mustRun(rawCommand(size, "--smooth"));
  CHECK(work.json("r.json").at("openings").size() == 2);
}

TEST_CASE("Image lattice: a rotated image of flat voxels is smoothed in world coordinates",
          "[pipeline]") {
  const WorkFolder work;
  const Int3 size{24, 24, 10};
  // A vessel of radius 4 mm along the slices; x of the image is y of the world, y is -x.
  const std::string voxels = labels(size, [](int x, int y, int) {
    return (x - 11.0) * (x - 11.0) + (y - 12.0) * (y - 12.0) < 64.0;
  });
  work.write("image.mha",
             "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
             "CompressedData = False\nTransformMatrix = 0 1 0 -1 0 0 0 0 1\nOffset = 100 50 -20\n"
             "ElementSpacing = 0.5 0.5 2\nDimSize = 24 24 10\nElementType = MET_UCHAR\n"
             "ElementDataFile = LOCAL\n" +
                 voxels);
  const std::string command =
      "tessera-preprocess --quiet --pore 0 image.mha -o g.vdb --report r.json --smooth ";
  work.mustRun(command + "--across 20");
  const LatticeGeometry geometry = readLatticeFile(work.path("g.vdb")).geometry;
  // The end of the vessel has the area of its 193 voxel faces.
  const double radius = std::sqrt(193 * 0.25e-6 / std::numbers::pi);
  CHECK(geometry.frame.spacing == Approx(radius / 10).epsilon(1e-3));
  REQUIRE(geometry.openings.size() == 2);
  for (const Opening& opening : geometry.openings) {
    CHECK(opening.radius == Approx(radius).epsilon(1e-3));
    CHECK(opening.centre[0] == Approx(0.100 - 12 * 5e-4).margin(1e-4));
    CHECK(opening.centre[1] == Approx(0.050 + 11 * 5e-4).margin(1e-4));
  }
  CHECK(geometry.openings[0].centre[2] == Approx(-0.021));
  CHECK(geometry.openings[1].centre[2] == Approx(-0.001));
  CHECK(geometry.openings[1].normal[2] == Approx(1.0));
  const double volume = work.json("r.json").at("volume_mesh_m3");
  CHECK(work.json("r.json").at("volume_voxels_m3").get<double>() == Approx(volume).epsilon(0.03));
  // Cut in the world, at its z of -10 mm, and extended there.
  work.mustRun(command + "--across 20 --cut \"94,55.5,-10;0,0,1\" --extend 2=1");
  const LatticeGeometry cut = readLatticeFile(work.path("g.vdb")).geometry;
  REQUIRE(cut.openings.size() == 2);
  CHECK(work.json("r.json").at("openings")[1].at("origin") == "cut");
  CHECK(cut.openings[1].centre[2] == Approx(-0.010 + 2.0 * radius).margin(3e-4));
  CHECK(work.json("r.json").at("volume_mesh_m3").get<double>() ==
        Approx((11e-3 + cut.openings[1].centre[2] + 0.010) * cut.openings[1].area).epsilon(0.02));
  CHECK(work.json("r.json").at("volume_voxels_m3").get<double>() ==
        Approx(work.json("r.json").at("volume_mesh_m3").get<double>()).epsilon(0.03));
  std::filesystem::remove(work.path("g.vdb"));
  // In the world the vessel's middle is (94, 55.5) mm; its ends are at z of -21 and -1.
  CHECK_THAT(refused(work, command + "--across 20 --cut \"94,55.5,10;0,0,1\"", 2),
             Catch::Contains("(90.16, 51.66, -21) to (97.84, 59.34, -1) mm"));
  CHECK_THAT(refused(work, "tessera-preprocess --quiet --pore 0 image.mha -o g.vdb", 2),
             Catch::Contains("--spacing"));
  CHECK_THAT(refused(work, command + "--longest 20 --periodic xyz", 2), Catch::Contains("axes"));
}

TEST_CASE("Image lattice: a smoothed vessel can be cut and extended", "[pipeline]") {
  const WorkFolder work;
  const Int3 size{20, 24, 24};
  work.write("image.raw", labels(size, [](int, int y, int z) {
               return (y - 11.3) * (y - 11.3) + (z - 11.8) * (z - 11.8) < 64.0;
             }));
  work.mustRun(rawCommand(size, "--smooth"));
  const double half = work.json("r.json").at("fluid_nodes").get<double>() / 2;
  // Between two planes of voxels; points are in mm.
  const std::string cut = "--smooth --cut \"0.0095,0.0113,0.0118;1,0,0\" ";
  work.mustRun(rawCommand(size, cut));
  auto report = work.json("r.json");
  CHECK(report.at("fluid_nodes").get<double>() == half);
  CHECK(report.at("volume_mesh_m3").get<double>() == Approx(half * 1e-18).epsilon(1e-3));
  REQUIRE(report.at("openings").size() == 2);
  const std::size_t end = report.at("openings")[0].at("origin") == "cut" ? 0 : 1;
  CHECK(report.at("openings")[end].at("origin") == "cut");
  CHECK(report.at("openings")[end].at("centre_m")[0].get<double>() == Approx(9.5e-6));
  CHECK(report.at("openings")[1 - end].at("origin") == "flat cap");

  const double area = report.at("openings")[end].at("area_m2");
  work.mustRun(
      rawCommand(size, cut + "--name " + std::to_string(end + 1) + "=outlet --extend outlet=1.5"));
  report = work.json("r.json");
  const auto& outlet = report.at("openings")[end];
  const double length = outlet.at("extension_m");
  CHECK(outlet.at("name") == "outlet");
  CHECK(length == Approx(1.5 * 16e-6).epsilon(0.03));
  CHECK(outlet.at("centre_m")[0].get<double>() == Approx(9.5e-6 + length));
  // The box grows by whole nodes past voxel 19, and nodes stay where the voxels are.
  CHECK(report.at("nodes") == std::vector<int>{34, 24, 24});
  const LatticeGeometry geometry = readLatticeFile(work.path("g.vdb")).geometry;
  CHECK(geometry.frame.origin == Double3{0, 0, 0});
  CHECK(static_cast<double>(geometry.fluid.count()) * 1e-18 ==
        Approx(half * 1e-18 + length * area).epsilon(0.02));
  std::filesystem::remove(work.path("g.vdb"));
  CHECK_THAT(refused(work, rawCommand(size, "--extend 5"), 2), Catch::Contains("--smooth"));
  CHECK_THAT(refused(work, rawCommand(size, "--smooth --extend 5 --periodic y"), 2),
             Catch::Contains("periodic"));
}

TEST_CASE(
    "Image lattice: a smoothed vessel that ends inside the image names the options that open it",
    "[pipeline]") {
  const WorkFolder work;
  const Int3 size{100, 24, 24};
  // With round ends.
  work.write("image.raw", labels(size, [](int x, int y, int z) {
               const double beyond = x < 14 ? x - 14 : x > 85 ? x - 85 : 0;
               return beyond * beyond + (y - 11.3) * (y - 11.3) + (z - 11.8) * (z - 11.8) < 64.0;
             }));
  work.mustRun(rawCommand(size, "--smooth"));
  const auto report = work.json("r.json");
  CHECK(report.at("openings").empty());
  REQUIRE(report.at("warnings").size() > 0);
  const std::string warning = report.at("warnings").back();
  CHECK_THAT(warning, Catch::Contains("--open \"X,Y,Z\"") && Catch::Contains("--cut \""));
  // The plane that it proposes cuts an end off.
  const std::size_t from = warning.find("--cut \"");
  const std::string cut = warning.substr(from, warning.find('"', from + 7) + 1 - from);
  work.mustRun(rawCommand(size, "--smooth " + cut));
  CHECK(work.json("r.json").at("openings").size() == 1);
  CHECK_THAT(work.mustRun("tessera-info --case g.vdb").output, !Catch::Contains("--faces"));
}

TEST_CASE("Image lattice: blunt ends of a smoothed vessel within the image are numbered candidates",
          "[pipeline]") {
  const WorkFolder work;
  const Int3 size{60, 48, 40};
  const bool slanted = GENERATE(false, true);
  CAPTURE(slanted);
  const double length = slanted ? 15.0 : 20.0;
  const Double3 along = slanted ? Double3{2.0 / 3, 2.0 / 3, 1.0 / 3} : Double3{1, 0, 0};
  const Double3 middle{29.5, 23.5, 19.5};
  work.write("image.raw", labels(size, [&](int x, int y, int z) {
               const Double3 at = Double3{double(x), double(y), double(z)} - middle;
               const double part = dot(at, along);
               return std::abs(part) < length && dot(at, at) - part * part < 49.0;
             }));
  work.mustRun(rawCommand(size, "--smooth"));
  const auto report = work.json("r.json");
  CHECK(report.at("openings").empty());
  REQUIRE(report.at("candidates").size() == 2);
  CHECK_THAT(std::string(report.at("warnings").back()), Catch::Contains("--open 2"));
  work.mustRun(rawCommand(size, "--smooth --open 1 --open 2"));
  const auto openings = work.json("r.json").at("openings");
  REQUIRE(openings.size() == 2);
  for (const auto& opening : openings) {
    double cosine = 0.0;
    for (std::size_t a = 0; a < 3; ++a) cosine += opening.at("normal")[a].get<double>() * along[a];
    CHECK(std::abs(cosine) > 0.995);
    CHECK(opening.at("radius_m").get<double>() == Approx(6.5e-6).epsilon(0.15));
  }
}

TEST_CASE("Image lattice: 2D images are not smoothed", "[pipeline]") {
  const WorkFolder work;
  work.write("channel.pgm", "P2 4 3 1\n1 1 1 1\n0 0 0 0\n1 1 0 1\n");
  CHECK_THAT(
      refused(work, "tessera-preprocess --quiet --voxel 1mm --pore 0 --smooth channel.pgm -o g.vdb",
              2),
      Catch::Contains("3D"));
}

TEST_CASE("Image lattice: smoothed images are the same bytes for any number of threads",
          "[pipeline]") {
  const WorkFolder work;
  const Int3 size{30, 30, 30};
  work.write("image.raw", labels(size, [](int x, int y, int z) {
               return (x * 7 + y * 13 + z * 29) % 31 < 9 || (x - y) * (x - y) + z < 40;
             }));
  work.mustRun(rawCommand(size, "--smooth --threads 1"));
  const std::string once = chain::readWhole(work.path("g.vdb"));
  work.mustRun(rawCommand(size, "--smooth --threads 4"));
  CHECK(chain::readWhole(work.path("g.vdb")) == once);
}

TEST_CASE("Image lattice: an origin that the spacing cannot resolve is refused", "[pipeline]") {
  const WorkFolder work;
  work.write("far.nrrd",
             "NRRD0005\ndimension: 3\nsizes: 4 4 4\ntype: uchar\nencoding: raw\nspace: "
             "left-posterior-superior\nspace directions: (2,0,0) (0,2,0) (0,0,2)\nspace origin: "
             "(1,3.5e38,3)\nspace units: \"mm\" \"mm\" \"mm\"\n\n" +
                 std::string(64, '\1'));
  for (const std::string rest : {"", " --smooth"})
    CHECK_THAT(refused(work, "tessera-preprocess far.nrrd --pore 1 -o g.vdb" + rest, 3),
               Catch::Contains("too far from the origin of coordinates"));
}
