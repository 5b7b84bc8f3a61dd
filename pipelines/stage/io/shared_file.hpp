// SPDX-License-Identifier: GPL-3.0-or-later
// An AtomicFile written by several processes, each its own bytes: the first one creates, syncs and
// renames it; if one fails, all throw and the existing file stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/processes.hpp"

namespace tessera::stage {

class SharedFile {
 public:
  // Collective, as commit(). Throws StageError(OutputFailed), the same on all.
  SharedFile(std::filesystem::path target, Processes& processes);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  // Without commit() the temporary file is removed.
  ~SharedFile();

  [[nodiscard]] Processes& processes() const { return processes_; }
  // Local. Throws StageError(OutputFailed) on this process only.
  void writeAt(std::uint64_t offset, std::span<const std::byte> bytes);
  // Local: syncs the bytes written so far.
  void sync();
  // Every process syncs its bytes; the first one renames. previous: name for the existing file, as
  // AtomicFile::commitKeeping.
  void commit(const std::optional<std::filesystem::path>& previous = std::nullopt);

 private:
  // Throws unless the opened file is the new, empty one: a machine may have cached another file
  // under its name.
  void requireNew() const;
  std::filesystem::path target_;
  Processes& processes_;
  std::unique_ptr<AtomicFile> file_;  // of the first process
  int descriptor_ = -1;
};

}  // namespace tessera::stage
