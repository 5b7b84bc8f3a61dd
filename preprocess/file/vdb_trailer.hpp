// SPDX-License-Identifier: GPL-3.0-or-later
// Trailer of geom.vdb, its last 48 bytes: lengths of the OpenVDB part and of the file, and a hash
// of all bytes before it. OpenVDB's readers ignore it, and do not detect truncation themselves.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/hash.hpp"

namespace tessera::preprocess::file {

struct VdbTrailer {
  std::array<char, 8> magic{'T', 'E', 'S', 'S', 'V', 'D', 'B', '\n'};
  std::uint64_t vdbBytes = 0;   // of the OpenVDB part, which Tessera's container follows
  std::uint64_t fileBytes = 0;  // of the whole file
  std::uint64_t zeros = 0;
  stage::Hash128 hash{};  // of all bytes before it
};
static_assert(sizeof(VdbTrailer) == 48);

// Appends the trailer to a file whose first vdbBytes are the OpenVDB part and which ends with the
// container. Throws StageError(OutputFailed).
void writeVdbTrailer(stage::AtomicFile& file, std::uint64_t vdbBytes);

// Verifies length and hash of the whole file. Throws StageError(BadInput) when it is missing,
// truncated, altered or written by another program.
VdbTrailer readVdbTrailer(const std::filesystem::path& path);

}  // namespace tessera::preprocess::file
