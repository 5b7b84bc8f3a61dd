// SPDX-License-Identifier: GPL-3.0-or-later
// PGM (P2, P5): a 2D geometry, first row is y = 0.
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput) when missing, truncated or malformed.
Image readPgm(const std::filesystem::path& path);
// The same of bytes that are in memory; name: for sentences.
Image parsePgm(WholeFile file, const std::string& name);

}  // namespace tessera::preprocess::read
