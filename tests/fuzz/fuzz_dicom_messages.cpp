// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged messages of tessera-read-dicom: a process that GDCM has corrupted may send anything.
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/child_messages.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

// Between the streams of the processes that are started one after the other.
constexpr std::string_view mark = "\n--process\n";
constexpr int slices = 3;

std::string together(std::initializer_list<std::string> streams) {
  std::string all;
  for (const std::string& stream : streams) all += (all.empty() ? "" : std::string(mark)) + stream;
  return all;
}

std::string partOf(std::string_view input, std::size_t number) {
  for (; number > 0; --number) {
    const std::size_t at = input.find(mark);
    if (at == input.npos) return "";
    input.remove_prefix(at + mark.size());
  }
  return std::string(input.substr(0, input.find(mark)));
}

Image readMessages(std::string_view input) {
  static const TemporaryFolder folder;
  std::vector<std::filesystem::path> files;
  for (int k = 0; k < slices; ++k) {
    files.emplace_back(folder / (std::to_string(k) + ".dcm"));
    if (!std::filesystem::exists(files.back())) writeWhole(files.back(), std::string(2000, 'x'));
  }
  std::size_t processes = 0;
  return readDicomSeries(files, 1, [&](const auto&, const auto& words, const auto&) {
    return test::recorded(partOf(input, processes++), words.front());
  });
}

test::ChildStream headers(int count, std::uint32_t frames = 1) {
  test::ChildStream stream;
  for (int k = 0; k < count; ++k)
    test::addDicomHeader(stream, "1.2.3." + std::to_string(k), 2.0 * k, frames);
  return stream;
}

test::ChildStream voxels(int count) {
  test::ChildStream stream;
  for (int k = 0; k < count; ++k) test::addDicomVoxels(stream, static_cast<char>(k));
  return stream;
}

}  // namespace

// All slices; one without an image; frames; a crash at the second file.
std::vector<std::string> fuzz::seeds() {
  test::ChildStream without = headers(2), last, frames = headers(1, slices);
  without.begin(ChildMessage::NoImage).text("has no image");
  for (int k = 0; k < 2; ++k) frames.begin(ChildMessage::NoImage).text("is damaged");
  test::addDicomHeader(last, "1.2.3.9", 2.0);
  return {together({headers(slices).ended(), voxels(slices).ended()}),
          together({without.ended(), voxels(2).ended()}),
          together({frames.ended(), voxels(slices).ended()}),
          together({headers(1).cut(), last.ended(), voxels(2).ended()})};
}

// One header or one slice alone; the second process alone.
std::vector<fuzz::Inside> fuzz::insides() {
  const std::vector<std::string> files = seeds();
  return {insideOf(files[0], "MONOCHROME2", "1.2.3.1"), insideOf(files[2], "MONOCHROME2", ""),
          insideOf(files[0], std::string(mark), ""),
          insideOf(files[3], std::string(mark), std::string(mark))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, readMessages);
}
