// SPDX-License-Identifier: GPL-3.0-or-later
// Input formats from the list in formats.def, recognised by the file name's extension
// (case-insensitive). Does not link any reader.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "pipelines/stage/io/file_formats.hpp"

namespace tessera::preprocess::read {

enum class InputKind { Surface, Image };

// kind: "surface" or "image".
std::span<const stage::FileFormat> inputFormats();

// Extension in lower case: "stl" of "A.STL", "nii.gz".
std::string extensionOf(const std::filesystem::path& path);

// Throws StageError(BadInput) listing the known formats.
InputKind kindOfFile(const std::filesystem::path& path);

}  // namespace tessera::preprocess::read
