// SPDX-License-Identifier: GPL-3.0-or-later
// A file that appears whole or not at all: written beside its target under a temporary name,
// synced, then renamed. A killed job leaves the old file, and make never sees half a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace tessera {

class AtomicFile {
 public:
  // Creates the temporary file in the target's folder. Throws StageError(OutputFailed).
  explicit AtomicFile(std::filesystem::path target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  // Removes the temporary file unless commit() was reached.
  ~AtomicFile();

  // Appends. Throws StageError(OutputFailed) that names the target, the reason and the free space.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // For libraries that want to write a file of their own name: close what was opened here and let
  // them write this path; commit() syncs and renames it all the same.
  [[nodiscard]] const std::filesystem::path& temporaryPath() const noexcept { return temporary_; }
  // fsync, rename over the target, fsync of the folder.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool committed_ = false;
};

// A whole small text (report, CSV, HTML) in one call.
void writeTextAtomically(const std::filesystem::path& target, std::string_view text);

}  // namespace tessera
