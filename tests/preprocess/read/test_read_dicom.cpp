// SPDX-License-Identifier: GPL-3.0-or-later
// DICOM files through GDCM in its process.
#include <catch2/catch.hpp>

#include "preprocess/file/lattice_file.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/image/dicom_files.hpp"
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/dicom_files.hpp"
#include "tests/fixtures/files/image_files.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::test;
using tessera::chain::checkRefused;
using tessera::chain::WorkFolder;

namespace {

Double3 worldOf(const Image& image, const Int3& voxel) {
  Double3 point = image.origin;
  for (std::size_t a = 0; a < 3; ++a) point = point + (voxel[a] * image.voxel[a]) * image.axis[a];
  return point;
}

void refused(const DicomFile& file, const std::vector<std::string>& facts) {
  const TemporaryFolder folder;
  writeWhole(folder / "a.dcm", file.bytes());
  checkError(
      ExitCode::BadInput, [&] { readDicom(folder / "a.dcm"); }, facts);
}

}  // namespace

TEST_CASE("DICOM: a folder of slices is an image in the frame of the patient", "[unit]") {
  const TemporaryFolder folder;
  DicomFile ct;
  ct.slope = "2";
  ct.intercept = "-1000";
  ct.spacing = "0.5\\0.25";  // between rows, between columns
  putSeries(folder / "scan", 5, ct);
  writeWhole(folder / "scan/README", "not DICOM");
  const Image image = readDicomSeries({folder / "scan"}, std::nullopt);
  CHECK(image.size == Int3{3, 2, 5});
  CHECK(image.type == VoxelType::I16);
  CHECK(image.space == "LPS");
  CHECK_FALSE(image.planesReversed);
  CHECK(length(image.voxel - Double3{0.25e-3, 0.5e-3, 2e-3}) < 1e-15);
  CHECK(length(worldOf(image, {2, 1, 4}) - Double3{-0.5e-3, 4.5e-3, 8e-3}) < 1e-15);
  for (std::size_t i = 0; i < 30; ++i)
    CHECK(image.value(i) == 2.0 * static_cast<double>(100 * (i / 6) + i % 6) - 1000.0);
  REQUIRE(image.slices.size() == 5);
  CHECK(image.slices[1].filename() == "IM007");
  CHECK(image.warnings.empty());
}

TEST_CASE("DICOM: sagittal slices keep their direction", "[unit]") {
  const TemporaryFolder folder;
  DicomFile mr;
  mr.direction = "0\\1\\0\\0\\0\\-1";
  putSeries(folder / "scan", 3, mr, [](int k, DicomFile& slice) {
    slice.position = fmt::format("{}\\-20\\30", 10 - 3 * k);  // the normal is -x
  });
  const Image image = readDicomSeries({folder / "scan"}, std::nullopt);
  CHECK(length(worldOf(image, {0, 0, 0}) - Double3{10e-3, -20e-3, 30e-3}) < 1e-15);
  CHECK(length(worldOf(image, {1, 1, 1}) - Double3{7e-3, -19.5e-3, 29.5e-3}) < 1e-15);
  CHECK(image.value(6) == 100.0);
}

TEST_CASE("DICOM: slices with slopes of their own are rescaled one by one", "[unit]") {
  const TemporaryFolder folder;
  putSeries(folder / "pet", 3, {}, [](int k, DicomFile& slice) {
    slice.slope = std::to_string(k + 1);
    slice.intercept = "0.5";
  });
  const Image image = readDicomSeries({folder / "pet"}, std::nullopt);
  CHECK(image.type == VoxelType::F32);
  CHECK(image.value(1) == 1.5);
  CHECK(image.value(6 + 1) == 2.0 * 101.0 + 0.5);
  CHECK(image.value(12 + 1) == 3.0 * 201.0 + 0.5);
}

TEST_CASE("DICOM: stored bits are values with their sign, whatever lies above them", "[unit]") {
  const TemporaryFolder folder;
  DicomFile slice;
  slice.stored = 12;
  slice.voxels = words16({0x0001, 0x07ff, 0x0800, 0x0fff, 0xf001, 0x1fff});
  writeWhole(folder / "a.dcm", slice.bytes());
  const Image image = readDicom(folder / "a.dcm");
  CHECK(image.dimensions == 2);
  const std::vector<double> expected{1, 2047, -2048, -1, 1, -1};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(image.value(i) == expected[i]);
  slice.isSigned = false;
  writeWhole(folder / "b.dcm.gz", gzipOf(slice.bytes()));
  const Image compressed = readDicom(folder / "b.dcm.gz");
  CHECK(compressed.value(2) == 2048.0);
  CHECK(compressed.value(5) == 4095.0);
}

TEST_CASE("DICOM: the frames of an enhanced file are slices", "[unit]") {
  const TemporaryFolder folder;
  DicomFile enhanced;
  enhanced.framePositions = {"1\\2\\7", "1\\2\\3", "1\\2\\5"};
  enhanced.slope = "1";
  enhanced.intercept = "-5";
  std::vector<int> values(18);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  enhanced.voxels = words16(values);
  writeWhole(folder / "a.dcm", enhanced.bytes());
  const Image image = readDicom(folder / "a.dcm");
  CHECK(image.size == Int3{3, 2, 3});
  CHECK(length(worldOf(image, {0, 0, 2}) - Double3{1e-3, 2e-3, 7e-3}) < 1e-15);
  CHECK(image.value(0) == 6.0 - 5.0);
  CHECK(image.value(6) == 12.0 - 5.0);
  CHECK(image.value(12) == 0.0 - 5.0);
}

