// SPDX-License-Identifier: GPL-3.0-or-later
// A whole input file in memory, without first filling the memory with zeros.
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

// Throws StageError(BadInput) when it is missing or is not a plain file.
void requireFile(const std::filesystem::path& path);

// Throws StageError(BadInput) when it is missing, is not a plain file or cannot be read.
WholeFile readWholeFile(const std::filesystem::path& path);

}  // namespace tessera::preprocess::read
