// SPDX-License-Identifier: GPL-3.0-or-later
// NRRD and MetaImage.
#include <catch2/catch.hpp>
#include <filesystem>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

const std::string eight = "\1\2\3\4\5\6\7\10";

Image nrrd(const std::string& fields, const std::string& voxels = eight) {
  return parseNrrd(wholeFileOf("NRRD0005\n# of a test\n" + fields + "\n" + voxels), "a.nrrd");
}
const std::string cube = "type: uchar\ndimension: 3\nsizes: 2 2 2\n";
const std::string lps =
    "space: left-posterior-superior\nspace directions: (2,0,0) (0,2,0) (0,0,2)\n"
    "space origin: (10,20,30)\n";

Image meta(const std::string& fields, const std::string& voxels = eight) {
  return parseMetaImage(wholeFileOf("ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\n" + fields +
                                    "ElementDataFile = LOCAL\n" + voxels),
                        "a.mha");
}

void checkPlace(const Image& image, const Double3& origin, const Double3& lastInMm) {
  Double3 last = image.origin;
  for (std::size_t a = 0; a < 3; ++a) last = last + image.voxel[a] * image.axis[a];
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(1e3 * image.origin[c] == Approx(origin[c]).margin(1e-9));
    CHECK(1e3 * last[c] == Approx(lastInMm[c]).margin(1e-9));
  }
}

}  // namespace

TEST_CASE("NRRD and MetaImage: NRRD keeps LPS and RAS as its world, LAS becomes LPS", "[unit]") {
  const Image image = nrrd(cube + "encoding: raw\n" + lps);
  CHECK(image.space == "LPS");
  CHECK(image.warnings.empty());
  CHECK(image.value(7) == 8);
  checkPlace(image, {10, 20, 30}, {12, 22, 32});
  const Image ras = nrrd(cube +
                         "encoding: raw\nspace: RAS\nspace directions: (-2,0,0) (0,-2,0) (0,0,2)\n"
                         "space origin: (-10,-20,30)\n");
  CHECK(ras.space == "RAS");
  CHECK(ras.lengthUnit.metres == 1e-3);
  checkPlace(ras, {-10, -20, 30}, {-12, -22, 32});
  const Image las = nrrd(cube +
                         "encoding: raw\nspace: left-anterior-superior\nspace origin: (10,-20,30)\n"
                         "space directions: (2,0,0) (0,-2,0) (0,0,2)\n");
  checkPlace(las, {10, 20, 30}, {12, 22, 32});
}

TEST_CASE("NRRD and MetaImage: NRRD is read raw, compressed, as text and from another file",
          "[unit]") {
  CHECK(nrrd(cube + "encoding: gzip\n", gzipOf(eight)).value(5) == 6);
  CHECK(nrrd(cube + "encoding: gz\nbyte skip: 3\n", gzipOf("abc" + eight)).value(5) == 6);
  CHECK(nrrd(cube + "encoding: raw\nline skip: 1\nbyte skip: 2\n", "skip\nxy" + eight).value(0) ==
        1);
  CHECK(nrrd(cube + "encoding: raw\nbyte skip: -1\n", "anything" + eight).value(0) == 1);
  CHECK(nrrd("type: short\r\ndimension: 2\r\nsizes: 2 1\r\nencoding: ascii\r\n\r", "-5, 300\n")
            .value(1) == 300);
  CHECK(nrrd("type: int16\ndimension: 2\nsizes: 1 1\nendian: big\nencoding: raw\n", "\1\2")
            .value(0) == 258);
  const TemporaryFolder folder;
  writeWhole(folder / "a.nhdr", "NRRD0004\n" + cube + "encoding: raw\ndata file: a.raw\n");
  writeWhole(folder / "a.raw", eight);
  const Image image = readNrrd(folder / "a.nhdr");
  CHECK(image.value(7) == 8);
  CHECK(image.parts.size() == 1);
  CHECK_FALSE(image.hasVoxelSize());
}

TEST_CASE("NRRD and MetaImage: NRRD without a space has sizes and a warning, or none", "[unit]") {
  const Image image = nrrd(cube + "encoding: raw\nspacings: 0.5 0.5 2\n");
  CHECK(image.voxel[2] == Approx(2e-3));
  CHECK(image.warnings.size() == 1);
  const Image microns =
      nrrd(cube + "encoding: raw\nspacings: 3 3 3\nunits: \"um\" \"um\" \"um\"\n");
  CHECK(microns.voxel[0] == Approx(3e-6));
  CHECK(microns.warnings.empty());
  CHECK_FALSE(nrrd(cube + "encoding: raw\nspacings: 3 3 3\nunits: \"ell\" \"ell\" \"ell\"\n")
                  .hasVoxelSize());
}

