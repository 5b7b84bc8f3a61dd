// SPDX-License-Identifier: GPL-3.0-or-later
// Writes checkpoints behind a run: the file is written by a thread of its own, one at a time, from
// a copy of the state, while steps go on. A disk that is full does not end a run of a week: it is
// told, the checkpoint before stays, and the next is tried when its time comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "solver/checkpoint_file.hpp"

namespace tessera {

class CheckpointWriter {
 public:
  explicit CheckpointWriter(std::filesystem::path path, TileLayout layout, Provenance provenance);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  // For processes together, each with the tiles of layout.own. start(), busy() and wait() are then
  // called by all of them in the same order and answer alike; the thread exchanges nothing. The
  // first process tells how writing ended.
  CheckpointWriter(std::filesystem::path path, TileLayout layout, OwnOfCheckpoint own,
                   Provenance provenance, Processes& processes);
  // Waits for this process's part of what is being written. Together the file is given up then:
  // call wait() before.
  ~CheckpointWriter();

  // Whether one is being written still; start() would wait for it. Otherwise says how the last one
  // ended, once.
  bool busy();
  // state: as StateStore::savedState, and there until the file is written; by processes together until
  // this returns. Throws nothing: failure() says what went wrong. Where there is no thread to be
  // had it is written before this returns.
  void start(Checkpoint checkpoint, std::span<const std::byte> state);
  // Of one that could not be begun: told as one that could not be written.
  void failed(std::uint64_t step, const std::string& why);
  // Until what is being written is there, and says how it ended.
  void wait();

  // After one that failed for want of space gives up run.ckpt.prev, if there is a newer one that is
  // whole. By all together: whether it is worth another try.
  bool makeRoom();

  // Of the newest that was written, by this or, from the start, what resumed() was told.
  [[nodiscard]] std::optional<std::uint64_t> keptStep() const { return kept_; }
  void resumed(std::uint64_t step) { kept_ = step; }
  // Why the last one could not be written; empty: it was, or there was none.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // s: what one takes to write, as measured, or before the first at 100 MB/s.
  [[nodiscard]] double expectedSeconds() const;

 private:
  void write() noexcept;
  void failed(const std::exception& error);
  void finish();
  void tellEnd();
  [[nodiscard]] bool tells() const { return processes_ == nullptr || processes_->rank() == 0; }

  std::filesystem::path path_;
  TileLayout layout_;
  Provenance provenance_;
  OwnOfCheckpoint own_{};
  Processes* processes_ = nullptr;              // null: alone
  std::optional<CheckpointTogether> together_;  // what is being written, by processes together
  Checkpoint checkpoint_;
  std::span<const std::byte> state_;
  bool writing_ = false;
  std::thread thread_;
  std::atomic<bool> done_{false};
  // Of the thread until done_.
  std::string error_;
  bool noSpace_ = false;
  double seconds_ = 0.0;
  // Of the run.
  std::optional<double> measured_;  // s
  std::optional<std::uint64_t> kept_;
  std::string failure_;
};

}  // namespace tessera
