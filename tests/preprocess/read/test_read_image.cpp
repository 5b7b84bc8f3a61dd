// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>

#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::image;
using namespace tessera::preprocess::read;
using namespace tessera::stage;

namespace {

Image pgm(const std::string& content) {
  const TemporaryFolder folder;
  writeWhole(folder / "a.pgm", content);
  return readPgm(folder / "a.pgm");
}

Image raw(const std::string& content, const Int3& size, VoxelType type) {
  const TemporaryFolder folder;
  writeWhole(folder / "a.raw", content);
  return readRaw(folder / "a.raw", size, type);
}

}  // namespace

TEST_CASE("Image files: RAW is stored along x, then y, then z", "[unit]") {
  std::string voxels(2 * 3 * 4, '\7');
  voxels[1 + 2 * (2 + 3 * 3)] = '\0';
  const BitLattice fluid = fluidOf(raw(voxels, {2, 3, 4}, VoxelType::U8), 0, 0);
  CHECK(fluid.size == Int3{2, 3, 4});
  CHECK(fluid.count() == 1);
  CHECK(fluid.at(1, 2, 3));
}

TEST_CASE("Image files: labels are chosen by a range, two bytes are little-endian", "[unit]") {
  const Image image = raw(std::string("\1\0\0\1\377\377\2\1", 8), {4, 1, 1}, VoxelType::U16);
  CHECK(image.value(0) == 1);
  CHECK(image.value(1) == 256);
  CHECK(image.value(2) == 65535);
  CHECK(image.value(3) == 258);
  CHECK(fluidOf(image, 256, 258).count() == 2);
  CHECK(fluidOf(image, 0, 65535).count() == 4);
}

TEST_CASE("Image files: rows longer than a word keep their bits in place", "[unit]") {
  std::string voxels(130 * 2, '\1');
  voxels[64] = voxels[129] = voxels[130 + 127] = '\0';
  const BitLattice fluid = fluidOf(raw(voxels, {130, 2, 1}, VoxelType::U8), 0, 0);
  CHECK(fluid.count() == 3);
  CHECK(fluid.at(64, 0, 0));
  CHECK(fluid.at(129, 0, 0));
  CHECK(fluid.at(127, 1, 0));
}

TEST_CASE("Image files: a RAW of another size is refused with both sizes", "[unit]") {
  const std::string sentence = sentenceOfError(ExitCode::BadInput, [] {
    raw("12345", {2, 3, 1}, VoxelType::U8);
  });
  CHECK_THAT(sentence, Catch::Contains("5 bytes") && Catch::Contains("6"));
}

TEST_CASE("Image files: PGM is a 2D geometry, plain or binary, with comments", "[unit]") {
  for (const std::string& content :
       {std::string("P2\n# drawn by hand\n3 2 # size\n9\n0 1 2\n3 4 5\n"),
        std::string("P5 3 2\n9\n") + std::string("\0\1\2\3\4\5", 6)}) {
    const Image image = pgm(content);
    CHECK(image.dimensions == 2);
    CHECK(image.size == Int3{3, 2, 1});
    for (std::size_t i = 0; i < 6; ++i) CHECK(image.value(i) == static_cast<int>(i));
  }
  CHECK(pgm(std::string("P5 1 1 300 ") + std::string("\1\2", 2)).value(0) == 258);
}

TEST_CASE("Image files: damaged PGM files are refused", "[unit]") {
  for (const std::string& content :
       {std::string(), std::string("P6 1 1 255 abc"), std::string("P5 3 2 9 12345"),
        std::string("P2 3 2 9 0 1 2 3 4 "), std::string("P2 3 2 9 0 1 2 3 4 10"),
        std::string("P5 0 2 9 "), std::string("P5 3"), std::string("P2 1000000 1000000 1 1")}) {
    INFO(content);
    CHECK(sentenceOfError(ExitCode::BadInput, [&] { pgm(content); }).size() > 20);
  }
}
