// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/pixel_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  using namespace test;
  return {png(3, 2, 8, 0, std::string("\0\1\2\3\0\4\5\6", 8)),
          png(1, 2, 16, 0, std::string("\0\1\2\0\3\4", 6)),
          png(9, 1, 1, 0, std::string("\0\x40\x80", 3)),
          png(4, 1, 2, 3, std::string("\0\x1b", 2)),
          png(2, 1, 8, 2, std::string("\0\5\5\5\6\6\6", 7)),
          png(2, 1, 8, 4, std::string("\0\5\1\6\2", 5))};
}

// Rows and the header's fields, with true checksums.
std::vector<fuzz::Inside> fuzz::insides() {
  using namespace test;
  std::vector<Inside> parts;
  constexpr struct {
    int width, depth, colour;
    std::size_t row;  // bytes, with its filter
  } kinds[] = {{3, 8, 0, 4}, {1, 16, 0, 3}, {9, 1, 0, 3}, {4, 2, 3, 2}, {2, 8, 2, 7}, {2, 8, 4, 5}};
  for (const auto& kind : kinds)
    parts.push_back({std::string(2 * kind.row, '\0'), [kind](const std::string& rows) {
                       return png(kind.width, 2, kind.depth, kind.colour, rows);
                     }});
  for (const std::string& file : seeds()) {
    const std::string header = file.substr(16, 13);
    parts.push_back({header, [file](const std::string& fields) {
                       return file.substr(0, 8) + chunk("IHDR", fields) + file.substr(33);
                     }});
  }
  return parts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parsePng(test::wholeFileOf(std::string(bytes)), "input.png");
  });
}
