// SPDX-License-Identifier: GPL-3.0-or-later
// Which formats are read: by the file name's extension, in any case.
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/image.hpp"
#include "preprocess/read/triangle_soup.hpp"

namespace tessera {

enum class InputKind { Surface, Image };

// "stl" of "A.STL"; "nii.gz" keeps both parts.
std::string extensionOf(const std::filesystem::path& path);

// Throws StageError(BadInput) with the formats that are read.
InputKind kindOfFile(const std::filesystem::path& path);

// Throws StageError(BadInput) for a file that is missing, damaged or not of its format.
TriangleSoup readSurface(const std::filesystem::path& path);
// RAW is read by readRaw, which needs its size and type.
Image readImage(const std::filesystem::path& path);

}  // namespace tessera
