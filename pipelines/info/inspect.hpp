// SPDX-License-Identifier: GPL-3.0-or-later
// Content of a Tessera file of any kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pipelines/stage/io/container.hpp"

namespace tessera::info {

struct Inspection {
  std::filesystem::path path;
  std::string kind;    // container kind: "lattice" (.vdb), "tiles", "fields", ...
  std::string format;  // "1.0"
  std::uint64_t bytes = 0;
  stage::ContentHash contentHash;            // as later stages record it
  std::string meta;                          // JSON, or empty
  std::string provenance;                    // JSON, or empty
  std::vector<stage::SectionInfo> sections;  // of the container
  std::uint64_t containerOffset = 0;         // in a .vdb after the OpenVDB part
};

// Opens the file; wholly: also verifies every byte. Throws StageError(BadInput).
Inspection inspectFile(const std::filesystem::path& path, bool wholly);

}  // namespace tessera::info
