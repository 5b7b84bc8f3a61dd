// SPDX-License-Identifier: GPL-3.0-or-later
// Every input format under .gz.
#include <catch2/catch.hpp>
#include <map>

#include "preprocess/read/decode.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "preprocess/read/readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/pixel_files.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::test;

namespace {

const std::string offText = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

// A small valid file of every format that has one in a single file.
std::map<std::string, std::string> smallFiles() {
  NiftiText nifti;
  nifti.dim = {3, 2, 2, 2, 1, 1, 1, 1};
  const std::string voxels = "\1\2\3\4\5\6\7\x8";
  return {{"stl", asciiStl(soupOf(sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4)))},
          {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
          {"off", offText},
          {"ply",
           "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\nproperty int "
           "z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 "
           "0\n0 1 0\n3 0 1 2\n"},
          {"nii", niftiHeader(nifti) + voxels},
          {"nrrd",
           "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\nspacings: 1 1 "
           "1\n\n" +
               voxels},
          {"mha",
           "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = "
           "MET_UCHAR\nElementDataFile = LOCAL\n" +
               voxels},
          {"pgm", "P5\n4 2\n255\n" + voxels},
          {"png", png(2, 2, 8, 0, std::string("\0\1\2\0\3\4", 6))}};
}

std::vector<double> valuesOf(const Image& image) {
  std::vector<double> values;
  for (std::size_t i = 0; i < image.voxels(); ++i) values.push_back(image.value(i));
  return values;
}

// Sentence for a .gz of these bytes; most: see inflateWhole().
std::string refused(const std::string& bytes, std::size_t most = mostUncompressed) {
  return sentenceOfError(ExitCode::BadInput, [&] { inflateWhole(bytes, "a.off.gz", most); });
}

}  // namespace

TEST_CASE("Compressed files: every format is known with .gz, of the same kind", "[unit]") {
  for (const FileFormat& format : inputFormats()) {
    const std::string extension = format.extension;
    if (extension.ends_with(".gz")) continue;
    const std::string compressed = "A.b." + extension + ".GZ";
    CHECK(kindOfFile(compressed) == kindOfFile("a." + extension));
    CHECK(extensionOf(compressed) == extension);
    CHECK(stemOf(compressed) == "A.b");
    CHECK(isCompressed(compressed));
    CHECK_FALSE(isCompressed("a." + extension));
  }
  const TemporaryFolder folder;
  writeWhole(folder / "a.gz", gzipOf(offText));
  checkError(ExitCode::BadInput, [&] { kindOfFile(folder / "a.gz"); }, {".stl", ".gz"});
}

TEST_CASE("Compressed files: a surface or an image is the same under .gz", "[unit]") {
  const TemporaryFolder folder;
  for (const auto& [extension, bytes] : smallFiles()) {
    INFO(extension);
    const auto plain = folder / ("a." + extension), packed = folder / ("b." + extension + ".gz");
    writeWhole(plain, bytes);
    writeWhole(packed, gzipOf(bytes.substr(0, 11)) + gzipOf(bytes.substr(11)));
    if (kindOfFile(packed) == InputKind::Surface) {
      CHECK(readSurface(packed).corner == readSurface(plain).corner);
    } else {
      CHECK(valuesOf(readImage(packed)) == valuesOf(readImage(plain)));
    }
  }
}

TEST_CASE("Compressed files: RAW and pairs of NIfTI are read compressed", "[unit]") {
  const TemporaryFolder folder;
  NiftiText text;
  text.dim = {3, 2, 2, 2, 1, 1, 1, 1};
  text.pair = true;
  writeWhole(folder / "c.hdr.gz", gzipOf(niftiHeader(text)));
  writeWhole(folder / "c.img.gz", gzipOf("\1\2\3\4\5\6\7\x8"));
  for (const char* name : {"c.hdr.gz", "c.img.gz"}) {
    const Image image = readNifti(folder / name);
    CHECK(image.value(7) == 8);
    CHECK(image.parts.size() == 1);
  }
  writeWhole(folder / "d.raw.gz", gzipOf("\1\2\3\4"));
  CHECK(readRaw(folder / "d.raw.gz", {2, 2, 1}, VoxelType::U8).value(3) == 4);
  checkError(ExitCode::BadInput,
             [&] {
               readRaw(folder / "d.raw.gz", {2, 2, 2}, VoxelType::U8);
             },
             {"8"});
}

TEST_CASE("Compressed files: several surfaces have their names without both extensions", "[unit]") {
  const TemporaryFolder folder;
  writeWhole(folder / "wall.off.gz", gzipOf(offText));
  writeWhole(folder / "inlet.off", offText);
  const TriangleSoup soup = readSurfaces({folder / "wall.off.gz", folder / "inlet.off"});
  CHECK(soup.faceName == std::vector<std::string>{"wall", "inlet"});
}

TEST_CASE("Compressed files: damage and unbounded data are refused with the reason", "[unit]") {
  const std::string whole = gzipOf(std::string(100'000, 'x'));
  CHECK(inflateWhole(whole, "a", 100'000).size == 100'000);
  CHECK_THAT(refused(whole, 99'999), Catch::Contains("99999"));
  for (const std::size_t cut : {std::size_t{1}, std::size_t{8}, whole.size() - 12})
    CHECK_THAT(refused(whole.substr(0, whole.size() - cut)), Catch::Contains("truncated"));
  std::string wrong = whole;
  wrong[50'000] = 'y';
  CHECK_THAT(refused(wrong), Catch::Contains("damaged"));
  const TemporaryFolder folder;
  writeWhole(folder / "a.off.gz", offText);
  checkError(ExitCode::BadInput, [&] { readSurface(folder / "a.off.gz"); },
             {"a.off.gz", "gzip", "rename"});
}
