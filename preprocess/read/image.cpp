// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tessera {
namespace {

template <class Stored>
double stored(const char* at, bool bigEndian) {
  std::array<char, sizeof(Stored)> bytes;
  std::memcpy(bytes.data(), at, sizeof(Stored));
  if (bigEndian != (std::endian::native == std::endian::big))
    std::reverse(bytes.begin(), bytes.end());
  return static_cast<double>(std::bit_cast<Stored>(bytes));
}

}  // namespace

double Image::value(std::size_t voxel) const {
  const char* at = file.bytes.get() + start + voxel * bytesOf(type);
  const auto scaled = [&](double raw) { return slope * raw + intercept; };
  switch (type) {
    case VoxelType::U8:
      return scaled(stored<std::uint8_t>(at, bigEndian));
    case VoxelType::I8:
      return scaled(stored<std::int8_t>(at, bigEndian));
    case VoxelType::U16:
      return scaled(stored<std::uint16_t>(at, bigEndian));
    case VoxelType::I16:
      return scaled(stored<std::int16_t>(at, bigEndian));
    case VoxelType::U32:
      return scaled(stored<std::uint32_t>(at, bigEndian));
    case VoxelType::I32:
      return scaled(stored<std::int32_t>(at, bigEndian));
    case VoxelType::F32:
      return scaled(stored<float>(at, bigEndian));
    case VoxelType::F64:
      return scaled(stored<double>(at, bigEndian));
  }
  return 0.0;
}

}  // namespace tessera
