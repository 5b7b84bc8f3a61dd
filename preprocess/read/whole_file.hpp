// SPDX-License-Identifier: GPL-3.0-or-later
// Whole input file in memory, allocated without zero-initialisation.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::preprocess::read {

struct WholeFile {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
};

// So many bytes to be filled, and a terminating null behind them. what: "vessel.nrrd,
// decompressed,". Throws StageError(NoResource) where 64 MiB or more are asked for and memory does
// not suffice.
WholeFile roomFor(std::size_t bytes, const std::string& what, const std::string& remedy);

// Throws StageError(BadInput) when it is missing or not a regular file.
void requireFile(const std::filesystem::path& path);

// Throws StageError(BadInput) when it is missing, not a regular file or unreadable.
WholeFile readWholeFile(const std::filesystem::path& path);

}  // namespace tessera::preprocess::read
