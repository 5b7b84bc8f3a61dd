// SPDX-License-Identifier: GPL-3.0-or-later
// PNG, by libpng, which read_png.cpp alone sees: a 2D geometry, first row is y = 0. Values are the
// stored ones: grey of 1 to 16 bits, of a palette the number of the colour; colours are taken as
// grey where red, green and blue are the same throughout. Transparency is left out.
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput) when the file is missing, damaged or of colours.
Image readPng(const std::filesystem::path& path);
// The same of bytes that are in memory; name: for sentences.
Image parsePng(WholeFile file, const std::string& name);

}  // namespace tessera::preprocess::read
