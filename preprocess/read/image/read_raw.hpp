// SPDX-License-Identifier: GPL-3.0-or-later
// RAW images: nothing but voxels, x fastest, then y, z, little-endian; size and type are given.
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput) when missing or when its size is not that of size and type.
Image readRaw(const std::filesystem::path& path, const Int3& size, VoxelType type);
// The same of bytes that are in memory; name: for sentences.
Image parseRaw(WholeFile file, const std::string& name, const Int3& size, VoxelType type);

}  // namespace tessera::preprocess::read
