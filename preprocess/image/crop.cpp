// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/crop.hpp"

#include <cstring>

namespace tessera::preprocess::image {

using read::Image;

bool fits(const VoxelBox& box, const Image& image) {
  for (std::size_t a = 0; a < 3; ++a)
    if (box.low[a] < 0 || box.low[a] >= box.high[a] || box.high[a] > image.size[a]) return false;
  return true;
}

void crop(Image& image, const VoxelBox& box) {
  Int3 low = box.low;  // in memory
  if (image.planesReversed) low[2] = image.size[2] - box.high[2];
  Int3 size{};
  for (std::size_t a = 0; a < 3; ++a) size[a] = box.high[a] - box.low[a];
  const auto offset = [&](int x, int y, int z) {
    const auto row = static_cast<std::size_t>(z) * static_cast<std::size_t>(image.size[1]) +
                     static_cast<std::size_t>(y);
    return (row * static_cast<std::size_t>(image.size[0]) + static_cast<std::size_t>(x)) *
           image.bytesOfVoxel();
  };
  const std::size_t row = static_cast<std::size_t>(size[0]) * image.bytesOfVoxel();
  char* const first = image.file.bytes.get() + image.start;
  char* target = first;  // never behind the row that it takes
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y, target += row)
      std::memmove(target, first + offset(low[0], low[1] + y, low[2] + z), row);
  for (std::size_t a = 0; a < 3; ++a)
    image.origin = image.origin + low[a] * image.voxel[a] * image.axis[a];
  image.size = size;
}

}  // namespace tessera::preprocess::image
