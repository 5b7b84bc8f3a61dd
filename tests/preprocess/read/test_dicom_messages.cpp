// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of tessera-read-dicom that end early or describe useless files: a file that crashes
// GDCM, takes too long or has no use is left out.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/child_messages.hpp"
#include "tests/fixtures/sanitized.hpp"
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

  Image read(int files, const std::function<void(const ChildLimits&)>& started = {}) {
    std::vector<std::filesystem::path> paths;
    for (int k = 0; k < files; ++k) {
      paths.emplace_back(folder / (std::to_string(k) + ".dcm"));
      writeWhole(paths.back(), std::string(2000, 'x'));
    }
    return readDicomSeries(paths, std::nullopt,
                           [&](const auto&, const auto& task, const auto& limits) {
                             words.push_back(task);
                             if (started) started(limits);
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
  checkError(ExitCode::BadInput, [&] { recording.read(20); }, {"more than 10 files", "0.dcm"});
  CHECK(recording.words.size() == 11);
  recording.words.clear();
  checkError(ExitCode::BadInput, [&] { recording.read(1); }, {"0.dcm", "too early"});
  CHECK(recording.words.size() == 1);
}

TEST_CASE("DICOM messages: too many files that crash the reader are named", "[unit]") {
  Recording recording;
  recording.streams.assign(20, ChildStream().cut());
  checkError(ExitCode::BadInput, [&] { recording.read(20); }, {"0.dcm", "1.dcm", "2.dcm"});
}

TEST_CASE("DICOM messages: any number of files with useless content is left out by one process",
          "[unit]") {
  Recording recording;
  ChildStream stream = headers({0.0, 2.0});
  for (int k = 0; k < 12; ++k) addDicomHeader(stream, "1.2.4." + std::to_string(k), 0.0, 3, 0.0);
  addDicomHeader(stream, "1.2.5", 0.0, 0);
  addDicomHeader(stream, "1.2.3.4", 4.0);
  recording.streams = {stream.ended(), voxels(3).ended()};
  const Image image = recording.read(16);
  CHECK(image.size == Int3{3, 2, 3});
  CHECK(image.value(12) == 2.0 * 0x0202 - 1000.0);
  CHECK(recording.words.size() == 2);
  REQUIRE(image.warnings.size() == 1);
  CHECK_THAT(image.warnings.front(), Catch::Contains("13 files were left out") &&
                                         Catch::Contains("2.dcm") && Catch::Contains("3.dcm") &&
                                         Catch::Contains("4.dcm") && Catch::Contains("10 more") &&
                                         Catch::Contains("slope 0"));
}

TEST_CASE("DICOM messages: the faults of an only file are refusals of their own", "[unit]") {
  const auto refused = [](std::uint32_t frames, double slope, const std::string& fact) {
    Recording recording;
    ChildStream stream;
    addDicomHeader(stream, "1.2", 0.0, frames, slope);
    recording.streams = {stream.ended()};
    checkError(ExitCode::BadInput, [&] { recording.read(1); }, {"0.dcm", fact});
  };
  refused(0, 2.0, "0 frames, where 1");
  refused(21, 2.0, "21 frames, more than its 2000 bytes");
  refused(1, 0.0, "slope 0");
}

TEST_CASE("DICOM messages: a refusal for missing slices names the files left out and one remedy",
          "[unit]") {
  Recording recording;
  ChildStream stream = headers({0.0, 2.0});
  addDicomHeader(stream, "1.2.3.9", 4.0, 1, 0.0);
  addDicomHeader(stream, "1.2.3.6", 6.0);
  addDicomHeader(stream, "1.2.3.8", 8.0);
  recording.streams = {stream.ended()};
  const std::string sentence = sentenceOfError(ExitCode::BadInput, [&] { recording.read(5); });
  CHECK_THAT(sentence, Catch::Contains("missing") && Catch::Contains("2.dcm cannot be read"));
  const std::size_t first = sentence.find("copy");
  CHECK(first != std::string::npos);
  CHECK(sentence.find("copy", first + 1) == std::string::npos);
}

TEST_CASE("DICOM messages: a file that takes too long is left out, one that comes late is not",
          "[unit]") {
  const TemporaryFolder folder;
  std::vector<std::filesystem::path> paths;
  for (const std::string name : {"0slow", "1slow", "2spin"}) {
    paths.emplace_back(folder / (name + ".dcm"));
    writeWhole(paths.back(), std::string(2000, 'x'));
  }
  std::vector<std::size_t> words;  // of each process
  const Image image =
      readDicomSeries(paths, std::nullopt, [&](const auto& mode, const auto& task, const auto&) {
        words.push_back(task.size());
        const ChildLimits oneSecond{std::uint64_t{512} << 20U, 1, 300};
        return std::make_unique<ChildReader>(
            ChildProgram{"tessera-read-misbehaving", "a library", "its-package"}, mode, task,
            oneSecond, task.front());
      });
  CHECK(image.size == Int3{3, 2, 2});
  CHECK(words == std::vector<std::size_t>{3, 2, 1, 4});
  REQUIRE(image.warnings.size() == 1);
  CHECK_THAT(image.warnings.front(), Catch::Contains("2spin.dcm cannot be read") &&
                                         Catch::Contains("1 s of processor time") &&
                                         !Catch::Contains("1slow"));
}

TEST_CASE("DICOM messages: processes for the headers share one limit of wall time", "[unit]") {
  Recording recording;
  ChildStream amidst = headers({0.0});
  amidst.begin(ChildMessage::DicomImage).text("1.2.3.9");  // the crash comes now
  recording.streams = {amidst.cut(), headers({2.0}).ended(), voxels(2).ended()};
  std::vector<std::uint64_t> patience;
  const auto passed = std::chrono::seconds(2);  // and more
  const Image image = recording.read(3, [&](const ChildLimits& limits) {
    patience.push_back(limits.patience);
    if (patience.size() == 1) std::this_thread::sleep_for(passed);
  });
  CHECK(image.size == Int3{3, 2, 2});
  REQUIRE(patience.size() == 3);
  CHECK(patience[1] + static_cast<std::uint64_t>(passed.count()) <= patience[0]);
}

TEST_CASE("DICOM messages: memory for the frames of a file is limited", "[unit]") {
  if (isSanitized) return;
  constexpr std::uint32_t frames = 199'999;
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.dcm";
  writeWhole(path, "x");
  std::filesystem::resize_file(path, 100 * std::uintmax_t{frames});
  ChildStream stream;
  addDicomHeader(stream, std::string(64, '1'), 0.0, frames);
  const std::string all = stream.ended();
  const pid_t child = ::fork();
  if (child == 0) {
    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    int slices = 0;
    try {
      readDicomSeries({path}, std::nullopt, [&](const auto& mode, const auto& words, const auto&) {
        slices = mode == "voxels" ? static_cast<int>(words.size() / 2) : 0;
        return recorded(all, "a.dcm");
      });
    } catch (const StageError&) {  // where its voxels begin
    }
    ::getrusage(RUSAGE_SELF, &after);
    const std::int64_t megabytes = (after.ru_maxrss - before.ru_maxrss) / 1024;
    std::_Exit(slices == frames && megabytes < 250 ? static_cast<int>(megabytes) : 255);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) < 200);  // and the file 20
}

TEST_CASE("DICOM messages: voxels that a crash ends are a refusal that names the slice", "[unit]") {
  Recording recording;
  recording.streams = {headers({0.0, 2.0}).ended(), voxels(1).cut()};
  checkError(ExitCode::BadInput, [&] { recording.read(2); }, {"1.dcm", "too early"});
}
