// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  return {"P2\n# drawn by hand\n3 2 # size\n9\n0 1 2\n3 4 5\n",
          "P5 3 2\n9\n" + std::string("\0\1\2\3\4\5", 6),
          "P5\n1 2 65535\n" + std::string("\0\1\2\3", 4)};
}

std::vector<fuzz::Inside> fuzz::insides() {
  return {};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    return parsePgm(test::wholeFileOf(std::string(bytes)), "input.pgm");
  });
}
