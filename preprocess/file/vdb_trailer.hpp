// SPDX-License-Identifier: GPL-3.0-or-later
// The last 48 bytes of geom.vdb: how long it is, where our container begins, and the hash of all
// of it. OpenVDB's readers ignore what follows their part, and notice no truncation; this does.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "pipelines/stage/io/hash.hpp"

namespace tessera::preprocess::file {

struct VdbTrailer {
  std::array<char, 8> magic{'T', 'E', 'S', 'S', 'V', 'D', 'B', '\n'};
  std::uint64_t vdbBytes = 0;   // of the OpenVDB part; our container follows
  std::uint64_t fileBytes = 0;  // of the whole file
  std::uint64_t zeros = 0;
  stage::Hash128 hash{};  // of all bytes before it
};
static_assert(sizeof(VdbTrailer) == 48);

// Checks the length and the hash of the whole file. Throws StageError(BadInput) when it is missing,
// truncated, altered or another program's.
VdbTrailer readVdbTrailer(const std::filesystem::path& path);

}  // namespace tessera::preprocess::file
