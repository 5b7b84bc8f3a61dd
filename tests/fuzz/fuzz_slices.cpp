// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks of slices: a file of this target is slices, each behind a line "--slice NAME".
#include "preprocess/read/image/image_readers.hpp"
#include "preprocess/read/image/slices.hpp"
#include "tests/fixtures/files/pixel_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

constexpr std::string_view mark = "\n--slice ";

std::string sliceOf(const std::string& name, const std::string& bytes) {
  return std::string(mark) + name + "\n" + bytes;
}

Image readSlices(std::string_view input) {
  std::vector<std::filesystem::path> paths;
  std::vector<std::string> names, files;
  for (std::size_t at = input.find(mark); at != input.npos;) {
    at += mark.size();
    const std::size_t line = std::min(input.find('\n', at), input.size());
    const std::size_t end = std::min(input.find(mark, line), input.size());
    names.emplace_back(input.substr(at, std::min<std::size_t>(line - at, 40)));
    paths.emplace_back(names.back());
    files.emplace_back(input.substr(line, end - line).substr(line < end ? 1 : 0));
    at = end == input.size() ? input.npos : end;
  }
  if (names.empty()) stage::fail(stage::ExitCode::BadInput, "no slices");
  Image stack = stackOf(names, [&](std::size_t k) {
    if (files[k].starts_with("\x89PNG")) return parsePng(test::wholeFileOf(files[k]), names[k]);
    if (files[k].starts_with("P")) return parsePgm(test::wholeFileOf(files[k]), names[k]);
    return parseTiff(test::wholeFileOf(files[k]), names[k]);
  });
  if (orderWarnings(paths).size() > 2) fuzz::promiseBroken("warnings without end");
  return stack;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  using namespace test;
  const std::string grey = png(3, 2, 8, 0, std::string("\0\1\2\3\0\4\5\377", 8));
  return {sliceOf("a1.pgm", "P2 2 2 9\n1 2 3 4\n") + sliceOf("a2.pgm", "P2 2 2 9\n1 2 3 4\n"),
          sliceOf("s001.pgm", "P5 2 2 255\n1234") + sliceOf("s003.pgm", "P5 2 2 255\n5678"),
          sliceOf("b9.png", grey) + sliceOf("b10.png", grey) + sliceOf("b12.png", grey),
          sliceOf("t1_1.tif", tiff({strip("\1\2\3\4")})) +
              sliceOf("t1_2.tif", tiff({strip("\1\2\3\4")}, true))};
}

// Names alone; the second slice alone.
std::vector<fuzz::Inside> fuzz::insides() {
  const std::vector<std::string> files = seeds();
  return {insideOf(files[0], "--slice ", "\n"), insideOf(files[2], "--slice ", "\n"),
          insideOf(files[1], "s003.pgm\n", ""), insideOf(files[3], "t1_2.tif\n", "")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, readSlices);
}
