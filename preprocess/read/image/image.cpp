// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/image.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pipelines/stage/error.hpp"

namespace tessera::preprocess::read {
namespace {

template <class Stored>
Stored byteSwapped(Stored value) {
  if constexpr (sizeof(Stored) == 2)
    return std::bit_cast<Stored>(__builtin_bswap16(std::bit_cast<std::uint16_t>(value)));
  if constexpr (sizeof(Stored) == 4)
    return std::bit_cast<Stored>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  if constexpr (sizeof(Stored) == 8)
    return std::bit_cast<Stored>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
  return value;
}

}  // namespace

template <class Stored>
void copyStored(const Image& image, std::size_t first, std::span<Stored> values) {
  std::memcpy(values.data(), image.file.bytes.get() + image.start + first * sizeof(Stored),
              values.size_bytes());
  if (image.bigEndian == (std::endian::native == std::endian::big)) return;
  for (Stored& value : values) value = byteSwapped(value);
}

template void copyStored(const Image&, std::size_t, std::span<std::uint8_t>);
template void copyStored(const Image&, std::size_t, std::span<std::int8_t>);
template void copyStored(const Image&, std::size_t, std::span<std::uint16_t>);
template void copyStored(const Image&, std::size_t, std::span<std::int16_t>);
template void copyStored(const Image&, std::size_t, std::span<std::uint32_t>);
template void copyStored(const Image&, std::size_t, std::span<std::int32_t>);
template void copyStored(const Image&, std::size_t, std::span<std::uint64_t>);
template void copyStored(const Image&, std::size_t, std::span<std::int64_t>);
template void copyStored(const Image&, std::size_t, std::span<float>);
template void copyStored(const Image&, std::size_t, std::span<double>);

double Image::value(std::size_t voxel) const {
  return withVoxelType(type, [&]<class Stored>(std::type_identity<Stored>) {
    Stored stored{};
    copyStored(*this, voxel, std::span<Stored>(&stored, 1));
    return slope * static_cast<double>(stored) + intercept;
  });
}

void setImageSize(Image& image, std::span<const std::int64_t> sizes, const std::string& name) {
  constexpr std::int64_t largest = 1 << 20;
  image.dimensions = static_cast<int>(sizes.size());
  image.size = {1, 1, 1};
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    if (sizes[a] < 1 || sizes[a] > largest)
      stage::fail(stage::ExitCode::BadInput, name + " says it has " + std::to_string(sizes[a]) +
                                                 " voxels on " + "xyz"[a] +
                                                 ", expected from 1 to " + std::to_string(largest) +
                                                 "; it is damaged: export it again.");
    image.size[a] = static_cast<int>(sizes[a]);
  }
}

void requireVoxelBytes(const Image& image, const std::string& name) {
  const std::size_t bytes = image.voxels() * bytesOf(image.type);
  const std::size_t there = image.file.size > image.start ? image.file.size - image.start : 0;
  if (there >= bytes) return;
  const auto& n = image.size;
  stage::fail(stage::ExitCode::BadInput,
              name + " has " + std::to_string(there) + " bytes of voxels, expected " +
                  std::to_string(bytes) + " for " + std::to_string(n[0]) + " x " +
                  std::to_string(n[1]) + " x " + std::to_string(n[2]) + " voxels of " +
                  std::to_string(bytesOf(image.type)) +
                  " byte(s); it is truncated or damaged: export it again.");
}

}  // namespace tessera::preprocess::read
