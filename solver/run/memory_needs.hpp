// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that a run needs: state, checkpoints, fields; checked before the first step.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "solver/run/setup.hpp"

namespace tessera::solver::run {

// Reserves (and touches) memory early, so that later work cannot fail; released just before that
// work.

class ReservedMemory {
 public:
  // bytes > 0. Throws std::bad_alloc.
  explicit ReservedMemory(std::uint64_t bytes) : bytes_(bytes) {
    if (!take()) throw std::bad_alloc();
  }
  ReservedMemory(ReservedMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
  ReservedMemory& operator=(ReservedMemory&&) = delete;
  ~ReservedMemory() { release(); }
  // Reserves the memory again after release(). False: not enough memory.
  bool take() {
    if (memory_ != nullptr) return true;
    void* const memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    memory_ = std::memset(memory, 1, bytes_);
    return true;
  }
  void release() {
    if (memory_ != nullptr) ::munmap(std::exchange(memory_, nullptr), bytes_);
  }

 private:
  void* memory_ = nullptr;
  std::uint64_t bytes_;
};

// Bytes on the device (CUDA) or in memory (CPU): copies of the state, neighbour table, masks,
// links, tables of columns.
std::uint64_t stateBytes(const Setup& setup);
// Bytes in memory of a checkpoint: the copy of the state that it is written from, and
// bytesBesidesState().
std::uint64_t checkpointBytes(const Setup& setup, bool withKept = false);
// Bytes of the states that the run may go back to when it diverges (kept_states.hpp), which are
// kept where there is room for them; 0: it may not.
std::uint64_t keptBytes(const Setup& setup);
// Bytes of the samples of an accelerated march to a steady state (steady_march.hpp).
std::uint64_t marchBytes(const Setup& setup);
// Memory for writing a checkpoint besides that copy: sums of means, memory of walls, with several
// ranks this rank's part of the file, and chunks being written. withKept: the file has the states
// that the run may go back to.
std::uint64_t bytesBesidesState(const Setup& setup, bool withKept);
// Bytes in memory of the fields of the end or of intermediate output.
std::uint64_t resultBytes(const Setup& setup);
// Throws StageError(NoResource) when the states of all ranks on this host, or with checkpoints the
// sum of all these, exceed the free memory. Collective.
void checkMemory(const Setup& setup, bool checkpoints = true);
// Throws StageError(NoResource) when that many of the states that the run may go back to leave too
// little memory, on this host, for checkpoints and fields. Collective.
void checkMemoryToKeep(const Setup& setup, std::size_t states);
// The same for the samples of an accelerated march.
void checkMemoryToMarch(const Setup& setup);

}  // namespace tessera::solver::run
