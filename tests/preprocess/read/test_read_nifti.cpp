// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch.hpp>
#include <filesystem>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/image/image.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

Image parsed(const std::string& bytes) {
  return parseNifti(wholeFileOf(bytes), "a.nii");
}

NiftiText cubes(int nx, int ny, int nz) {
  NiftiText text;
  text.dim = {3, nx, ny, nz, 1, 1, 1, 1};
  text.sform = 1;
  text.srow = {{{2, 0, 0, 10}, {0, 2, 0, 20}, {0, 0, 2, 30}}};
  return text;
}

// Position of a voxel, mm.
Double3 placeOf(const Image& image, int i, int j, int k) {
  Double3 place = image.origin;
  const std::array<int, 3> at{i, j, k};
  for (std::size_t a = 0; a < 3; ++a) place = place + at[a] * image.voxel[a] * image.axis[a];
  return 1e3 * place;
}

void checkAt(const Double3& found, const Double3& expected) {
  for (std::size_t c = 0; c < 3; ++c) CHECK(found[c] == Approx(expected[c]).margin(1e-6));
}

template <class Stored>
void checkType(int datatype, VoxelType type, Stored low, Stored high) {
  for (const int version : {1, 2})
    for (const bool big : {false, true}) {
      NiftiText text = cubes(2, 1, 1);
      text.version = version;
      text.bigEndian = big;
      text.datatype = datatype;
      text.bits = static_cast<int>(8 * sizeof(Stored));
      std::string voxels(2 * sizeof(Stored), '\0');
      put(voxels, 0, low, big);
      put(voxels, sizeof(Stored), high, big);
      const Image image = parsed(niftiHeader(text) + voxels);
      CHECK(image.type == type);
      CHECK(image.value(0) == static_cast<double>(low));
      CHECK(image.value(1) == static_cast<double>(high));
    }
}

}  // namespace

TEST_CASE("NIfTI: every type, version and byte order gives its values", "[unit]") {
  checkType<std::uint8_t>(2, VoxelType::U8, 3, 255);
  checkType<std::int8_t>(256, VoxelType::I8, -128, 127);
  checkType<std::uint16_t>(512, VoxelType::U16, 258, 65535);
  checkType<std::int16_t>(4, VoxelType::I16, -32768, 258);
  checkType<std::uint32_t>(768, VoxelType::U32, 1, 4000000000U);
  checkType<std::int32_t>(8, VoxelType::I32, -70000, 5);
  checkType<std::uint64_t>(1280, VoxelType::U64, 7, 1ULL << 40);
  checkType<std::int64_t>(1024, VoxelType::I64, -(1LL << 40), 1);
  checkType<float>(16, VoxelType::F32, -1.5F, 3e20F);
  checkType<double>(64, VoxelType::F64, 0.1, -1e200);
}

TEST_CASE("NIfTI: the world is the RAS of an sform, in metres", "[unit]") {
  const Image image = parsed(niftiHeader(cubes(3, 4, 5)) + std::string(60, '\1'));
  CHECK(image.space == "RAS");
  CHECK(image.warnings.empty());
  CHECK_FALSE(image.planesReversed);
  checkAt(placeOf(image, 0, 0, 0), {10, 20, 30});
  checkAt(placeOf(image, 2, 3, 4), {14, 26, 38});
  CHECK(hasCubicVoxels(image));
  CHECK(frameOfVoxels(image).spacing == Approx(2e-3));
}

TEST_CASE("NIfTI: left-handed axes turn the planes around and leave every voxel in place",
          "[unit]") {
  NiftiText text = cubes(2, 2, 3);
  text.srow[0] = {-2, 0, 0, 10};
  std::string voxels;
  for (char v = 0; v < 12; ++v) voxels += v;
  const Image image = parsed(niftiHeader(text) + voxels);
  CHECK(image.planesReversed);
  CHECK(dot(image.axis[0], cross(image.axis[1], image.axis[2])) == Approx(1.0));
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) {
        const auto voxel = static_cast<std::size_t>(i + 2 * (j + 2 * k));
        CHECK(image.value(voxel) == i + 2 * (j + 2 * (2 - k)));
        checkAt(placeOf(image, i, j, k), {10.0 - 2 * i, 20.0 + 2 * j, 34.0 - 2 * k});
      }
}

TEST_CASE("NIfTI: sform takes precedence over qform, qform over pixdim", "[unit]") {
  NiftiText text = cubes(2, 2, 2);
  text.pixdim = {1, 3, 3, 3, 0, 0, 0, 0};
  text.qform = 1;
  text.quaternion = {0, 0, std::sqrt(0.5)};  // a quarter turn about z: x to y
  text.qoffset = {1, 2, 3};
  const std::string voxels(8, '\0');
  checkAt(placeOf(parsed(niftiHeader(text) + voxels), 1, 0, 0), {12, 20, 30});
  text.sform = 0;
  checkAt(placeOf(parsed(niftiHeader(text) + voxels), 1, 0, 0), {1, 5, 3});
  checkAt(placeOf(parsed(niftiHeader(text) + voxels), 0, 1, 0), {-2, 2, 3});
  text.pixdim[0] = -1;  // the third axis the other way round
  CHECK(parsed(niftiHeader(text) + voxels).planesReversed);
  text.qform = 0;
  const Image sizesOnly = parsed(niftiHeader(text) + voxels);
  CHECK(sizesOnly.space.empty());
  CHECK(sizesOnly.warnings.size() == 1);
  checkAt(placeOf(sizesOnly, 1, 1, 1), {3, 3, 3});
  text.pixdim = {};
  CHECK_FALSE(parsed(niftiHeader(text) + voxels).hasVoxelSize());
}

