// SPDX-License-Identifier: GPL-3.0-or-later
// File formats as tessera-info lists and recognises them. Those that the stages exchange and write
// are listed here; those that preprocess reads, in preprocess/read/formats.def.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace tessera::stage {

struct FileFormat {
  const char* extension;  // without the dot, lower case; empty: a folder
  const char* kind;       // of a container of ours, that in its header
  const char* name;
  const char* about;   // the kind, for a person
  const char* begins;  // how such a file begins; empty where that says nothing
  bool isContainer = false;
};

// The files of ours: containers, folders of results, and what is written or read alongside.
std::span<const FileFormat> ownFormats();

// The format whose extension the file's name has, in any case; the longest of several ("nii.gz").
// nullptr: none.
const FileFormat* formatOf(std::span<const FileFormat> formats, const std::filesystem::path& path);

}  // namespace tessera::stage
