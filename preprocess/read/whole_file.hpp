// SPDX-License-Identifier: GPL-3.0-or-later
// Whole input file in memory, allocated without zero-initialisation.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace tessera::preprocess::read {

struct WholeFile {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
  [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
};

// Throws StageError(BadInput) when it is missing or not a regular file.
void requireFile(const std::filesystem::path& path);

// Throws StageError(BadInput) when it is missing, not a regular file or unreadable.
WholeFile readWholeFile(const std::filesystem::path& path);

}  // namespace tessera::preprocess::read
