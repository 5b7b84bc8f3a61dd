// SPDX-License-Identifier: GPL-3.0-or-later
// MetaImage: .mha, and .mhd with its voxels in another file (the format of ITK's MetaIO,
// https://itk.org/Wiki/MetaIO/Documentation). Lengths are millimetres unless DistanceUnits says
// otherwise; coordinates are LPS. Each row of TransformMatrix is the direction of an axis, as ITK
// reads it.
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput) when the file is missing, truncated, malformed or sheared, or has
// several channels or volumes, voxels as text or in several files, or a type that is no VoxelType.
Image readMetaImage(const std::filesystem::path& path);
// The same of bytes that are in memory; name: for sentences; folder: of the header, where voxels in
// another file lie (empty: they must be in the bytes).
Image parseMetaImage(WholeFile file, const std::string& name,
                     const std::filesystem::path& folder = {});

}  // namespace tessera::preprocess::read