TEST_CASE("NIfTI: units and scaling are taken from the header", "[unit]") {
  NiftiText text = cubes(1, 1, 1);
  for (const auto& [unit, metres] : {std::pair{1, 2.0}, {2, 2e-3}, {3, 2e-6}, {0, 2e-3}}) {
    text.unit = unit;
    const Image image = parsed(niftiHeader(text) + "\5");
    CHECK(image.voxel[0] == Approx(metres));
    CHECK(image.warnings.size() == (unit == 0 ? 1 : 0));
  }
  text.slope = 0.5;
  text.intercept = 3;
  CHECK(parsed(niftiHeader(text) + "\5").value(0) == 5.5);
  text.slope = NAN;
  CHECK(parsed(niftiHeader(text) + "\5").value(0) == 5.0);
  text.slope = INFINITY;
  checkError(ExitCode::BadInput, [&] { parsed(niftiHeader(text) + "\5"); }, {"scl_slope"});
}

TEST_CASE("NIfTI: compressed or in two files it is the same image", "[unit]") {
  NiftiText text = cubes(3, 2, 2);
  std::string voxels;
  for (char v = 0; v < 12; ++v) voxels += v;
  const std::string whole = niftiHeader(text) + voxels;
  const TemporaryFolder folder;
  writeWhole(folder / "a.nii.gz", gzipOf(whole));
  writeWhole(folder / "b.nii.gz", gzipOf(whole.substr(0, 357)) + gzipOf(whole.substr(357)));
  text.pair = true;
  writeWhole(folder / "c.hdr", niftiHeader(text));
  writeWhole(folder / "c.img", voxels);
  for (const char* name : {"a.nii.gz", "b.nii.gz", "c.hdr", "c.img"}) {
    const Image image = readNifti(folder / name);
    CHECK(image.size == Int3{3, 2, 2});
    CHECK(image.value(11) == 11);
    CHECK(image.parts.size() == (name[0] == 'c' ? 1 : 0));
  }
  std::filesystem::remove(folder / "c.img");
  const std::string sentence =
      sentenceOfError(ExitCode::BadInput, [&] { readNifti(folder / "c.hdr"); });
  CHECK_THAT(sentence, Catch::Contains("c.img"));
}

TEST_CASE("NIfTI: unusable files are refused with the reason", "[unit]") {
  const auto refused = [](const NiftiText& text, const std::string& voxels, const char* words) {
    const std::string sentence =
        sentenceOfError(ExitCode::BadInput, [&] { parsed(niftiHeader(text) + voxels); });
    CHECK_THAT(sentence, Catch::Contains(words) && Catch::StartsWith("a.nii"));
  };
  const NiftiText good = cubes(2, 2, 2);
  refused(good, "1234567", "7 bytes");
  NiftiText bad = good;
  bad.datatype = 128;
  refused(bad, "", "RGB24");
  bad = good;
  bad.dim = {4, 2, 2, 2, 5, 1, 1, 1};
  refused(bad, "", "5 volumes");
  bad.dim = {3, 2, -2, 2, 1, 1, 1, 1};
  refused(bad, "", "-2");
  bad.dim = {1, 2, 2, 2, 1, 1, 1, 1};
  refused(bad, "", "1 axes");
  bad = good;
  bad.srow[0] = {2, 0.1, 0, 0};
  refused(bad, "12345678", "perpendicular");
  bad.srow[0] = {0, 0, 0, 0};
  refused(bad, "12345678", "distance");
  bad = good;
  bad.pair = true;
  refused(bad, "12345678", "pair");
  bad = cubes(30000, 30000, 30000);
  checkError(ExitCode::BadInput, [&] { parsed(gzipOf(niftiHeader(bad))); }, {"compressed"});
  std::string analyze = niftiHeader(good) + "12345678";
  analyze[344] = '\0';
  checkError(ExitCode::BadInput, [&] { parsed(analyze); }, {"ANALYZE"});
  const std::string zipped = gzipOf(niftiHeader(good) + "12345678");
  checkError(ExitCode::BadInput, [&] { parsed(zipped.substr(0, 370)); }, {"truncated"});
  std::string flipped = zipped;
  flipped[zipped.size() - 10] ^= 1;  // a voxel, so that the checksum does not hold
  checkError(ExitCode::BadInput, [&] { parsed(flipped); }, {"damaged"});
}

TEST_CASE("NIfTI: the public file has the position that nibabel gives", "[unit]") {
  const std::filesystem::path path =
      std::filesystem::path(TESSERA_SHARED_DATA) / "images/anatomical.nii";
  if (!std::filesystem::exists(path)) {
    WARN("skipped: " << path << " is not there");
    return;
  }
  const Image image = readNifti(path);
  CHECK(image.size == Int3{33, 41, 25});
  CHECK(image.space == "RAS");
}
