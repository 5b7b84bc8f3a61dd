// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of tessera-read-dicom that end early: a file that crashes GDCM is left out.
#include <catch2/catch.hpp>

#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/child_messages.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;
using namespace tessera::test;

namespace {

// Reads that many files by processes that send these streams, one after the other.
struct Recording {
  TemporaryFolder folder;
  std::vector<std::string> streams;
  std::vector<std::vector<std::string>> words;  // of the processes that were started

  Image read(int files) {
    std::vector<std::filesystem::path> paths;
    for (int k = 0; k < files; ++k) {
      paths.emplace_back(folder / (std::to_string(k) + ".dcm"));
      writeWhole(paths.back(), std::string(2000, 'x'));
    }
    return readDicomSeries(paths, std::nullopt, [&](const auto&, const auto& task, const auto&) {
      words.push_back(task);
      return recorded(streams.at(words.size() - 1), task.front());
    });
  }
};

ChildStream headers(const std::vector<double>& places) {
  ChildStream stream;
  for (const double z : places) addDicomHeader(stream, "1.2.3." + std::to_string(z), z);
  return stream;
}

ChildStream voxels(int slices) {
  ChildStream stream;
  for (int k = 0; k < slices; ++k) addDicomVoxels(stream, static_cast<char>(k));
  return stream;
}

}  // namespace

TEST_CASE("DICOM messages: a file that crashes the reader is left out, those behind it are read",
          "[unit]") {
  Recording recording;
  ChildStream amidst = headers({0.0, 2.0});
  amidst.begin(ChildMessage::DicomImage).text("1.2.3.9");  // the crash comes now
  recording.streams = {amidst.cut(), headers({4.0}).ended(), voxels(3).ended()};
  const Image image = recording.read(4);
  CHECK(image.size == Int3{3, 2, 3});
  CHECK(image.value(12) == 2.0 * 0x0202 - 1000.0);
  REQUIRE(recording.words.size() == 3);
  CHECK(recording.words[0].size() == 4);
  CHECK(recording.words[1].size() == 1);
  REQUIRE(image.warnings.size() == 1);
  CHECK_THAT(image.warnings.front(), Catch::Contains("1 file was left out") &&
                                         Catch::Contains("2.dcm") && Catch::Contains("too early"));
}

TEST_CASE("DICOM messages: frames of a file that crashes the reader amidst them do not count",
          "[unit]") {
  Recording recording;
  ChildStream frames = headers({0.0});
  ChildStream other;
  addDicomHeader(other, "1.2.3.9", 50.0, 5);
  const std::string cut = other.cut().substr(sizeof childMagic, 400);  // two of the five
  frames.add(cut.data(), cut.size());
  recording.streams = {frames.cut(), headers({2.0}).ended(), voxels(2).ended()};
  const Image image = recording.read(3);
  CHECK(image.size == Int3{3, 2, 2});
  CHECK(image.warnings.size() == 1);
}

TEST_CASE("DICOM messages: too many files that crash the reader, or only one file, are refused",
          "[unit]") {
  Recording recording;
  recording.streams.assign(20, ChildStream().cut());
  checkError(ExitCode::BadInput, [&] { recording.read(20); }, {"more than 10 files", "10.dcm"});
  CHECK(recording.words.size() == 11);
  recording.words.clear();
  checkError(ExitCode::BadInput, [&] { recording.read(1); }, {"0.dcm", "too early"});
  CHECK(recording.words.size() == 1);
}

TEST_CASE("DICOM messages: voxels that a crash ends are a refusal that names the slice", "[unit]") {
  Recording recording;
  recording.streams = {headers({0.0, 2.0}).ended(), voxels(1).cut()};
  checkError(ExitCode::BadInput, [&] { recording.read(2); }, {"1.dcm", "too early"});
}
