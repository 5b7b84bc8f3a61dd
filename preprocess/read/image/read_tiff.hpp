// SPDX-License-Identifier: GPL-3.0-or-later
// TIFF, by libtiff, which read_tiff.cpp alone sees: the pages are the planes along z, all of one
// size and type; a single page is a 2D geometry. Values are the stored samples: grey of 8, 16, 32
// bits or floats, bilevel ones 0 and 1, of a palette the number of the colour. Compressions that
// lose nothing. The size of a voxel is known from ImageJ's description (unit, spacing) and the
// resolution, or not at all: dots per inch say nothing of a scan.
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput) when the file is missing, damaged, compressed with loss, of several
// samples a voxel, or of pages that differ.
Image readTiff(const std::filesystem::path& path);
// The same of bytes that are in memory; name: for sentences.
Image parseTiff(WholeFile file, const std::string& name);

}  // namespace tessera::preprocess::read
