// SPDX-License-Identifier: GPL-3.0-or-later
// RAW has no header: the first byte of an input chooses the type, the next three the size.
#include "preprocess/read/image/image_readers.hpp"
#include "tests/fixtures/files/image_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

std::vector<std::string> fuzz::seeds() {
  return {std::string("\0\3\2\2", 4) + std::string(12, '\1'),
          std::string("\1\3\2\2", 4) + std::string(24, '\1'),
          std::string("\3\3\2\2", 4) + std::string(48, '\1')};
}

// The size and the type alone: all other damage is one to its size.
std::vector<fuzz::Inside> fuzz::insides() {
  const std::string file = seeds().back();
  return {{file.substr(0, 4),
           [voxels = file.substr(4)](const std::string& head) { return head + voxels; }},
          {file.substr(4), [head = file.substr(0, 4)](std::string voxels) {
             voxels.resize(48);
             return head + voxels;
           }}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::readOrRefuse(data, size, [](std::string_view bytes) {
    constexpr VoxelType types[] = {VoxelType::U8, VoxelType::U16, VoxelType::I16, VoxelType::F32};
    Int3 dims{1, 1, 1};
    for (std::size_t a = 0; a < 3 && a + 1 < bytes.size(); ++a)
      dims[a] = std::max<int>(1, static_cast<std::uint8_t>(bytes[a + 1]));
    const VoxelType type = types[bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes[0]) % 4];
    return parseRaw(
        test::wholeFileOf(std::string(bytes.substr(std::min<std::size_t>(4, bytes.size())))),
        "input.raw", dims, type);
  });
}