TEST_CASE("DICOM: files that cannot be used are refused with their reason", "[unit]") {
  DicomFile file;
  file.samples = 3;
  file.photometric = "RGB";
  refused(file, {"a.dcm", "colours"});
  file = {};
  file.slope = "0";
  file.intercept = "1";
  refused(file, {"a.dcm", "slope"});
  file = {};
  file.columns = 60000;
  file.rows = 60000;
  refused(file, {"a.dcm", "7200000000 bytes"});
  file = {};
  file.framePositions = {"0\\0\\0"};
  file.declaredFrames = 199'999;
  refused(file, {"a.dcm", "199999 frames"});
  file = {};
  file.voxels.resize(8);
  refused(file, {"a.dcm", "GDCM"});
  const TemporaryFolder folder;
  writeWhole(folder / "a.dcm", "GIF89a");
  checkError(ExitCode::BadInput, [&] { readDicom(folder / "a.dcm"); }, {"a.dcm", "not DICOM"});
}

TEST_CASE("DICOM: a file cut short is refused at any length", "[unit]") {
  const TemporaryFolder folder;
  const std::string whole = DicomFile{}.bytes();
  for (std::size_t length = 1; length < whole.size(); length += 37) {
    writeWhole(folder / "a.dcm", whole.substr(0, length));
    checkError(ExitCode::BadInput, [&] { readDicom(folder / "a.dcm"); }, {"a.dcm"});
  }
}

TEST_CASE("DICOM: a file without an image in a series is named", "[unit]") {
  const TemporaryFolder folder;
  putSeries(folder / "cut", 4);
  writeWhole(folder / "cut/last.dcm", "");
  const Image image = readDicomSeries({folder / "cut"}, std::nullopt);
  CHECK(image.size[2] == 4);
  REQUIRE_FALSE(image.warnings.empty());
  CHECK_THAT(image.warnings.front(), Catch::Contains("last.dcm") && Catch::Contains("left out"));
}

TEST_CASE("DICOM: a file that no one can use in a folder is left out of it", "[unit]") {
  const TemporaryFolder folder;
  putSeries(folder / "scan", 5);
  DicomFile other;
  other.series = "1.9";
  other.slope = "0";
  other.intercept = "1";
  writeWhole(folder / "scan/IM000a", other.bytes());
  other = {};
  other.framePositions = {"0\\0\\0"};
  other.declaredFrames = 199'999;
  writeWhole(folder / "scan/IM009", other.bytes());
  const Image image = readDicomSeries({folder / "scan"}, std::nullopt);
  CHECK(image.size[2] == 5);
  REQUIRE(image.warnings.size() == 1);
  CHECK_THAT(image.warnings.front(), Catch::Contains("2 files were left out") &&
                                         Catch::Contains("IM000a") && Catch::Contains("slope"));
  // A slice that is missing may be the one that was left out.
  writeWhole(folder / "scan/IM014", other.bytes());
  checkError(ExitCode::BadInput, [&] { readDicomSeries({folder / "scan"}, std::nullopt); },
             {"1 slice of the series", "3 files were left out", "IM000a"});
}

TEST_CASE("DICOM: a folder of slices of another format is theirs, whatever lies below it",
          "[unit]") {
  const TemporaryFolder folder;
  putSeries(folder / "orig", 2);
  CHECK(isDicom(folder.path()));
  writeWhole(folder / "s0.png", "slice");
  CHECK_FALSE(isDicom(folder.path()));
  CHECK(isDicom(folder / "orig"));
}

TEST_CASE("DICOM: files are known by their first bytes, in folders below too", "[unit]") {
  const TemporaryFolder folder;
  CHECK_FALSE(isDicom(folder.path()));
  putSeries(folder / "DICOM/ST0/SE1", 2);
  CHECK(isDicom(folder.path()));
  CHECK(kindOfFile(folder.path()) == InputKind::Image);
  CHECK(kindOfFile(folder / "DICOM/ST0/SE1/IM000") == InputKind::Image);
  CHECK(dicomFilesOf({folder.path()}).size() == 2);
}

TEST_CASE("tessera-preprocess: one of several DICOM series is chosen by its number", "[pipeline]") {
  const WorkFolder work;
  DicomFile other;
  other.series = "1.9";
  other.seriesNumber = 7;
  other.description = "Lung\x1b[2J";
  putSeries(work.path("scan/a"), 4);
  putSeries(work.path("scan/b"), 6, other);
  const std::string options = "tessera-preprocess --quiet --threshold 101,1000 --spacing 0.5mm ";
  checkRefused(work, options + "scan -o a.vdb", 2,
               "1 \"CT\" CT, 4 slices of 3 x 2; 2 \"Lung?[2J\" CT, 6 slices of 3 x 2");
  checkRefused(work, options + "--series 3 scan -o a.vdb", 2, "--series 3");
  work.mustRun(options + "--series 2 scan -o a.vdb --report a.json");
  CHECK(work.json("a.json").at("nodes")[2] == 24);
  const auto provenance = preprocess::file::readLatticeFile(work.path("a.vdb")).provenance;
  REQUIRE(provenance.inputs.size() == 1);
  CHECK(provenance.inputs[0].name == "IM000 to IM035 (6 slices)");
  work.write("case.toml", "[preprocess]\nseries = 1\nthreshold = \"101,1000\"\nspacing = 5e-4\n");
  work.mustRun("tessera-preprocess --quiet --case case.toml scan/*/* -o b.vdb --report b.json");
  CHECK(work.json("b.json").at("nodes")[2] == 16);
  work.write("a.pgm", "P2 1 1 1 1");
  checkRefused(work, "tessera-preprocess --series 1 --pore 1 a.pgm -o c.vdb", 2, "--series");
}
