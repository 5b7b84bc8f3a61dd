// SPDX-License-Identifier: GPL-3.0-or-later
// Series of DICOM slices from their headers alone.
#include <algorithm>
#include <catch2/catch.hpp>

#include "preprocess/read/image/dicom_series.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

DicomSlice sliceAt(const Double3& position, std::size_t file) {
  DicomSlice slice;
  slice.file = file;
  slice.text = std::make_shared<const DicomTexts>(
      DicomTexts{"1.2." + std::to_string(file), "1.2", "Thorax", "CT", "MONOCHROME2"});
  slice.columns = 4;
  slice.rows = 3;
  slice.bits = slice.stored = 16;
  slice.highBit = 15;
  slice.position = position;
  slice.direction = {Double3{1, 0, 0}, Double3{0, 1, 0}};
  slice.spacing = {0.5, 0.75};
  return slice;
}

std::vector<DicomSlice> slicesAt(const std::vector<Double3>& positions) {
  std::vector<DicomSlice> slices;
  for (const Double3& position : positions) slices.push_back(sliceAt(position, slices.size()));
  return slices;
}

std::vector<DicomSeries> divided(const std::vector<DicomSlice>& slices) {
  std::size_t copies = 0;
  return seriesOf(slices, copies, "scan");
}

struct Placed {
  std::optional<SlicePlacement> placement;
  std::vector<std::string> warnings;
};

Placed placed(const std::vector<DicomSlice>& slices) {
  std::vector<std::string> files(slices.size());
  for (std::size_t k = 0; k < files.size(); ++k) files[k] = "file" + std::to_string(k);
  const std::vector<DicomSeries> series = divided(slices);
  REQUIRE(series.size() == 1);
  Placed result;
  result.placement = placeSlices(series.front(), files, result.warnings);
  return result;
}

void refuses(const std::vector<DicomSlice>& slices, const std::vector<std::string>& facts) {
  checkError(
      ExitCode::BadInput, [&] { placed(slices); }, facts);
}

}  // namespace

TEST_CASE("DICOM series: slices are ordered along the normal, and steps are those of positions",
          "[unit]") {
  const Placed result = placed(slicesAt({{-7, 8, 4}, {-7, 8, -2}, {-7, 8, 1}}));
  REQUIRE(result.placement);
  CHECK(result.warnings.empty());
  CHECK(length(result.placement->origin - Double3{-7e-3, 8e-3, -2e-3}) < 1e-15);
  CHECK(length(result.placement->step[0] - Double3{0.5e-3, 0, 0}) < 1e-15);
  CHECK(length(result.placement->step[1] - Double3{0, 0.75e-3, 0}) < 1e-15);
  CHECK(length(result.placement->step[2] - Double3{0, 0, 3e-3}) < 1e-15);
}

TEST_CASE("DICOM series: missing, uneven, tilted and displaced slices are refused with their files",
          "[unit]") {
  refuses(slicesAt({{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, 5}, {0, 0, 6}}),
          {"2 slices", "missing", "file2", "file3"});
  refuses(slicesAt({{0, 0, 0}, {0, 0, 1}, {0, 0, 2.2}, {0, 0, 3.2}}), {"uneven", "file1", "file2"});
  refuses(slicesAt({{0, 0, 0}, {0, 0.2, 1}, {0, 0.4, 2}}), {"tilt", "11.3"});
  refuses(slicesAt({{0, 0, 0}, {0.3, 0, 1}, {0, 0, 2}}), {"file1", "0.3 mm"});
  const Placed slightly = placed(slicesAt({{0, 0, 0}, {0, 0, 1}, {0, 0, 2.03}, {0, 0, 3.03}}));
  REQUIRE(slightly.placement);
  REQUIRE(slightly.warnings.size() == 1);
  CHECK_THAT(slightly.warnings.front(), Catch::Contains("1.03 mm"));
}

TEST_CASE("DICOM series: colours, odd bits and slices without position are refused", "[unit]") {
  std::vector<DicomSlice> slices = slicesAt({{0, 0, 0}, {0, 0, 1}});
  for (DicomSlice& slice : slices) slice.samples = 3;
  refuses(slices, {"file0", "colours"});
  slices = slicesAt({{0, 0, 0}, {0, 0, 1}});
  slices[1].highBit = 14;
  refuses(slices, {"file1", "bit 14"});
  slices = slicesAt({{0, 0, 0}, {0, 0, 1}});
  for (DicomSlice& slice : slices) slice.position.reset();
  refuses(slices, {"position", "2 slices"});
  slices = slicesAt({{0, 0, 0}, {0, 0, 1}});
  for (DicomSlice& slice : slices) (*slice.direction)[1] = {0, 0.9, 0};
  refuses(slices, {"file0", "direction"});
  slices = slicesAt({{0, 0, 0}});
  slices[0].position.reset();
  CHECK_FALSE(placed(slices).placement);
}

TEST_CASE("DICOM series: phases become series of their own, copies are dropped", "[unit]") {
  std::vector<DicomSlice> slices;
  for (int k = 0; k < 6; ++k) {
    slices.push_back(sliceAt({0, 0, k / 2 * 1.0}, slices.size()));
    slices.back().phase[3] = k % 2 == 0 ? 0.0 : 350.5;
  }
  slices.push_back(slices[2]);
  std::size_t copies = 0;
  const std::vector<DicomSeries> series = seriesOf(slices, copies, "scan");
  CHECK(copies == 1);
  REQUIRE(series.size() == 2);
  CHECK(series[1].slice.size() == 3);
  CHECK(series[1].description == "Thorax, trigger time 350.5");
  for (const DicomSlice& slice : series[1].slice) CHECK(slice.file % 2 == 1);
  for (DicomSlice& slice : slices) slice.phase = {};
  refuses(slices, {"one position", "file0", "file1"});
}

TEST_CASE("DICOM series: orientations and sizes divide a series, in an order of their own",
          "[unit]") {
  std::vector<DicomSlice> slices =
      slicesAt({{0, 0, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0}, {0, 0, 9}});
  for (const std::size_t k : {2, 3}) slices[k].direction = {Double3{0, 1, 0}, Double3{0, 0, 1}};
  slices[4].columns = 5;
  const std::vector<DicomSeries> series = divided(slices);
  REQUIRE(series.size() == 3);
  std::reverse(slices.begin(), slices.end());
  const std::vector<DicomSeries> other = divided(slices);
  REQUIRE(other.size() == 3);
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(series[k].slice.front().text->object == other[k].slice.front().text->object);
  checkError(
      ExitCode::Usage, [&] { chooseSeries(series, std::nullopt, "scan"); },
      {"scan has 3 series", "1 \"Thorax\" CT, 2 slices of 4 x 3", "3 \"Thorax\"", "--series"});
  checkError(ExitCode::Usage, [&] { chooseSeries(series, 4, "scan"); }, {"--series 4", "Thorax"});
  CHECK(&chooseSeries(series, 2, "scan") == &series[1]);
}
