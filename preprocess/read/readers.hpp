// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a surface or an image of any format.
#pragma once

#include <filesystem>

#include "preprocess/read/image/image.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// By the extension, which must be that of a surface or an image (kindOfFile()). Throw
// StageError(BadInput) for a file that is missing, damaged or not of its format.
TriangleSoup readSurface(const std::filesystem::path& path);
// All but RAW, which needs its size and type: readRaw().
Image readImage(const std::filesystem::path& path);

}  // namespace tessera::preprocess::read
