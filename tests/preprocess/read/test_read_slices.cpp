// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks of slices.
#include <algorithm>
#include <catch2/catch.hpp>

#include "preprocess/read/image/image_readers.hpp"
#include "preprocess/read/image/slices.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/pixel_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

using Paths = std::vector<std::filesystem::path>;

std::vector<std::string> namesOf(const Paths& paths) {
  std::vector<std::string> names;
  for (const auto& path : paths) names.push_back(path.filename().string());
  return names;
}

// 2 x 2 pixels of one value.
std::string pgm(int value) {
  return "P2 2 2 255\n" + std::to_string(value) + " 1 2 3\n";
}

std::string joinedWarnings(const Paths& slices) {
  std::string text;
  for (const std::string& warning : orderWarnings(slices)) text += warning + "\n";
  return text;
}

}  // namespace

TEST_CASE("Slices: numbers in names are compared by value", "[unit]") {
  std::vector<std::string> names{"b1.png",
                                 "a10.png",
                                 "a2.png",
                                 "a2x10.png",
                                 "a1.png",
                                 "a.png",
                                 "a02.png",
                                 "a2x9.png",
                                 "a010.png",
                                 "A3.png",
                                 "a99999999999999999999999.png"};
  std::sort(names.begin(), names.end(), isBefore);
  CHECK(names == std::vector<std::string>{"A3.png", "a.png", "a1.png", "a02.png", "a2.png",
                                          "a2x9.png", "a2x10.png", "a010.png", "a10.png",
                                          "a99999999999999999999999.png", "b1.png"});
}

TEST_CASE("Slices: planes of a stack are in the order of the slices' names", "[unit]") {
  const TemporaryFolder folder;
  for (int k = 8; k < 12; ++k) writeWhole(folder / ("s" + std::to_string(k) + ".pgm"), pgm(10 * k));
  writeWhole(folder / ".s7.pgm", "hidden");
  writeWhole(folder / "notes.txt", "of no interest");
  std::filesystem::create_directory(folder / "s12.pgm");
  const Paths slices = slicesIn(folder.path());
  CHECK(namesOf(slices) == std::vector<std::string>{"s8.pgm", "s9.pgm", "s10.pgm", "s11.pgm"});
  CHECK(inOrder({slices[2], slices[3], slices[0], slices[1]}) == slices);
  const Image stack = readStack(slices);
  CHECK(stack.dimensions == 3);
  CHECK(stack.size == Int3{2, 2, 4});
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(stack.value(4 * k) == 80.0 + 10.0 * static_cast<double>(k));
    CHECK(stack.value(4 * k + 3) == 3);
  }
  CHECK_FALSE(stack.hasVoxelSize());
  CHECK(stack.warnings.empty());
}

TEST_CASE("Slices: a stack of any byte order has its values", "[unit]") {
  std::string words(8, '\0');
  for (std::size_t i = 0; i < 4; ++i)
    put(words, 2 * i, static_cast<std::uint16_t>(300 * i + 5), true);
  const std::string big = tiff({strip(words, 16)}, true);
  std::string little(8, '\0');
  for (std::size_t i = 0; i < 4; ++i) put(little, 2 * i, static_cast<std::uint16_t>(300 * i + 5));
  const std::vector<std::string> names{"a", "b", "c"};
  const Image stack = stackOf(names, [&](std::size_t k) {
    if (k == 0) return parseTiff(wholeFileOf(big), names[k]);
    if (k == 1) return parseTiff(wholeFileOf(tiff({strip(little, 16)})), names[k]);
    return parsePng(
        wholeFileOf(
            png(2, 2, 16, 0, std::string(1, '\0') + words.substr(0, 4) + '\0' + words.substr(4))),
        names[k]);
  });
  CHECK(stack.type == VoxelType::U16);
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(stack.value(i) == 300.0 * static_cast<double>(i % 4) + 5.0);
}

