// SPDX-License-Identifier: GPL-3.0-or-later
// DICOM files by name and first bytes (PS3.10: "DICM" behind a preamble of 128 bytes), in folders
// too, as scanners and archives write them: mostly without an extension. Links no reader.
#pragma once

#include <filesystem>
#include <vector>

namespace tessera::preprocess::read {

// A file with the extension of DICOM, one with an unknown extension that begins like DICOM, or a
// folder with such a file in it, or below it unless it holds slices of other formats itself.
bool isDicom(const std::filesystem::path& path);

// All DICOM files of these files and folders (and below those), each folder's sorted by name.
// Throws StageError(BadInput) for a path that does not exist or more than 200,000 files.
std::vector<std::filesystem::path> dicomFilesOf(const std::vector<std::filesystem::path>& paths);

}  // namespace tessera::preprocess::read
