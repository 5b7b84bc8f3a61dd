// SPDX-License-Identifier: GPL-3.0-or-later
// NRRD: .nrrd, and .nhdr with its voxels in another file (teem.sourceforge.net/nrrd/format.html).
// Encodings raw, gzip and ascii; two or three axes of space. The spaces RAS and LAS are turned into
// LPS; lengths are millimetres where a space of patients is told and no unit.
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput) when the file is missing, truncated, malformed or sheared, or has
// vectors, several volumes, another encoding or a type that is no VoxelType.
Image readNrrd(const std::filesystem::path& path);
// The same of bytes that are in memory; name: for sentences; folder: of the header, where voxels in
// another file lie (empty: they must be in the bytes).
Image parseNrrd(WholeFile file, const std::string& name, const std::filesystem::path& folder = {});

}  // namespace tessera::preprocess::read