TEST_CASE("Slices: a slice that is not like the others is named", "[unit]") {
  const TemporaryFolder folder;
  for (int k = 0; k < 5; ++k)
    writeWhole(folder / ("s" + std::to_string(k) + ".pgm"),
               k == 3 ? "P2 2 3 255\n1 2 3 4 5 6\n" : pgm(k));
  checkError(ExitCode::BadInput, [&] { readStack(slicesIn(folder.path())); },
             {"s3.pgm", "2 x 3", "2 x 2"});
  writeWhole(folder / "s3.pgm", "P5 2 2 255\n\1\2\3\4");
  checkError(ExitCode::BadInput, [&] { readStack(slicesIn(folder.path())); },
             {"s3.pgm", "u8", "u16"});
  writeWhole(folder / "s3.pgm", "P2 2 2 255\n1 2 3\n");
  checkError(ExitCode::BadInput, [&] { readStack(slicesIn(folder.path())); }, {"s3.pgm"});
  const std::string deep = tiff({strip("\1\2\3\4"), strip("\1\2\3\4")});
  const std::vector<std::string> names{"a.tif", "b.tif"};
  for (const std::size_t odd : {0, 1})
    checkError(ExitCode::BadInput,
               [&] {
                 stackOf(names, [&](std::size_t k) {
                   return parseTiff(wholeFileOf(k == odd ? deep : tiff({strip("\1\2\3\4")})),
                                    names[k]);
                 });
               },
               {names[odd], "2 planes"});
}

TEST_CASE("Slices: missing and repeated numbers are a warning", "[unit]") {
  CHECK(joinedWarnings({"s1.png", "s2.png", "s3.png"}).empty());
  CHECK(joinedWarnings({"s010.png", "s020.png", "s030.png"}).empty());  // every tenth
  CHECK(joinedWarnings({"a.png"}).empty());
  CHECK_THAT(joinedWarnings({"s1.png", "s2.png", "s4.png", "s9.png"}),
             Catch::Contains("5 slices") && Catch::Contains("3, 5 to 8"));
  CHECK_THAT(joinedWarnings({"s0.png", "s2.png", "s6.png"}),
             Catch::Contains("1 slice ") && Catch::Contains(" 4)"));
  CHECK_THAT(joinedWarnings({"s1.png", "s2.png", "s02.png", "s3.png"}),
             Catch::Contains("same number") && Catch::Contains(" 2)"));
  CHECK_THAT(joinedWarnings({"t1s1.png", "t1s2.png", "t2s1.png"}),
             Catch::Contains("several numbers") && Catch::Contains("t1s1.png to t2s1.png"));
  CHECK_THAT(joinedWarnings({"a1.png", "b2.png"}), Catch::Contains("a*.png and b*.png"));
  // Numbers that no integer holds are compared, but not counted.
  CHECK(joinedWarnings({"s11111111111111111111.png", "s33333333333333333333.png"}).empty());
}

TEST_CASE("Slices: folders and files that are no stack are refused with the reason", "[unit]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& facts) {
    checkError(
        ExitCode::BadInput, [&] { slicesIn(folder.path()); }, facts);
  };
  refused({"without slices", folder.path().string()});
  writeWhole(folder / "volume.nii", "");
  refused({"without slices"});
  writeWhole(folder / "a1.png", "");
  refused({"NIfTI and PNG"});
  std::filesystem::remove(folder / "volume.nii");
  writeWhole(folder / "b1.png", "");
  refused({"a*.png", "b*.png"});
  writeWhole(folder / "c1.tif", "");
  refused({"PNG and TIFF"});
  checkError(ExitCode::BadInput, [&] { slicesIn(folder / "nothing"); }, {"nothing"});
  checkError(ExitCode::Usage,
             [&] {
               inOrder({folder / "a1.png", folder / "c1.tif"});
             },
             {"a1.png", "c1.tif"});
  checkError(ExitCode::Usage, [&] { inOrder({"one.nii", "two.nii"}); }, {"one.nii", "two.nii"});
  checkError(ExitCode::Usage,
             [] {
               inOrder({"a.png", "b.png", "a.png"});
             },
             {"a.png is given twice"});
  CHECK(namesOf(inOrder({"b2.tiff", "b1.TIF"})) == std::vector<std::string>{"b1.TIF", "b2.tiff"});
}
