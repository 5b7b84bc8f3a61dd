// SPDX-License-Identifier: GPL-3.0-or-later
// TIFF and PNG.
#include <catch2/catch.hpp>
#include <filesystem>

#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/pixel_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::image;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

Image parsedTiff(const std::string& bytes) {
  return parseTiff(wholeFileOf(bytes), "a.tif");
}

Image parsedPng(const std::string& bytes) {
  return parsePng(wholeFileOf(bytes), "a.png");
}

}  // namespace

TEST_CASE("TIFF and PNG: TIFF pages are planes, a single one a 2D geometry", "[unit]") {
  for (const bool big : {false, true}) {
    const Image image = parsedTiff(tiff({strip("\1\2\3\4"), strip("\5\6\7\10")}, big));
    CHECK(image.dimensions == 3);
    CHECK(image.size == Int3{2, 2, 2});
    for (std::size_t i = 0; i < 8; ++i) CHECK(image.value(i) == static_cast<double>(i + 1));
    CHECK_FALSE(image.hasVoxelSize());
    const Image plane = parsedTiff(tiff({strip("\1\2\3\4")}, big));
    CHECK(plane.dimensions == 2);
    CHECK(plane.size == Int3{2, 2, 1});
  }
}

TEST_CASE(
    "TIFF and PNG: TIFF of wide samples, bits, palettes, tiles and compressed strips gives its "
    "values",
    "[unit]") {
  for (const bool big : {false, true}) {
    std::string words(8, '\0'), reals(16, '\0');
    for (std::size_t i = 0; i < 4; ++i) {
      put(words, 2 * i, static_cast<std::int16_t>(-300 * static_cast<int>(i)), big);
      put(reals, 4 * i, 0.5F * static_cast<float>(i), big);
    }
    CHECK(parsedTiff(tiff({strip(words, 16, 2)}, big)).value(3) == -900);
    CHECK(parsedTiff(tiff({strip(words, 16, 1)}, big)).value(3) == 65536 - 900);
    CHECK(parsedTiff(tiff({strip(reals, 32, 3)}, big)).value(3) == 1.5);
    TiffPage tile;
    tile.voxels.assign(256, '\0');
    tile.voxels[16] = '\7';
    CHECK(parsedTiff(tiff({tile}, big)).value(2) == 7);
  }
  TiffPage bits = strip("\x40\x01\x80", 1);  // 010000000 and 1000... of 9 in two bytes a row
  bits.voxels = std::string("\x40\x80\x80\x00", 4);
  bits.width = 9;
  const Image bilevel = parsedTiff(tiff({bits}));
  CHECK(fluidOf(bilevel, 1, 1).count() == 3);
  for (const std::size_t i : {1, 8, 9}) CHECK(bilevel.value(i) == 1);
  TiffPage palette = strip("\1\2\3\4");
  palette.palette = 1;
  CHECK(parsedTiff(tiff({palette})).value(3) == 4);
  TiffPage packed = strip(std::string("\xfd\x09", 2));  // four times 9, by PackBits
  packed.compression = 32773;
  CHECK(parsedTiff(tiff({packed})).value(3) == 9);
  packed.voxels = zlibOf("\1\2\3\4");
  packed.compression = 8;
  CHECK(parsedTiff(tiff({packed})).value(3) == 4);
}

TEST_CASE("TIFF and PNG: ImageJ's description gives the size of a voxel and stacks of one page",
          "[unit]") {
  TiffPage page = strip("\1\2\3\4");
  page.description = "ImageJ=1.53t\nimages=2\nslices=2\nunit=micron\nspacing=4.0\nloop=false\n";
  page.perUnit = 2;
  const Image image = parsedTiff(tiff({page, strip("\5\6\7\10")}));
  CHECK(image.voxel[0] == Approx(0.5e-6));
  CHECK(image.voxel[1] == Approx(0.5e-6));
  CHECK(image.voxel[2] == Approx(4e-6));
  CHECK(image.space.empty());
  page.voxels = "\1\2\3\4\5\6\7\10";  // the second plane follows the first, without a page
  const Image following = parsedTiff(tiff({page}));
  CHECK(following.size == Int3{2, 2, 2});
  CHECK(following.value(7) == 8);
  page.description = "ImageJ=1.53t\nimages=2\nchannels=2\nunit=um\n";
  checkError(ExitCode::BadInput, [&] { parsedTiff(tiff({page})); }, {"2 channels"});
}

