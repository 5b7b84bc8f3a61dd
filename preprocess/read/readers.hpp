// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of surfaces and images of any format, chosen by extension.
#pragma once

#include <filesystem>

#include "preprocess/read/image/image.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// The extension must be that of a surface or an image (kindOfFile()). Throw StageError(BadInput)
// for a file that is missing, damaged or not of its format.
TriangleSoup readSurface(const std::filesystem::path& path);
// All formats but RAW, which needs size and type: readRaw().
Image readImage(const std::filesystem::path& path);

}  // namespace tessera::preprocess::read
