// SPDX-License-Identifier: GPL-3.0-or-later
// Whole input files compressed by gzip, with an OFF inside.
#include "preprocess/read/decode.hpp"
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fixtures/files/polygon_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

std::string plain() {
  return test::offFile(test::sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4));
}

}  // namespace

// One member, and several.
std::vector<std::string> fuzz::seeds() {
  const std::string file = plain();
  return {test::gzipOf(file),
          test::gzipOf(file.substr(0, 99)) + test::gzipOf("") + test::gzipOf(file.substr(99))};
}

// Data with a true checksum, and a member that ends early.
std::vector<fuzz::Inside> fuzz::insides() {
  return {{plain(), test::gzipOf}, {test::gzipOf(plain()), [](const std::string& damaged) {
                                      return damaged + test::gzipOf("");
                                    }}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    constexpr std::size_t most = std::size_t{16} << 20U;
    return parseOff(inflateWhole(bytes, "input.off.gz", most).text(), "input.off.gz");
  });
}
