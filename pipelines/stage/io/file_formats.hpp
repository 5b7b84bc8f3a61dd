// SPDX-License-Identifier: GPL-3.0-or-later
// File formats known to tessera-info: those that the stages exchange and write are listed here,
// input formats in preprocess/read/formats.def.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace tessera::stage {

struct FileFormat {
  const char* extension;  // lower case without the dot; empty: a folder
  const char* kind;       // for a Tessera container as in its header
  const char* name;
  const char* about;   // description
  const char* begins;  // first bytes; empty: not distinctive
  bool isContainer = false;
};

// Tessera's own files: containers, result folders, and files written or read with them.
std::span<const FileFormat> ownFormats();

// Format by the extension of a file name, in any case; the longest match ("nii.gz"). nullptr: none.
const FileFormat* formatOf(std::span<const FileFormat> formats, const std::filesystem::path& path);

}  // namespace tessera::stage
