// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/surface_readers.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  const TriangleSoup sphere = test::soupOf(test::sphereMesh({1.0, 2.0, 3.0}, 0.7, 6, 4));
  const std::string ascii = test::asciiStl(sphere);
  return {test::binaryStl(sphere), test::binaryStl(sphere, "solid of another program"), ascii,
          test::asciiStl(sphere, "\r\n"), ascii + ascii};
}

// The triangles of a binary one, whose number goes with the size.
std::vector<fuzz::Inside> fuzz::insides() {
  const std::string file = seeds().front();
  return {{file.substr(84), [head = file.substr(0, 80)](const std::string& records) {
             const auto count = static_cast<std::uint32_t>(records.size() / 50);
             std::string bytes = head + std::string(4, '\0') + records.substr(0, 50 * count);
             std::memcpy(bytes.data() + 80, &count, sizeof count);
             return bytes;
           }}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size,
                            [](std::string_view bytes) { return parseStl(bytes, "input.stl"); });
}
