// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks of slices through the program.
#include <catch2/catch.hpp>
#include <filesystem>

#include "preprocess/file/lattice_file.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera;
using namespace tessera::preprocess::file;
using namespace tessera::preprocess::geometry;
using tessera::chain::checkRefused;
using tessera::chain::WorkFolder;

namespace {

constexpr Int3 size{9, 7, 11};

// Planes of labels from z = first to before end.
std::string planes(int first, int end) {
  std::string bytes;
  for (int z = first; z < end; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x) bytes += (x + 2 * y + 3 * z) % 7 < 3 ? '\0' : '\1';
  return bytes;
}

}  // namespace

TEST_CASE("Image stack: a folder of slices and the slices in any order are the image itself",
          "[pipeline]") {
  const WorkFolder work;
  const std::string command =
      "tessera-preprocess --voxel 1um --pore 0 --faces z- --report r.json -o g.vdb ";
  work.write("image.raw", planes(0, size[2]));
  work.mustRun(command + "--dims 9,7,11 --type u8 image.raw");
  const LatticeGeometry image = readLatticeFile(work.path("g.vdb")).geometry;
  std::filesystem::create_directory(work.path("scan"));
  for (int z = 0; z < size[2]; ++z)
    work.write("scan/slice" + std::to_string(z) + ".pgm", "P5 9 7 255\n" + planes(z, z + 1));
  const auto requireSame = [&] {
    const auto read = readLatticeFile(work.path("g.vdb"));
    CHECK(read.geometry.fluid == image.fluid);
    CHECK(read.geometry.frame.origin == image.frame.origin);
    CHECK(read.geometry.boundary.patch == image.boundary.patch);
    CHECK(read.geometry.openings.size() == 1);
    REQUIRE(read.provenance.inputs.size() == 1);
    CHECK(read.provenance.inputs[0].name == "slice0.pgm to slice10.pgm (11 slices)");
    return read.provenance.inputs[0].hash;
  };
  work.mustRun(command + "scan");
  const std::string hash = requireSame();
  const std::string bytes = chain::readWhole(work.path("g.vdb"));
  work.mustRun(command + "--threads 1 scan/");
  CHECK((chain::readWhole(work.path("g.vdb")) == bytes));
  work.mustRun(command + "scan/slice[1-9]*.pgm scan/slice0.pgm");
  CHECK((chain::readWhole(work.path("g.vdb")) == bytes));
  CHECK(work.json("r.json").at("warnings").empty());
  // Another byte in one slice is another stack; a missing slice is said.
  work.mustRun("printf '\\7' | dd of=scan/slice4.pgm bs=1 seek=30 conv=notrunc status=none");
  work.mustRun(command + "scan");
  CHECK(readLatticeFile(work.path("g.vdb")).provenance.inputs.at(0).hash != hash);
  work.mustRun("rm scan/slice4.pgm");
  CHECK_THAT(work.mustRun(command + "scan").errors, Catch::Contains("slice*.pgm, 4"));
  CHECK(work.json("r.json").at("nodes") == Int3{9, 7, 10});
}

TEST_CASE("Image stack: stacks that do not fit are refused", "[pipeline]") {
  const WorkFolder work;
  std::filesystem::create_directory(work.path("scan"));
  const std::string options = " --voxel 1um --pore 0 -o g.vdb";
  checkRefused(work, "tessera-preprocess scan" + options, 3, "without slices");
  work.write("scan/a1.pgm", "P5 2 2 255\n0000");
  work.write("scan/a2.pgm", "P5 2 3 255\n000000");
  checkRefused(work, "tessera-preprocess scan" + options, 3, "a2.pgm");
  checkRefused(work, "tessera-preprocess scan/a1.pgm scan" + options, 3, "regular file");
  work.write("b.nii", "");
  checkRefused(work, "tessera-preprocess scan/a1.pgm b.nii" + options, 2, "b.nii");
  work.write("c.stl", "solid\nendsolid\n");
  checkRefused(work, "tessera-preprocess scan/a1.pgm c.stl" + options, 2, "c.stl");
  work.write("scan/a2.pgm", "P5 2 2 255\n0000");
  checkRefused(work, "tessera-preprocess scan --pore 48 -o g.vdb", 2, "--voxel");
  checkRefused(work, "tessera-preprocess scan --voxel 1um --dims 2,2,2 --pore 0 -o g.vdb", 2,
               "--dims");
  checkRefused(work, "tessera-preprocess scan/a1.pgm scan/a2.pgm scan/a1.pgm" + options, 2,
               "scan/a1.pgm is given twice");
}
