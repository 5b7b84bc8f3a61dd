// SPDX-License-Identifier: GPL-3.0-or-later
// Writes checkpoints in a thread of its own, one at a time, from a copy of the state, while steps
// go on. A full disk does not end a run of a week: it is reported, the previous checkpoint stays,
// and the next is tried when its time comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "solver/file/checkpoint_file.hpp"

namespace tessera::solver::run {

class CheckpointWriter {
 public:
  explicit CheckpointWriter(std::filesystem::path path, file::TileLayout layout,
                            stage::Provenance provenance);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  // For processes together, each with the tiles of layout.own. start(), busy() and wait() are then
  // collective and return the same on all; the thread exchanges nothing. The first process reports
  // how writing ended.
  CheckpointWriter(std::filesystem::path path, file::TileLayout layout, file::OwnOfCheckpoint own,
                   stage::Provenance provenance, stage::Processes& processes);
  // Waits for this process's part of the file. With several processes the file is given up unless
  // wait() was called before.
  ~CheckpointWriter();

  // A checkpoint is being written, and start() would wait for it. Reports how the last one ended,
  // once.
  bool busy();
  // state: as StateStore::savedState; must stay until the file is written, with several processes
  // until this returns. Throws nothing: failure() says what went wrong. Where no thread can be
  // started the file is written before this returns.
  void start(file::Checkpoint checkpoint, std::span<const std::byte> state);
  // A write that failed to start is reported like a failed write.
  void failed(std::uint64_t step, const std::string& why);
  // Waits until the file is written, and reports how that ended.
  void wait();

  // After a failure for want of space: gives up run.ckpt.prev where run.ckpt is whole. True:
  // another try may succeed. Collective.
  bool makeRoom();

  // Step of the newest checkpoint, written by this or given to resumed().
  [[nodiscard]] std::optional<std::uint64_t> keptStep() const { return kept_; }
  // False once the file is gone, as when its folder has been removed.
  [[nodiscard]] bool fileExists() const {
    std::error_code ignored;
    return std::filesystem::exists(path_, ignored);
  }
  void resumed(std::uint64_t step) { kept_ = step; }
  // Why the last one could not be written; empty: it was, or there was none.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // Time to write one, s: as measured, or before the first at 100 MB/s.
  [[nodiscard]] double expectedSeconds() const;

 private:
  void write() noexcept;
  void failed(const std::exception& error);
  void finish();
  void reportEnd();
  [[nodiscard]] bool reports() const { return processes_ == nullptr || processes_->rank() == 0; }

  std::filesystem::path path_;
  file::TileLayout layout_;
  stage::Provenance provenance_;
  file::OwnOfCheckpoint own_{};
  stage::Processes* processes_ = nullptr;             // null: alone
  std::optional<file::CheckpointTogether> together_;  // with several processes: the open file
  file::Checkpoint checkpoint_;
  std::span<const std::byte> state_;
  bool writing_ = false;
  std::thread thread_;
  std::atomic<bool> done_{false};
  // Owned by the thread until done_.
  std::string error_;
  bool noSpace_ = false;
  double seconds_ = 0.0;
  // Owned by the run.
  std::optional<double> measured_;  // s
  std::optional<std::uint64_t> kept_;
  std::string failure_;
};

}  // namespace tessera::solver::run
