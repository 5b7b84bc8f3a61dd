// SPDX-License-Identifier: GPL-3.0-or-later
// A file that appears completely or not at all: written under a temporary name in the target's
// folder, synced, then renamed. A killed job leaves the old file, so make never sees half a new
// one; its temporary file is removed by the next writer of that target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace tessera::stage {

// Throws StageError(OutputFailed), or NoSpace, with the reason (an errno) and the free space.
[[noreturn]] void failToWrite(const std::filesystem::path& target, int error);

// fsync of a file or folder. Throws StageError(OutputFailed) that names the target.
void syncPath(const std::filesystem::path& path, const std::filesystem::path& target);

// Target of a symbolic link, existing or not: the link stays and its target is written. The path
// itself if it is no link.
std::filesystem::path followLink(std::filesystem::path target);

class AtomicFile {
 public:
  // Creates the temporary file in the target's folder and removes abandoned ones of the same
  // target. Throws StageError(OutputFailed).
  explicit AtomicFile(const std::filesystem::path& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  // Removes the temporary file unless commit() was reached.
  ~AtomicFile();

  // Appends. Throws StageError(OutputFailed) naming target, reason and free space.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // Path for readers and libraries that need the file before commit(), which syncs and renames it
  // in any case.
  [[nodiscard]] const std::filesystem::path& temporaryPath() const noexcept { return temporary_; }
  // fsync, rename over the target, fsync of the folder. If it throws, the target is the old file,
  // or the complete new one if only the folder could not be synced.
  void commit();
  // commit() that first gives the existing file the name `previous`; if that fails, it is replaced
  // with a warning. The target exists at all times, unless the file system has no hard links.
  void commitKeeping(const std::filesystem::path& previous);

 private:
  void renameAndSyncFolder();
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool committed_ = false;
};

// Writes a small text (report, CSV, HTML) in one call.
void writeTextAtomically(const std::filesystem::path& target, std::string_view text);

}  // namespace tessera::stage