TEST_CASE("TIFF and PNG: unusable TIFF is refused with the reason", "[unit]") {
  const auto refused = [](const std::string& bytes, const char* words) {
    checkError(ExitCode::BadInput, [&] { parsedTiff(bytes); }, {words, "a.tif"});
  };
  refused("", "TIFF");
  refused("II*", "TIFF");
  TiffPage page = strip("\1\2\3\4\1\2\3\4\1\2\3\4");
  page.samples = 3;
  refused(tiff({page}), "3 samples");
  page = strip("\1", 4);
  refused(tiff({page}), "4 bits");
  page = strip("\1\2\3\4");
  page.compression = 7;
  refused(tiff({page}), "compression 7");
  refused(tiff({strip("\1\2\3\4"), strip("12345678", 16)}), "size");
  page = strip("\1\2\3\4");
  page.width = page.height = 1 << 19;
  refused(tiff({page}), "more than");
  page = strip("\1\2\3\4");
  page.compression = 8;
  refused(tiff({page}), "TIFF");
  const std::string whole = tiff({strip("\1\2\3\4")});
  refused(whole.substr(0, whole.size() - 30), "TIFF");
}

TEST_CASE("TIFF and PNG: PNG is a 2D geometry of its stored values, first row y = 0", "[unit]") {
  const Image grey = parsedPng(png(3, 2, 8, 0, std::string("\0\1\2\3\0\4\5\377", 8)));
  CHECK(grey.dimensions == 2);
  CHECK(grey.size == Int3{3, 2, 1});
  CHECK(grey.value(2) == 3);
  CHECK(grey.value(3) == 4);
  CHECK(grey.value(5) == 255);
  const Image wide = parsedPng(png(1, 2, 16, 0, std::string("\0\1\2\0\3\4", 6)));
  CHECK(wide.value(0) == 258);
  CHECK(wide.value(1) == 772);
  const Image bits = parsedPng(png(9, 1, 1, 0, std::string("\0\x40\x80", 3)));
  CHECK(bits.value(1) == 1);
  CHECK(bits.value(8) == 1);
  CHECK(bits.value(7) == 0);
  const Image palette = parsedPng(png(4, 1, 2, 3, std::string("\0\x1b", 2)));
  for (std::size_t i = 0; i < 4; ++i) CHECK(palette.value(i) == static_cast<double>(i));
  const Image likeGrey = parsedPng(png(2, 1, 8, 2, std::string("\0\5\5\5\6\6\6", 7)));
  CHECK(likeGrey.value(0) == 5);
  CHECK(likeGrey.value(1) == 6);
  const Image transparent = parsedPng(png(2, 1, 8, 4, std::string("\0\5\1\6\2", 5)));
  CHECK(transparent.value(1) == 6);
}

TEST_CASE("TIFF and PNG: unusable PNG is refused with the reason", "[unit]") {
  const auto refused = [](const std::string& bytes, const char* words) {
    checkError(ExitCode::BadInput, [&] { parsedPng(bytes); }, {words, "a.png"});
  };
  const std::string good = png(3, 2, 8, 0, std::string("\0\1\2\3\0\4\5\6", 8));
  refused("", "PNG");
  refused("not a picture at all", "PNG");
  refused(good.substr(0, good.size() - 20), "PNG");
  refused(png(3, 3, 8, 0, std::string("\0\1\2\3\0\4\5\6", 8)), "PNG");
  refused(png(1 << 19, 1 << 19, 8, 0, "abc"), "more pixels");
  refused(png(2, 1, 8, 2, std::string("\0\5\5\5\6\6\7", 7)), "x = 1, y = 0");
}

TEST_CASE("TIFF and PNG: the public TIFF of fractures has the values that Pillow reads", "[unit]") {
  const std::filesystem::path path =
      std::filesystem::path(TESSERA_SHARED_DATA) / "porous/35_1.tiff";
  if (!std::filesystem::exists(path)) {
    WARN("skipped: " << path << " is not there");
    return;
  }
  const Image image = readTiff(path);
  CHECK(image.size == Int3{980, 1008, 1});
  CHECK(fluidOf(image, 1, 1).count() == 252795);  // as Pillow counts
}
