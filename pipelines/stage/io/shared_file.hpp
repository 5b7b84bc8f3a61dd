// SPDX-License-Identifier: GPL-3.0-or-later
// An AtomicFile that several processes write, each its own bytes: the first of them makes it, syncs
// it and gives it its name; when one fails all of them learn it and the file before stays.
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
  // With all processes, as commit(). Throws StageError(OutputFailed), the same on all.
  SharedFile(std::filesystem::path target, Processes& processes);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  // Without commit() the temporary file is removed.
  ~SharedFile();

  [[nodiscard]] Processes& processes() const { return processes_; }
  // By one process for itself. Throws StageError(OutputFailed), here alone.
  void writeAt(std::uint64_t offset, std::span<const std::byte> bytes);
  // The same: what it wrote until now.
  void sync();
  // Every process syncs what it wrote, the first one what all did, and renames. previous: the name
  // that the file before gets, as AtomicFile::commitKeeping.
  void commit(const std::optional<std::filesystem::path>& previous = std::nullopt);

 private:
  // Throws unless what was opened is the new, empty file: a machine may remember its name as
  // another's.
  void requireNew() const;
  std::filesystem::path target_;
  Processes& processes_;
  std::unique_ptr<AtomicFile> file_;  // of the first process
  int descriptor_ = -1;
};

}  // namespace tessera::stage
