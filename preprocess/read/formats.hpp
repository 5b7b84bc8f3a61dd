// SPDX-License-Identifier: GPL-3.0-or-later
// The formats that are read, from the list in formats.def: known by the file name's extension, in
// any case. No reader is linked, so every program can ask.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "pipelines/stage/io/file_formats.hpp"

namespace tessera::preprocess::read {

enum class InputKind { Surface, Image };

// kind: "surface" or "image".
std::span<const stage::FileFormat> inputFormats();

// "stl" of "A.STL"; "nii.gz" keeps both parts.
std::string extensionOf(const std::filesystem::path& path);

// Throws StageError(BadInput) with the formats that are read.
InputKind kindOfFile(const std::filesystem::path& path);

}  // namespace tessera::preprocess::read
