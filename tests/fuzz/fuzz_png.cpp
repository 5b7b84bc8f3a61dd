// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/read_png.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/preprocess/pixel_files.hpp"

using namespace tessera;

std::vector<std::string> fuzz::seeds() {
  using namespace test;
  return {png(3, 2, 8, 0, std::string("\0\1\2\3\0\4\5\6", 8)),
          png(1, 2, 16, 0, std::string("\0\1\2\0\3\4", 6)),
          png(9, 1, 1, 0, std::string("\0\x40\x80", 3)),
          png(4, 1, 2, 3, std::string("\0\x1b", 2)),
          png(2, 1, 8, 2, std::string("\0\5\5\5\6\6\6", 7)),
          png(2, 1, 8, 4, std::string("\0\5\1\6\2", 5))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parsePng(test::wholeFileOf(std::string(bytes)), "input.png");
  });
}
