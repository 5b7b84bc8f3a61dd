// SPDX-License-Identifier: GPL-3.0-or-later
// A file that appears whole or not at all: written beside its target under a temporary name,
// synced, then renamed. A killed job leaves the old file, and make never sees half a new one; what
// it left of its own is removed by whoever writes that target next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace tessera::stage {

// Throws StageError(OutputFailed), NoSpace where that is it, with the reason, an errno, and the
// free space of its folder.
[[noreturn]] void failToWrite(const std::filesystem::path& target, int error);

// fsync of a file or folder. Throws StageError(OutputFailed) that names the target.
void syncPath(const std::filesystem::path& path, const std::filesystem::path& target);

// The file that a link names, there or not yet, which is written and not the link; the target
// itself if it is none.
std::filesystem::path followLink(std::filesystem::path target);

class AtomicFile {
 public:
  // Creates the temporary file in the target's folder and removes those that killed jobs left of
  // the same target. Throws StageError(OutputFailed).
  explicit AtomicFile(const std::filesystem::path& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  // Removes the temporary file unless commit() was reached.
  ~AtomicFile();

  // Appends. Throws StageError(OutputFailed) that names the target, the reason and the free space.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // For what wants to read back, or write itself, the file before it has its name: commit() syncs
  // and renames it all the same.
  [[nodiscard]] const std::filesystem::path& temporaryPath() const noexcept { return temporary_; }
  // fsync, rename over the target, fsync of the folder. When it throws, the target is the old file,
  // or, if the folder alone could not be synced, the whole new one.
  void commit();
  // The same; the file that was there before gets the name `previous` first, in place of what had
  // it, and where it cannot is replaced with a warning. At no time is there no target, unless the
  // file system has no hard links.
  void commitKeeping(const std::filesystem::path& previous);

 private:
  void renameAndSyncFolder();
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool committed_ = false;
};

// A whole small text (report, CSV, HTML) in one call.
void writeTextAtomically(const std::filesystem::path& target, std::string_view text);

}  // namespace tessera::stage
