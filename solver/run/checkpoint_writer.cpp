// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/checkpoint_writer.hpp"

#include <tbb/task_arena.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/abandoned_files.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::solver::run {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

CheckpointWriter::CheckpointWriter(std::filesystem::path path, file::TileLayout layout,
                                   stage::Provenance provenance)
    : path_(std::move(path)), layout_(layout), provenance_(std::move(provenance)) {
  stage::removeAbandoned(path_);  // this run may end before it writes one
}

CheckpointWriter::CheckpointWriter(std::filesystem::path path, file::TileLayout layout,
                                   file::OwnOfCheckpoint own, stage::Provenance provenance,
                                   stage::Processes& processes)
    : path_(std::move(path)),
      layout_(layout),
      provenance_(std::move(provenance)),
      own_(std::move(own)),
      processes_(&processes) {
  if (reports()) stage::removeAbandoned(path_);
}

CheckpointWriter::~CheckpointWriter() {
  if (thread_.joinable()) thread_.join();
}

void CheckpointWriter::failed(const std::exception& error) {
  error_ = error.what();
  noSpace_ = dynamic_cast<const stage::NoSpace*>(&error) != nullptr;
}

// On one thread alone: the others have steps to make.
void CheckpointWriter::write() noexcept {
  const Clock::time_point start = Clock::now();
  try {
    tbb::task_arena alone(1);
    std::exception_ptr error;  // must not pass through libtbb (parallel_for.hpp)
    alone.execute([&] {
      try {
        if (together_)
          together_->write();
        else
          file::writeCheckpoint(path_, checkpoint_, state_, layout_, provenance_);
      } catch (...) {
        error = std::current_exception();
      }
    });
    if (error) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    error_ = stage::notEnoughMemory;
  } catch (const std::exception& error) {
    failed(error);
  }
  seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
  done_.store(true, std::memory_order_release);
}

void CheckpointWriter::start(file::Checkpoint checkpoint, std::span<const std::byte> state) {
  wait();
  checkpoint_ = std::move(checkpoint);
  state_ = state;
  error_.clear();
  noSpace_ = false;
  done_.store(false);
  if (processes_ != nullptr) {
    try {
      together_.emplace(path_, checkpoint_, state, layout_, own_, provenance_, *processes_);
    } catch (const stage::StageError& error) {
      failed(error);
      return reportEnd();
    }
  }
  writing_ = true;
  try {
    thread_ = stage::threadWithoutSignals([this] { write(); });
  } catch (const std::system_error&) {
    write();
  }
}

void CheckpointWriter::failed(std::uint64_t step, const std::string& why) {
  wait();
  checkpoint_.step = step;
  error_ = why;
  noSpace_ = false;
  reportEnd();
}

// Finishes a file written by processes together. Collective.
void CheckpointWriter::finish() {
  if (!together_) return;
  const Clock::time_point start = Clock::now();
  try {
    together_->finish();
  } catch (const stage::StageError& error) {
    failed(error);
  }
  together_.reset();
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

void CheckpointWriter::wait() {
  if (!writing_) return;
  if (thread_.joinable()) thread_.join();
  writing_ = false;
  finish();
  reportEnd();
}

bool CheckpointWriter::busy() {
  if (!writing_) return false;
  std::uint64_t atWork = done_.load(std::memory_order_acquire) ? 0 : 1;
  if (processes_ != nullptr) atWork = stage::sumOf(*processes_, atWork);
  if (atWork > 0) return true;
  wait();
  return false;
}

void CheckpointWriter::reportEnd() {
  const std::uint64_t step = std::exchange(checkpoint_, {}).step;  // frees what was written
  failure_ = error_;
  if (!failure_.empty()) {
    if (!reports()) return;
    const auto kept = fileExists() ? kept_ : std::nullopt;
    stage::logWarning(fmt::format(
        "the checkpoint of step {} could not be written: {}{}; the run continues", step, failure_,
        kept ? fmt::format(" That of step {} is kept", *kept) : " No checkpoint exists"));
    return;
  }
  kept_ = step;
  measured_ = seconds_;
  if (!reports()) return;
  const std::uint64_t tiles = layout_.own != nullptr ? layout_.own->all : layout_.slotOfTile.size();
  stage::logInfo(fmt::format("checkpoint of step {}, {}, written to {} in {:.1f} s", step,
                             stage::formatBytes(double(layout_.tileBytes() * tiles)),
                             path_.string(), seconds_));
}

bool CheckpointWriter::makeRoom() {
  const std::uint64_t made = noSpace_ && kept_ && reports() && file::giveUpPrevious(path_) ? 1 : 0;
  return (processes_ != nullptr ? stage::sumOf(*processes_, made) : made) > 0;
}

double CheckpointWriter::expectedSeconds() const {
  return measured_.value_or(static_cast<double>(layout_.size()) / 1e8);
}

}  // namespace tessera::solver::run
