// SPDX-License-Identifier: GPL-3.0-or-later
// A box cut out of an image.
#pragma once

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::image {

// Voxels from low to before high, as numbered in the file.
struct VoxelBox {
  Int3 low{};
  Int3 high{};
};

// Whether the box lies in the image and holds a voxel.
bool fits(const VoxelBox& box, const read::Image& image);

// Keeps the voxels of a box that fits; each keeps its position in the world. In place.
void crop(read::Image& image, const VoxelBox& box);

}  // namespace tessera::preprocess::image
