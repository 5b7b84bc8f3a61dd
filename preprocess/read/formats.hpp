// SPDX-License-Identifier: GPL-3.0-or-later
// Input formats from the list in formats.def, recognised by the file name's extension
// (case-insensitive), each also compressed by gzip under its extension and .gz. Does not link any
// reader.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "pipelines/stage/io/file_formats.hpp"

namespace tessera::preprocess::read {

enum class InputKind { Surface, Image };

// kind: "surface" or "image".
std::span<const stage::FileFormat> inputFormats();

// Extension in lower case, without .gz: "stl" of "A.STL" and of "a.stl.gz".
std::string extensionOf(const std::filesystem::path& path);
// Whether the file name ends in .gz.
bool isCompressed(const std::filesystem::path& path);
// File name without the extension of its format: "a" of "a.stl" and of "a.stl.gz".
std::string stemOf(const std::filesystem::path& path);

// Whether a file name has the extension of an input format.
bool hasKnownFormat(const std::filesystem::path& path);

// Format of slices of an image, which are 2D: "PNG", "PGM" or "TIFF"; empty for other files.
std::string sliceFormat(const std::filesystem::path& path);

// A folder with DICOM files, or such a file of any name (dicom_files.hpp), is an image. Throws
// StageError(BadInput) listing the known formats.
InputKind kindOfFile(const std::filesystem::path& path);

}  // namespace tessera::preprocess::read
