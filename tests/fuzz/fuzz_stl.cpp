// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/read_stl.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/preprocess/lattice_meshes.hpp"
#include "tests/preprocess/surface_files.hpp"

using namespace tessera;

std::vector<std::string> fuzz::seeds() {
  const TriangleSoup sphere = test::soupOf(test::sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4));
  const std::string ascii = test::asciiStl(sphere);
  return {test::binaryStl(sphere), test::binaryStl(sphere, "solid of another program"), ascii,
          test::asciiStl(sphere, "\r\n"), ascii + ascii};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size,
                            [](std::string_view bytes) { return parseStl(bytes, "input.stl"); });
}