TEST_CASE("NRRD and MetaImage: unusable NRRD is refused with the reason", "[unit]") {
  const std::pair<std::string, const char*> cases[] = {
      {"type: block\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n", "type"},
      {"type: uchar\ndimension: 4\nsizes: 2 2 2 1\nencoding: raw\n", "4 axes"},
      {cube + "encoding: raw\nkinds: vector domain domain\n", "kind \"vector\""},
      {cube + "encoding: bzip2\n", "bzip2"},
      {cube + "encoding: hex\n", "hex"},
      {"type: uchar\ndimension: 3\nsizes: 2 2 3\nencoding: raw\n", "12"},
      {"type: uchar\ndimension: 3\nsizes: 2 2\nencoding: raw\n", "sizes"},
      {"type: uchar\ndimension: 3\nsizes: 1000000 1000000 1000000\nencoding: gzip\n", "compressed"},
      {"type: uchar\ndimension: 3\nsizes: 1000000 1000000 1000000\nencoding: ascii\n", "short"},
      {"type: short\ndimension: 2\nsizes: 2 2\nencoding: raw\n", "endian"},
      {"type: uchar\ndimension: 2\nsizes: 2 2\nencoding: ascii\n", "voxel 0"},
      {cube + "encoding: raw\nspace: 3D-left-handed\n", "space"},
      {cube + "encoding: raw\nspace: LPS\nspace directions: (2,0,0) (1,2,0) (0,0,2)\n",
       "perpendicular"},
      {cube + "encoding: raw\nspace: LPS\nspace directions: (2,0,0) (0,nan,0) (0,0,2)\n",
       "distance"},
      {cube + "encoding: raw\nspace: LPS\nspace directions: (2,0,0) (0,2,0)\n", "3 vectors"},
      {cube + "encoding: raw\ndata file: ../secret.raw\n", "folder"},
      {cube + "encoding: raw\ndata file: /etc/passwd\n", "folder"},
      {cube + "encoding: raw\ndata file: LIST\n", "files"}};
  for (const auto& [fields, words] : cases) {
    INFO(fields);
    checkError(ExitCode::BadInput, [&, f = fields] { nrrd(f); }, {words, "a.nrrd"});
  }
  checkError(ExitCode::BadInput, [] { parseNrrd(wholeFileOf(""), "a.nrrd"); }, {"NRRD000"});
}

TEST_CASE("NRRD and MetaImage: MetaImage has its position, byte order and compression", "[unit]") {
  const Image image = meta(
      "BinaryData = True\nTransformMatrix = 0 1 0 -1 0 0 0 0 1\nOffset = 10 20 30\n"
      "ElementSpacing = 2 2 2\nElementType = MET_UCHAR\n");
  CHECK(image.space == "LPS");
  CHECK(image.value(7) == 8);
  checkPlace(image, {10, 20, 30}, {8, 22, 32});
  CHECK(image.axis[0] == Double3{0, 1, 0});
  CHECK(meta("CompressedData = True\nElementType = MET_CHAR\n", zlibOf(eight)).value(6) == 7);
  const Image big = meta("ElementByteOrderMSB = True\nElementType = MET_USHORT\n", eight + eight);
  CHECK(big.value(0) == 258);
  CHECK_FALSE(big.hasVoxelSize());
  CHECK(meta("HeaderSize = -1\nElementType = MET_UCHAR\n", "abc" + eight).value(0) == 1);
  const Image fine = meta("DistanceUnits = um\nElementSpacing = 3 3 3\nElementType = MET_UCHAR\n");
  CHECK(fine.voxel[0] == Approx(3e-6));
  CHECK(fine.lengthUnit.name == std::string("um"));
  const TemporaryFolder folder;
  writeWhole(folder / "a.mhd",
             "NDims = 2\nDimSize = 4 2\nElementSpacing = 1 1\nElementType = MET_UCHAR\n"
             "ElementDataFile = a.raw\n");
  writeWhole(folder / "a.raw", eight);
  const Image plane = readMetaImage(folder / "a.mhd");
  CHECK(plane.dimensions == 2);
  CHECK(plane.size == Int3{4, 2, 1});
  CHECK(plane.parts.size() == 1);
}

TEST_CASE("NRRD and MetaImage: unusable MetaImage is refused with the reason", "[unit]") {
  const std::string type = "ElementType = MET_UCHAR\n";
  const std::pair<std::string, const char*> cases[] = {
      {"ElementType = MET_OTHER\n", "met_other"},
      {type + "ElementNumberOfChannels = 3\n", "3 channels"},
      {type + "BinaryData = False\n", "text"},
      {type + "ElementSpacing = 1 1\n", "3 numbers"},
      {type + "ElementSpacing = 1 0 1\n", "distance"},
      {type + "ElementSpacing = 1 1 1\nTransformMatrix = 1 0 0 1 1 0 0 0 1\n", "perpendicular"},
      {type + "DimSize = 2 2 3\n", "12"},
      {type + "DimSize = 2 2\n", "DimSize"},
      {type + "NDims = 4\n", "4 axes"},
      {type + "ElementToIntensityFunctionSlope = 2\n", "scales"},
      {type + "CompressedData = True\n", "damaged"},
      {type + "ElementDataFile = LIST\n", "files"},
      {type + "ElementDataFile = a%03d.raw 1 2 1\n", "files"},
      {type + "ElementDataFile = ../a.raw\n", "folder"}};
  for (const auto& [fields, words] : cases) {
    INFO(fields);
    checkError(ExitCode::BadInput, [&, f = fields] { meta(f); }, {words, "a.mha"});
  }
  checkError(ExitCode::BadInput, [] { parseMetaImage(wholeFileOf("x"), "a.mha"); },
             {"ElementDataFile"});
}
