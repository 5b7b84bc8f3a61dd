// SPDX-License-Identifier: GPL-3.0-or-later
// What a Tessera file says of itself, whatever its kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pipelines/stage/io/container.hpp"

namespace tessera::info {

struct Inspection {
  std::filesystem::path path;
  std::string kind;    // of the container: "lattice" (geom.vdb), "tiles", "fields", ...
  std::string format;  // "1.0"
  std::uint64_t bytes = 0;
  stage::ContentHash contentHash;            // as later stages record it
  std::string meta;                          // JSON, empty when there is none
  std::string provenance;                    // JSON, empty when there is none
  std::vector<stage::SectionInfo> sections;  // of the container
  std::uint64_t containerOffset = 0;  // where it begins; after the OpenVDB part of a geom.vdb
};

// Opens the file; wholly: reads and verifies every byte as well. Throws StageError(BadInput).
Inspection inspectFile(const std::filesystem::path& path, bool wholly);

}  // namespace tessera::info
